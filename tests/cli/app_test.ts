import assert from "node:assert/strict";
import { main } from "../../lib/cli/app.ts";
import type { CommandBody } from "../../lib/cli/command.ts";
import type { CrawlFetchOptions } from "../../lib/cli/commands/crawl_fetch.ts";
import type { CrawlRunOptions } from "../../lib/cli/commands/crawl_run.ts";
import { CommandError } from "../../lib/cli/errors.ts";
import { type GlobalOptions, globalOptions } from "../../lib/cli/options/global.ts";
import { type AnyOptionTable, optionName } from "../../lib/cli/options/spec.ts";
import { FetchError } from "../../lib/net/errors.ts";
import { ScopePatternError } from "../../lib/url/scope.ts";
import { type TestHost, testHost } from "./_host.ts";
import { options, refused, tree } from "./_tree.ts";

Deno.test("a group with nothing behind it prints its help on stdout, exit 0", async () => {
  for (const args of [[], ["crawl"], ["--help"], ["crawl", "-h"], ["help"], ["-q"]]) {
    const host = testHost();
    assert.equal(await main(args, host, tree()), 0);
    assert.match(host.out(), /^Commands:\n(?:.*\n)*? +crawl run +Crawl from seeds/m);
    assert.equal(host.err(), "");
  }
});

Deno.test("--help of every command shows its options, their defaults and examples", async () => {
  for (const { path, spec } of tree()) {
    const host = testHost();
    assert.equal(await main([...path, "--help"], host, tree()), 0);
    const help = host.out();
    assert.match(help, /^Examples:$/m, path.join(" "));
    for (const key of Object.keys(spec.options)) {
      assert.match(help, new RegExp(`--(no-)?${optionName(key)}\\b`), key);
    }
    for (const line of help.split("\n")) {
      assert(line.length <= 110, line);
    }
  }
});

Deno.test("help says defaults with their units", async () => {
  const host = testHost();
  await main(["help", "crawl", "run"], host, tree());
  const help = host.out().replace(/\s+/g, " ");
  for (
    const part of [
      "Usage: ccrawl crawl run --seeds FILE|- [OPTIONS]",
      "(default 1s)",
      "(default 1GB)",
      "(default workers/8, 16 to 128)",
      "(default warc/)",
      "--no-robots Do not ask robots.txt",
      "-j, --workers N",
      "(default 5m)",
      "clean|raw",
    ]
  ) assert(help.includes(part), part);
});

Deno.test("options of crawl run have the defaults that are promised", async () => {
  const met = await options<CrawlRunOptions>(["crawl", "run", "--seeds", "-"]);
  const wanted: Partial<CrawlRunOptions> = {
    seeds: "-",
    out: "warc/",
    state: undefined,
    delay: 1000,
    workers: 64,
    maxPages: 0,
    maxDepth: 0,
    sameHost: false,
    include: [],
    shard: 0,
    shards: 1,
    robots: true,
    robotsTimeout: 10_000,
    robotsCacheEntries: 200_000,
    robotsCacheMb: 64,
    maxCrawlDelay: 300_000,
    perIp: 16,
    dnsLookups: 16,
    seenMb: 512,
    maxUrlsPerHost: 0,
    warcSize: 1024 ** 3,
    prefix: "ccrawl-crawl",
    warcHttp: "clean",
    cdx: true,
    dedup: true,
    writers: 1,
    queueMb: 32,
    minFree: 1024 ** 3,
    timeout: 30_000,
    retries: 2,
  };
  for (const [key, value] of Object.entries(wanted)) {
    assert.deepEqual(met[key as keyof CrawlRunOptions], value, key);
  }
});

Deno.test("--dns-lookups follows --workers, between 16 and 128, unless it is given", async () => {
  const lookups = async (...more: string[]) =>
    (await options<CrawlRunOptions>(["crawl", "run", "--seeds", "-", ...more])).dnsLookups;
  assert.equal(await lookups("-j", "256"), 32);
  assert.equal(await lookups("-j4096"), 128);
  assert.equal(await lookups("-j4096", "--dns-lookups", "500"), 500);
});

