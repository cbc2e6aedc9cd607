/** The scripts of docs/library.md, run one after the other as they stand there, on the local web. */

import assert from "node:assert/strict";
import { type LocalWeb, startWeb } from "./web/mod.ts";

const MOD = new URL("../mod.ts", import.meta.url).href;
const CONFIG = new URL("../deno.json", import.meta.url).pathname;

/** The script under a heading. */
function scriptOf(heading: string): string {
  const docs = Deno.readTextFileSync(new URL("../docs/library.md", import.meta.url));
  const section = docs.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  const script = /^```ts\n(.*?)^```$/ms.exec(section ?? "")?.[1];
  assert.ok(script !== undefined, `docs/library.md has no script under ${heading}`);
  return script;
}

/** Runs the script in a folder, with example.com on the local web; gives the lines it prints. */
async function runScript(
  heading: string,
  dir: string,
  web: LocalWeb,
  permissions = ["--allow-net", "--allow-read", "--allow-sys", `--allow-write=${dir}`],
): Promise<string[]> {
  // The library as everywhere, save for how to get to a web that is not public.
  await Deno.writeTextFile(
    `${dir}/library.ts`,
    `import * as library from "${MOD}";
    export * from "${MOD}";
    import * as recrawls from "${new URL("./lib/recrawl.ts", MOD)}";
    const local = ${JSON.stringify({ resolvers: web.resolvers, allowPrivate: true, delayMs: 1 })};
    export const crawl = (options) => library.crawl({ ...options, ...local, minFree: 0 });
    export const recrawl = (options) => recrawls.recrawl({ ...options, ...local, minFree: 0 });
    export const fetchPage = (url, options) => library.fetchPage(url, { ...options, ...local });`,
  );
  const seed = web.seeds()[0]!;
  const script = scriptOf(heading)
    .replaceAll(/"@ccrawl\/cli(\/recrawl)?"/g, '"./library.ts"')
    .replaceAll('"@ccrawl/cli/capture"', `"${new URL("./lib/capture/mod.ts", MOD)}"`)
    .replaceAll('"https://example.com/"', JSON.stringify(seed))
    .replaceAll('"example.com"', JSON.stringify(new URL(seed).hostname));
  await Deno.writeTextFile(`${dir}/script.ts`, script);
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ..."run --no-check --quiet --no-prompt".split(" "),
      ...permissions,
      `--config=${CONFIG}`,
      "script.ts",
    ],
    cwd: dir,
    env: { NO_COLOR: "1" },
    signal: AbortSignal.timeout(60_000), // a script that does not end is no good
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  assert.equal(code, 0, text(stderr));
  return text(stdout).split("\n").slice(0, -1);
}

Deno.test("the library's scripts do what docs/library.md says", async (t) => {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-test-" });
  await using web = await startWeb({ hosts: 1, pages: 40, pageBytes: 1500, graph: "tree" });
  const run = (heading: string) => runScript(heading, dir, web);
  const expected = [...web.expectedUrls()].sort();
  const crawled: string[] = [];
  try {
    await t.step("One page", async () => {
      const [first, ...links] = await run("One page");
      assert.match(first!, new RegExp(`^200 ${web.seeds()[0]} utf-8 \\d{3,}$`));
      assert.ok(links.length > 1 && links.every((line) => line.startsWith("link http://")));
    });

    await t.step("A crawl", async () => {
      const lines = await run("A crawl");
      assert.equal(lines.length, 10);
      for (const line of lines) {
        const [status, url, file, offset] = line.split(" ");
        assert.deepEqual([status, file], ["200", "ccrawl-crawl-00000.warc.gz"]);
        assert.ok(Number(offset) > 0);
        crawled.push(url!);
      }
    });

    await t.step("Carrying on", async () => {
      const [line] = await run("Carrying on");
      const more = Number(/^(\d+) more pages, [1-9]\d* bytes$/.exec(line!)?.[1]);
      assert.equal(new Set(crawled).size + more, expected.length, "each page once");
    });

    await t.step("Seeds from a file", async () => {
      await Deno.writeTextFile(`${dir}/seeds.txt`, `# mine\n${expected[0]}\nftp://x/\n`);
      assert.deepEqual(await run("Seeds from a file"), [`200 ${expected[0]}`]);
    });

    await t.step("robots.txt", async () => {
      await Deno.writeTextFile(
        `${dir}/robots.txt`,
        "User-agent: *\nDisallow: /private/\nAllow: /private/open\nSitemap: https://example.com/s.xml\n",
      );
      assert.deepEqual(await run("robots.txt"), [
        "/ may be fetched undefined",
        "/private/x is closed by line 2 undefined",
        "/private/open may be fetched undefined",
        '[ "https://example.com/s.xml" ]',
      ]);
    });

    await t.step("Writing WARC", async () => {
      const [file, id] = await run("Writing WARC");
      assert.equal(file, "ccrawl-crawl-00000.warc.gz");
      assert.match(id!, /^urn:uuid:/);
      assert.ok(Deno.statSync(`${dir}/mine/mine-00000.warc.gz`).size > 500);
      assert.match(Deno.readTextFileSync(`${dir}/mine/mine-00000.cdxj`), / \{"url": "http:/);
    });

    await t.step("Reading WARC", async () => {
      const lines = await run("Reading WARC");
      const read = lines.filter((line) => /^(response|revisit) /.test(line))
        .map((line) => line.split(" ")[1]!).filter((url) => !url.endsWith("/robots.txt"));
      assert.deepEqual(read.sort(), expected);
    });

    await t.step("A recrawl", async () => {
      await Deno.writeTextFile(`${dir}/list.txt`, expected.join("\n"));
      const lines = await run("A recrawl");
      assert.equal(lines.pop(), `${expected.length} rows are done`);
      assert.ok(lines.every((line) => /^200 http:\S+ [a-z]{3} \S/.test(line)), lines.join("\n"));
      assert.deepEqual(lines.map((line) => line.split(" ")[1]).sort(), expected);
    });

    await t.step("Reading captures", async () => {
      const lines = await run("Reading captures");
      const pages = lines.filter((line) => line.startsWith("http://"));
      assert.deepEqual(pages.map((line) => line.split(" ")[0]).sort(), expected);
      assert.ok(pages.every((line) => line.split(" ").length > 1), "they have titles");
      const words = lines.filter((line) => /^\w+ [1-9]\d* words$/.test(line));
      assert.ok(words.length > 0 && words.length + pages.length === lines.length, lines.join("\n"));
    });

    await t.step("every script is a short one", () => {
      const docs = Deno.readTextFileSync(new URL("../docs/library.md", import.meta.url));
      for (const [, script] of docs.matchAll(/^```ts\n(.*?)^```$/gms)) {
        assert.ok(script!.split("\n").length <= 20, script!);
      }
    });

    await t.step("Checking", async () => {
      assert.deepEqual(await runScript("Checking", dir, web, ["-A"]), ["0 faults"]);
    });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
