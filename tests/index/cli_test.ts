import assert from "node:assert/strict";
import { join } from "node:path";
import { main } from "../../lib/cli/app.ts";
import { splitUrls } from "../../lib/cli/commands/index_build.ts";
import { checkFloor } from "../../lib/engine/disk.ts";
import { RunError } from "../../lib/engine/errors.ts";
import { fetchDocuments } from "../../lib/index/fetched.ts";
import { surt } from "../../lib/url/mod.ts";
import { testHost, type TestHostOptions } from "../cli/_host.ts";
import { Mount } from "../engine/_mount.ts";
import { INFO, members, oneMember, response } from "../parse/_archives.ts";
import { startWeb } from "../web/mod.ts";
import { inFolder } from "./_index.ts";

const ccrawl = (...args: string[]) => ccrawlWith({}, ...args);

async function ccrawlWith(given: TestHostOptions, ...args: string[]) {
  const host = testHost(given);
  const code = await main([...args, "--progress", "text"], host);
  const out = host.out();
  const records = () => out.trim().split("\n").map((line) => JSON.parse(line));
  return { code, out, err: host.err(), records };
}

Deno.test("index build and index search from the command line", async () => {
  await inFolder(async (dir) => {
    const docs = join(dir, "docs.jsonl"), idx = join(dir, "idx");
    await Deno.writeTextFile(
      docs,
      '{"url":"https://go.dev/","title":"Go","text":"golang concurrency & <channels>","language":"eng"}\n' +
        '{"url":"https://b.example/","text":"golang"}\nbroken\n',
    );
    const built = await ccrawl("index", "build", "--dir", idx, "--input", docs);
    assert.equal(built.code, 0);
    const { bytes, ...record } = built.records()[0];
    assert.ok(bytes > 10_000);
    assert.deepEqual(record, {
      dir: idx,
      added: 2,
      replaced: 0,
      unchanged: 0,
      skipped: 1,
      failed: 0,
      documents: 2,
    });
    assert.match(built.err, /docs\.jsonl: line 3: no JSON/);
    const again = await ccrawl("index", "build", "--dir", idx, "--input", docs);
    assert.equal(again.records()[0].unchanged, 2);
    const search = (...more: string[]) => ccrawl("index", "search", "--dir", idx, ...more);
    const found = await search("golang", "concurrency");
    assert.equal(found.code, 0);
    assert.deepEqual(found.records(), [{
      doc_id: "https://go.dev/",
      score: found.records()[0].score,
      url: "https://go.dev/",
      title: "Go",
      snippet: "**golang** **concurrency** & <channels>",
    }]);
    const html = await search("golang", "--host", "go.dev", "--lang", "eng", "--highlight", "html");
    assert.equal(
      html.records()[0].snippet,
      "<mark>golang</mark> concurrency &amp; &lt;channels&gt;",
    );
    assert.equal((await search("golang", "-n", "1", "-o", "url")).out.split("\n").length, 2);
    assert.equal((await search("nothing")).code, 3);
    assert.equal((await search("!?")).code, 2);
    assert.equal((await search("x", "--host", "a b")).code, 2);
    assert.equal((await search("x", "--lang", "english")).code, 2);
    assert.equal((await search()).code, 2);
    assert.equal((await ccrawl("index", "search", "--dir", join(dir, "no"), "x")).code, 1);
    assert.equal((await ccrawl("index", "build", "--dir", idx)).code, 2);
    await Deno.writeTextFile(docs, "\n\n");
    assert.equal((await ccrawl("index", "build", "--dir", idx, "--input", docs)).code, 3);
    const full = await ccrawl(
      "index",
      "build",
      "--dir",
      idx,
      "--input",
      docs,
      "--min-free",
      "999TB",
    );
    assert.equal(full.code, 75);
  });
});

Deno.test("index build --urls fetches politely what is to be indexed", async () => {
  await using web = await startWeb({ hosts: 4, pages: 20, pageBytes: 1000, domains: 4 });
  await inFolder(async (dir) => {
    const pages = [...web.expectedUrls()].slice(0, 3);
    const forbidden = web.url("h1.robots-all.test", "/p/1");
    const args = ["--urls", [...pages, forbidden].join(","), "--allow-private", "--min-free", "0"];
    args.push(...web.resolvers.flatMap((resolver) => ["--resolver", resolver]));
    args.push("--ca-cert", web.caFile, "--delay", "10ms");
    const built = await ccrawl("index", "build", "--dir", join(dir, "idx"), ...args);
    assert.equal(built.code, 0, built.err);
    const { added, failed } = built.records()[0];
    assert.deepEqual([added, failed], [3, 1], built.err);
    assert.match(built.err, /robots-all\S+: skip/);
    assert.deepEqual(
      [...Deno.readDirSync(join(dir, "idx"))].map(({ name }) => name).filter((n) =>
        n.startsWith("fetch")
      ),
      [],
    );
    const unreachable = web.closedUrl("h1.robots-404.test");
    const none = await ccrawl(
      "index",
      "build",
      "--dir",
      join(dir, "none"),
      ...args.slice(2),
      "--urls",
      unreachable,
    );
    assert.deepEqual([none.code, none.records()[0].failed], [8, 1]);
  });
});