Deno.test("options are taken in every spelling", async () => {
  const run = (...args: string[]) =>
    options<CrawlRunOptions>(["crawl", "run", "--seeds", "s", ...args]);
  assert.equal((await run("-j64")).workers, 64);
  assert.equal((await run("-j", "64")).workers, 64);
  assert.equal((await run("-j=64")).workers, 64);
  assert.equal((await run("--workers=64")).workers, 64);
  assert.equal((await run("-qj7")).workers, 7);
  assert.equal((await run("-qj7")).quiet, true);
  assert.equal((await run("--no-robots")).robots, false);
  assert.equal((await run("--no-robots", "--robots")).robots, true);
  assert.equal((await run("--same-host", "--same-host")).sameHost, true);
  assert.equal((await run("--no-cdx", "--no-dedup")).cdx, false);
  assert.deepEqual((await run("--include", "a", "--include=b")).include, ["a", "b"]);
  assert.equal((await run("--out=a=b")).out, "a=b");
});

Deno.test("global options stand before the command, between its words, or behind it", async () => {
  for (
    const args of [
      ["-o", "csv", "-j9", "--no-header", "crawl", "run", "--seeds", "-"],
      ["crawl", "--output=csv", "-j", "9", "run", "--no-header", "--seeds", "-"],
      ["crawl", "run", "--seeds", "-", "-ocsv", "--workers", "9", "--no-header"],
    ]
  ) {
    const met = await options<CrawlRunOptions>(args);
    assert.equal(met.output, "csv");
    assert.equal(met.workers, 9);
    assert.equal(met.header, false);
  }
});

Deno.test("an option's value that is a command's name is not taken for the command", async () => {
  const met = await options<GlobalOptions>(["--journal", "crawl", "version"]);
  assert.equal(met.journal, "crawl");
});

Deno.test("crawl fetch adds the scheme that a person leaves off", async () => {
  const url = async (text: string) =>
    (await options<CrawlFetchOptions & { url: URL }>(["crawl", "fetch", text])).url.href;
  assert.equal(await url("example.com"), "https://example.com/");
  assert.equal(await url("localhost:8080/x"), "https://localhost:8080/x");
  assert.equal(await url("http://example.com"), "http://example.com/");
  assert.match(await refused(["crawl", "fetch", "ftp://example.com/"]), /only http and https/);
  assert.match(await refused(["crawl", "fetch", "http://"]), /not a URL/);
});

Deno.test("crawl control reads each verb with what it needs", async () => {
  const control = async (...args: string[]) =>
    (await options<{ command: unknown }>(["crawl", "control", "--state", "c.db", ...args])).command;
  assert.deepEqual(await control("pause"), { verb: "pause" });
  assert.deepEqual(await control("block", "WWW.Example.com."), {
    verb: "block",
    host: "www.example.com",
  });
  assert.deepEqual(await control("delay", "bücher.example", "10s"), {
    verb: "delay",
    host: "xn--bcher-kva.example",
    delayMs: 10_000,
  });
  assert.deepEqual(await control("priority", "a.example", "0.5"), {
    verb: "priority",
    host: "a.example",
    priority: 0.5,
  });
  const bad = (...args: string[]) => refused(["crawl", "control", "--state", "c.db", ...args]);
  assert.match(await bad("puase"), /unknown verb "puase"; did you mean pause\?/);
  assert.match(await bad("block"), /block needs HOST/);
  assert.match(await bad("pause", "a"), /pause stands alone/);
  assert.match(await bad("delay", "a", "10"), /delay 10: a duration needs a unit/);
  assert.match(await bad("priority", "a", "-1"), /unknown option "-1"/);
  assert.match(await bad("priority", "a", "x"), /must be a number above 0/);
  assert.match(await bad("block", "a/b"), /not a host name/);
  assert.match(await bad("block", "a:80:x"), /not a host name/);
});

