import assert from "node:assert/strict";
import { main } from "../../lib/cli/app.ts";
import type { CrawlRunOptions } from "../../lib/cli/commands/crawl_run.ts";
import { configPath } from "../../lib/cli/options/config.ts";
import type { GlobalOptions } from "../../lib/cli/options/global.ts";
import { testHost } from "./_host.ts";
import { options, refused } from "./_tree.ts";

/** Writes a configuration, and gives the environment in which it is the user's own. */
async function configured(
  text: string,
  work: (env: Record<string, string>, path: string) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${dir}/config.toml`, text);
    await work({ CCRAWL_CONFIG_DIR: dir }, `${dir}/config.toml`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

const TEXT = `# what this machine is for
[default]
workers = 12
delay = "2s"
robots = false
include = ["^https://a/", "com,example)/"]
output = "csv"

[fast]
workers = 99 # of
'delay' = "0"

["a night"]
workers = 1
`;

const run = (env: Record<string, string>, ...more: string[]) =>
  options<CrawlRunOptions>(["crawl", "run", "--seeds", "-", ...more], env);

Deno.test("option, environment, profile, [default], built-in: the first that says it counts", async () => {
  await configured(TEXT, async (env) => {
    const plain = await run(env);
    assert.equal(plain.workers, 12);
    assert.equal(plain.delay, 2000);
    assert.equal(plain.robots, false);
    assert.equal(plain.output, "csv");
    assert.deepEqual(plain.include, ["^https://a/", "com,example)/"]);
    assert.equal(plain.retries, 2);
    assert.equal((await run(env, "--profile", "fast")).workers, 99);
    assert.equal((await run(env, "--profile", "fast")).delay, 0);
    assert.equal((await run(env, "--profile", "fast")).output, "csv");
    assert.equal((await run(env, "--profile", "a night")).workers, 1);
    assert.equal((await run(env, "--profile", "default")).workers, 12);
    const both = { ...env, CCRAWL_PROFILE: "fast", CCRAWL_WORKERS: "7", CCRAWL_ROBOTS: "1" };
    assert.equal((await run(both)).workers, 7);
    assert.equal((await run(both)).robots, true);
    assert.equal((await run(both)).delay, 0);
    assert.equal((await run(both, "-j3", "--no-robots")).workers, 3);
    assert.equal((await run(both, "-j3", "--no-robots")).robots, false);
  });
});

Deno.test("options of other commands may stand in a configuration", async () => {
  await configured("[default]\nshard-size = '1GB'\nout = 'x'\n", async (env) => {
    assert.equal((await options<GlobalOptions>(["version"], env)).limit, 0);
    assert.equal((await run(env)).out, "x");
  });
});

Deno.test("the configuration lies where the first of its variables says", () => {
  const at = (env: Record<string, string>) => configPath((name) => env[name]);
  const all = { CCRAWL_CONFIG_DIR: "/c", XDG_CONFIG_HOME: "/x", HOME: "/h" };
  assert.equal(at(all), "/c/config.toml");
  assert.equal(at({ ...all, CCRAWL_CONFIG_DIR: "" }), "/x/ccrawl/config.toml");
  assert.equal(at({ HOME: "/h" }), "/h/.config/ccrawl/config.toml");
  assert.equal(at({}), undefined);
});

Deno.test("--config takes another file, which must be there", async () => {
  await configured("[default]\nworkers = 5\n", async (env, path) => {
    assert.equal((await run({}, "--config", path)).workers, 5);
    assert.equal((await run({ CCRAWL_CONFIG: path })).workers, 5);
    assert.match(
      await refused(["version", "--config", `${path}.not`], env),
      /Cannot read the configuration .*\.not: there is no such file/,
    );
    assert.match(
      await refused(["version", "--config", env.CCRAWL_CONFIG_DIR!]),
      /Cannot read the configuration/,
    );
    await Deno.writeTextFile(path, "#".repeat((1 << 20) + 1));
    assert.match(await refused(["version", "--config", path]), /it is larger than 1 MB/);
    // Its size says nothing: it has no end.
    if (Deno.build.os === "linux") {
      assert.match(await refused(["version", "--config", "/dev/zero"]), /it is larger than 1 MB/);
    }
  });
});

Deno.test("what is wrong in a configuration is told with file and line, exit 2", async () => {
  const cases: [string, RegExp][] = [
    ["[default]\nworkers = 0\n", /config\.toml:2: workers = 0: must be 1 or more/],
    ["\n\n[default]\nworkrs = 2\n", /config\.toml:4: there is no option "workrs"\n.*workers\?/],
    ["[default]\nworkers = = 2\n", /config\.toml:2: .*\n {2}column 11/],
    ["[default]\nworkers = 1\nworkers = 2\n", /config\.toml:3: /],
    ["workers = 2\n", /config\.toml:1: workers stands in no table\n {2}put it below \[default\]/],
    ["[default]\nno-robots = true\n", /config\.toml:2: .*\n {2}write robots = false/],
    ["[default]\nmax_pages = 3\n", /there is no option "max_pages"\n.*max-pages/],
    ["[default]\nworkers = [1, 2]\n", /config\.toml:2: workers takes one value, not a list/],
    ["[default]\nworkers = 2026-01-01\n", /config\.toml:2: workers takes text, a number/],
    ["[default.crawl]\nworkers = 1\n", /there is no option "crawl"/],
    ["default.wrokers = 1\n", /config\.toml:1: there is no option "wrokers"/],
    ["[default]\nconfig = 'x'\n", /config\.toml:2: config cannot be set in a configuration/],
    ["[fast]\nprofile = 'x'\n", /config\.toml:2: profile cannot be set/],
    ["[default]\ntoken = 'hf_secret'\n", /config\.toml:2: there is no option "token"/],
  ];
  for (const [text, pattern] of cases) {
    await configured(text, async (env) => {
      const said = await refused(["version"], env);
      assert.match(said, pattern);
      assert(!said.includes("hf_secret"));
    });
  }
});

Deno.test("an unknown profile is told with those there are", async () => {
  await configured(TEXT, async (env) => {
    assert.match(
      await refused(["version", "--profile", "fsat"], env),
      /has no table \[fsat\]\n.*fast/,
    );
    assert.match(await refused(["version", "--profile", "zzz"], env), /it has fast, a night/);
  });
  assert.match(
    await refused(["version", "--profile", "fast"], { HOME: "/nonexistent" }),
    /there is no configuration\n {2}write one: \/nonexistent\/\.config\/ccrawl\/config\.toml/,
  );
});

interface Shown {
  readonly key: string;
  readonly value: string;
  readonly source: string;
  readonly where: string;
}

async function shown(args: string[], env: Record<string, string>): Promise<Map<string, Shown>> {
  const host = testHost({ env });
  assert.equal(await main(["config", "show", ...args, "-o", "json"], host), 0, host.err());
  const rows = JSON.parse(host.out()) as Shown[];
  return new Map(rows.map((row) => [row.key, row]));
}

Deno.test("config show says of each option what it is and where it comes from", async () => {
  await configured(TEXT, async (env, path) => {
    const rows = await shown(["--profile", "fast", "-j", "5"], { ...env, CCRAWL_QUIET: "1" });
    const row = (key: string) => rows.get(key)!;
    assert.deepEqual(row("workers"), {
      key: "workers",
      value: "5",
      source: "option",
      where: "--workers",
    });
    assert.deepEqual(row("quiet"), {
      key: "quiet",
      value: "true",
      source: "environment",
      where: "CCRAWL_QUIET",
    });
    assert.deepEqual(row("delay"), {
      key: "delay",
      value: "0",
      source: "profile fast",
      where: `${path}:11`,
    });
    assert.deepEqual(row("robots"), {
      key: "robots",
      value: "false",
      source: "config",
      where: `${path}:5`,
    });
    assert.deepEqual(row("limit"), { key: "limit", value: "0", source: "default", where: "" });
    assert.equal(row("include").value, "^https://a/,com,example)/");
    // Nothing sets it, and it is no option of all commands.
    assert.equal(rows.has("max-pages"), false);
  });
});

Deno.test("config show COMMAND shows all options of a command", async () => {
  const rows = await shown(["crawl", "run", "-j", "256"], {});
  assert.equal(rows.get("dns-lookups")!.value, "32");
  assert.equal(rows.get("warc-size")!.value, "1GB");
  assert.equal(rows.get("seeds")!.value, "");
  assert.equal(rows.get("shard-size"), undefined);
  const host = testHost();
  assert.equal(await main(["config", "show", "crawl", "rnu"], host), 2);
  assert.match(host.err(), /there is no command "crawl rnu"/);
});

Deno.test("config show tells a default that hangs on what is not given in words", async () => {
  const repo = async (...args: string[]) =>
    (await shown(["recrawl", "publish", ...args], {})).get("repo")!.value;
  assert.equal(await repo(), "open-index/ccrawl-recrawl-KIND");
  assert.equal(
    (await shown(["recrawl", "run"], {})).get("column")!.value,
    "domain for domains, else url",
  );
  assert.equal(
    (await shown(["recrawl", "run"], { CCRAWL_FROM: "domains" })).get("column")!.value,
    "domain",
  );
});

Deno.test("config show shows no secret", async () => {
  const env = { HF_TOKEN: "hf_secret", HF_ENDPOINT: "https://me:hunter2@hub.example/" };
  const host = testHost({ env });
  assert.equal(await main(["config", "show", "-ojsonl"], host), 0);
  assert(!host.out().includes("hf_secret") && !host.out().includes("hunter2"), host.out());
  assert.match(host.out(), /"key":"HF_TOKEN","value":"set, not shown","source":"environment"/);
  assert.match(host.out(), /"value":"https:\/\/\*\*\*@hub\.example\/"/);
});