Deno.test("index build whose disk falls below --min-free keeps what it has read, and says both", async () => {
  await inFolder(async (dir) => {
    const mount = await Mount.memory(join(dir, "small"), 64 << 20);
    if (mount === undefined) return;
    await using _mount = mount;
    const line = (i: number) =>
      new TextEncoder().encode(`{"url":"https://a.example/${i}","text":"word ${i}"}\n`);
    async function* documents() {
      for (let i = 0; i < 500; i++) yield line(i);
      await mount!.resize(16 << 20);
      // the disk is looked at every second
      for (let i = 500; i < 1000; i++) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        yield line(i);
      }
    }
    const idx = join(mount.path, "idx");
    const args = ["index", "build", "--dir", idx, "--input", "-", "--min-free", "32MB"];
    const built = await ccrawlWith({ stdin: ReadableStream.from(documents()) }, ...args);
    assert.equal(built.code, 75);
    assert.match(built.err, /has \d+ MB free, less than --min-free 32 MB\. What was read is in/);
    const [record] = built.records();
    assert.ok(record.added >= 500 && record.added < 1000, String(record.added));
    assert.equal(record.documents, record.added);
    assert.equal((await ccrawl("index", "search", "--dir", idx, "499")).code, 0);
  });
});

Deno.test("index build --urls indexes what was fetched before the disk fell below its floor", async () => {
  await using web = await startWeb({ hosts: 4, pages: 40, pageBytes: 1000 });
  await inFolder(async (dir) => {
    const urls = [...web.expectedUrls()];
    let looks = 0;
    const found: string[] = [];
    const fetched = fetchDocuments(urls, dir, {
      resolvers: web.resolvers,
      allowPrivate: true,
      robots: false,
      delayMs: 500,
      minFree: 50,
      freeBytes: () => ++looks < 5 ? 100 : 10,
    });
    await assert.rejects(async () => {
      for await (const { url } of fetched) found.push(url);
    }, (error) => error instanceof RunError && error.exitCode === 75);
    assert.ok(found.length > 0 && found.length < urls.length, String(found.length));
    assert.deepEqual([...Deno.readDirSync(dir)], []);
  });
});

Deno.test("checkFloor() writes a floor of any size so that it can be read", () => {
  const told = (floor: number) => {
    try {
      checkFloor(["x"], floor, () => floor - 1);
    } catch (error) {
      return /min-free (\S+ \S+)\./.exec((error as Error).message)?.[1];
    }
  };
  assert.deepEqual([500, 500 << 10, 500 << 20, 5 * 2 ** 30].map(told), [
    "500 B",
    "500 KB",
    "500 MB",
    "5.0 GB",
  ]);
});

Deno.test("splitUrls() takes commas between URLs, and leaves those in them", () => {
  assert.deepEqual(splitUrls(["https://a.example/x,y,http://b.example/,c.example"]), [
    "https://a.example/x,y",
    "http://b.example/,c.example",
  ]);
  assert.deepEqual(splitUrls(["a.example,b.example/x", "https://c.example/,"]), [
    "https://a.example/",
    "https://b.example/x",
    "https://c.example/",
  ]);
});

const HARD: readonly string[] = [
  "https://www3288.com/",
  "http://www.example.com:8080/A?b=2&a=1",
  "http://146.148.124.0/x",
  "http://[2001:db8::1]/y",
  "https://example.com/?q=a%26b&c=d",
  "https://example.com/ü",
  "https://example.com/a b",
];

Deno.test("index cdx has a line for every capture, in the order of bytes, keys as they should be", async () => {
  await inFolder(async (dir) => {
    const files = ["a.warc.gz", "b.warc.gz"].map((name) => join(dir, name));
    await Deno.writeFile(files[0]!, members([INFO, ...HARD.map((url) => response(url, "x"))]));
    await Deno.writeFile(
      files[1]!,
      members([response("https://example.com/", "<p>", "", "", 302)]),
    );
    const to = join(dir, "all.cdxj");
    const built = await ccrawl("index", "cdx", dir, "--to", to);
    assert.equal(built.code, 0, built.err);
    assert.deepEqual(built.records().map(({ lines, damaged }) => [lines, damaged]), [[7, 0], [
      1,
      0,
    ]]);
    const lines = (await Deno.readTextFile(to)).trimEnd().split("\n");
    assert.deepEqual(lines, lines.toSorted());
    const keys = lines.map((line) => line.split(" ")[0]);
    assert.deepEqual(
      keys.toSorted(),
      [
        ...HARD.map((url) => surt(url)),
        "com,example)/",
      ].sort(),
    );
    for (
      const key of [
        "com,www3288)/",
        "com,example:8080)/a?a=1&b=2",
        "0,124,148,146)/x",
        "com,example)/?c=d&q=a%26b",
      ]
    ) assert.ok(keys.includes(key), key);

    const cdx = (await ccrawl("index", "cdx", dir, "-o", "raw", "--format", "cdx11")).out;
    const [head, ...rows] = cdx.trimEnd().split("\n");
    assert.equal(head, " CDX N b a m s k r M S V g");
    assert.equal(rows.length, 8);
    for (const row of rows) {
      assert.match(row, /^\S+ 20240518015810 \S+ \S+ \d+ \S+ - - \d+ \d+ [ab]\.warc\.gz$/);
    }

    const beside = await ccrawl("index", "cdx", ...files);
    assert.equal(beside.code, 0);
    assert.equal((await Deno.readTextFile(join(dir, "b.cdxj"))).split("\n").length, 2);
    const one = join(dir, "one.warc.gz");
    await Deno.writeFile(one, oneMember([INFO, response("https://a.example/", "x")]));
    const shared = await ccrawl("index", "cdx", one);
    assert.equal(shared.code, 1);
    assert.match(shared.err, /1 captures share a gzip member/);
    await Deno.writeFile(one, members([INFO]));
    assert.equal((await ccrawl("index", "cdx", one)).code, 3);
    assert.equal((await ccrawl("index", "cdx", "-")).code, 2);
    assert.equal((await ccrawl("index", "cdx", one, "--to", to, "-o", "raw")).code, 2);
  });
});