Deno.test("usage errors name what is wrong, suggest the near miss, and exit 2", async () => {
  const cases: [string[], RegExp][] = [
    [["crwal"], /unknown command "crwal"\n {2}did you mean crawl\?/],
    [["crawl", "rnu"], /unknown command "crawl rnu"\n {2}did you mean run\?/],
    [["fetch", "x"], /did you mean crawl fetch\?/],
    [["constructor"], /unknown command "constructor"/],
    [["crawl", "run", "--seeds", "-", "--max-page=3"], /unknown option --max-page\n.*--max-pages/],
    [["crawl", "run", "--seeds", "-", "--no-robot"], /unknown option --no-robot\n.*--no-robots/],
    [["crawl", "run", "--constructor"], /unknown option "--constructor"/],
    [["crawl", "run", "--seeds="], /--seeds needs a value/],
    [["crawl", "run", "--seeds"], /--seeds needs a value/],
    [["crawl", "run", "--seeds", "--quiet"], /--seeds needs a value/],
    [["crawl", "run"], /--seeds is needed\n.*CCRAWL_SEEDS/],
    [["crawl", "run", "--seeds", "-", "x"], /takes no argument: "x"/],
    [["crawl", "run", "--seeds", "-", "-j", "0"], /--workers=0: must be 1 or more/],
    [["crawl", "run", "--seeds", "-", "--writers", "17"], /--writers=17: must be 16 or less/],
    [["crawl", "run", "--seeds", "-", "--shard", "1"], /numbered from 0\n.*--shards/],
    [["crawl", "run", "--seeds", "-", "--warc-http", "rwa"], /did you mean raw\?/],
    [["crawl", "run", "--seeds", "-", "--no-robots=1"], /takes no value/],
    [["crawl", "fetch"], /URL is needed/],
    [["crawl", "fetch", "a", "b"], /takes no further argument: "b"/],
    [["verify"], /PATH… is needed/],
    [["verify", "-x"], /unknown option "-x"\n {2}if it is meant as an argument, write: -- -x/],
    [["crawl", "run", "-x"], /unknown option "-x"\n$/],
    [["crawl", "control", "--state", "i", "block", "-rust"], /"-rust"\n {2}.*write: -- -rust/],
    [["version", "-o", "yaml"], /--output=yaml: must be one of auto, table, jsonl/],
    [["version", "--fields", "versoin"], /unknown field "versoin"; did you mean version\?/],
    [["version", "--user-agent", "évil"], /--user-agent=évil: must begin with a product name/],
    [["--seeds", "x", "crawl", "run"], /--seeds is an option of a command/],
    [["--quite", "version"], /unknown option "--quite"\n {2}did you mean --quiet\?/],
    [["-x", "version"], /unknown option "-x"/],
  ];
  for (const [args, pattern] of cases) {
    const told = await refused(args);
    assert.match(told, pattern);
    assert.match(told, /^ccrawl: /);
    assert.doesNotMatch(told, /^ {4}at /m);
  }
});

Deno.test("a bad environment variable is a usage error that names it", async () => {
  assert.equal(
    await refused(["crawl", "run", "--seeds", "-"], { CCRAWL_WORKERS: "abc" }),
    "ccrawl: CCRAWL_WORKERS=abc: not a whole number\n",
  );
});

Deno.test("variables set options, empty ones do not", async () => {
  const met = await options<CrawlRunOptions>(["crawl", "run"], {
    CCRAWL_SEEDS: "s.txt",
    CCRAWL_NO_ROBOTS: "1",
    CCRAWL_WORKERS: "",
    CCRAWL_USER_AGENT: "Other/1.0",
    CCRAWL_OUTPUT: "csv",
  });
  assert.equal(met.seeds, "s.txt");
  assert.equal(met.robots, false);
  assert.equal(met.workers, 64);
  assert.equal(met.userAgent, "Other/1.0");
  assert.equal(met.output, "csv");
});

Deno.test("the exact command is kept, quoted where a shell would need it", async () => {
  const met = await options(["-q", "crawl", "run", "--seeds", "a b's.txt"]);
  assert.equal(met.commandLine, "ccrawl crawl run -q --seeds 'a b'\\''s.txt'");
});

/** Runs `version` with `body` as its work. */
async function withBody(
  body: CommandBody<GlobalOptions>,
  args: string[] = [],
  host: TestHost = testHost(),
): Promise<{ code: number; host: TestHost }> {
  return { code: await main(["version", ...args], host, tree(body)), host };
}

Deno.test("an error's own exit code is the process'", async () => {
  const { code, host } = await withBody(() =>
    Promise.reject(new CommandError("Cannot write: the disk is full", 75, "free some"))
  );
  assert.equal(code, 75);
  assert.equal(host.err(), "ccrawl: Cannot write: the disk is full\n  free some\n");
});

Deno.test("an error of another room is mapped by its class, any other is 1", async () => {
  const code8 = await withBody(() => Promise.reject(new FetchError("dns", "no such name")));
  assert.equal(code8.code, 8);
  assert.equal(code8.host.err(), "ccrawl: no such name\n");
  const skip = new FetchError("skip", "Cannot connect to 127.0.0.1: it is loopback");
  assert.equal((await withBody(() => Promise.reject(skip))).code, 1);
  const pattern = new ScopePatternError("(", new SyntaxError("unterminated group"));
  assert.equal((await withBody(() => Promise.reject(pattern))).code, 2);
  const { code, host } = await withBody(() => Promise.reject(new TypeError("x is\nnot y")));
  assert.equal(code, 1);
  assert.equal(host.err(), "ccrawl: TypeError: x is not y\n");
});

Deno.test("-v shows the stack, with the causes", async () => {
  const { host } = await withBody(
    () => Promise.reject(new Error("Cannot go on", { cause: new Error("the reason") })),
    ["-v"],
  );
  assert.match(host.err(), /^ccrawl: Cannot go on\nError: Cannot go on\n {4}at /);
  assert.match(host.err(), /^caused by: Error: the reason$/m);
});

Deno.test("the first signal stops the work cleanly, exit 0", async () => {
  const host = testHost();
  const { code } = await withBody(
    (_, io) => {
      host.send("SIGTERM");
      assert.equal(io.signal.aborted, true);
      assert.match(String(io.signal.reason), /SIGTERM was received/);
      return Promise.resolve(0);
    },
    [],
    host,
  );
  assert.equal(code, 0);
  assert.deepEqual(host.exits, []);
  assert.equal(host.listening(), 0);
});

Deno.test("work that throws the reason it was stopped for has not failed", async () => {
  const host = testHost();
  const { code } = await withBody(
    (_, io) => {
      host.send("SIGINT");
      return Promise.reject(io.signal.reason);
    },
    [],
    host,
  );
  assert.equal(code, 0);
  assert.doesNotMatch(host.err(), /ccrawl:/);
});

Deno.test("a second signal ends the process at once, with the shell's code for it", async () => {
  const host = testHost();
  await withBody(
    () => {
      host.send("SIGINT");
      assert.deepEqual(host.exits, []);
      host.send("SIGINT");
      host.send("SIGTERM");
      return Promise.resolve(0);
    },
    [],
    host,
  );
  assert.deepEqual(host.exits, [130, 143]);
});

Deno.test("-n stops the work through its signal", async () => {
  const { code, host } = await withBody(async (_, io) => {
    let written = 0;
    while (!io.signal.aborted) if (await io.output.write({ version: String(written) })) written++;
    assert.equal(written, 3);
    return 0;
  }, ["-n3", "--fields", "version"]);
  assert.equal(code, 0);
  assert.equal(host.out().trimEnd().split("\n").length, 3);
});

Deno.test("a reader that goes away stops the work through its signal, quietly", async () => {
  const host = testHost({ write: () => Promise.reject(new Deno.errors.BrokenPipe("EPIPE")) });
  const { code } = await withBody(
    async (_, io) => {
      while (!io.signal.aborted) await io.output.write({ version: "x".repeat(100_000) });
      throw io.signal.reason;
    },
    [],
    host,
  );
  assert.equal(code, 0);
  assert.equal(host.err(), "");
});

Deno.test("records written before an error still reach the reader", async () => {
  const { code, host } = await withBody(async (_, io) => {
    await io.output.write({ version: "1" });
    throw new Error("Cannot go on");
  }, ["-o", "json"]);
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(host.out()), [{ version: "1" }]);
});

Deno.test("colour is for terminals, and not when NO_COLOR is set", async () => {
  const header = async (args: string[], env: Record<string, string>) => {
    const host = testHost({ terminal: true, columns: 80, env });
    await withBody(
      async (_, io) => {
        await io.output.write({ version: "1" });
        return 0;
      },
      ["--fields", "version", "-o", "table", ...args],
      host,
    );
    return host.out();
  };
  assert((await header([], {})).startsWith("\x1b[1mversion"));
  assert.match(await header([], { NO_COLOR: "1" }), /^version/);
  assert((await header(["--color=always"], { NO_COLOR: "1" })).startsWith("\x1b"));
  assert.match(await header(["--color=never"], {}), /^version/);
});

Deno.test("no two options of a command share a name or a letter", () => {
  for (const { path, spec } of tree()) {
    const table: AnyOptionTable = { ...globalOptions as AnyOptionTable, ...spec.options };
    const letters = Object.values(table).flatMap(({ short }) => short === undefined ? [] : [short]);
    assert.equal(new Set(letters).size, letters.length, path.join(" "));
    assert(!letters.includes("h"), "-h is help");
    const names = new Set(Object.keys(table).map(optionName));
    for (const name of names) assert(!names.has(`no-${name}`), `--no-${name} is ambiguous`);
  }
});

Deno.test("what a command redefines of a global option keeps its letter", () => {
  const globals = globalOptions as AnyOptionTable;
  for (const { path, spec } of tree()) {
    for (const [key, own] of Object.entries(spec.options)) {
      if (key in globals) assert.equal(own.short, globals[key]!.short, `${path.join(" ")} ${key}`);
    }
  }
});
