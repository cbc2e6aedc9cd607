import assert from "node:assert/strict";
import { join } from "node:path";
import { main } from "../../lib/cli/app.ts";
import { listParts } from "../../lib/capture/part_sequence.ts";
import { testHost } from "../cli/_host.ts";
import { inFolder } from "../capture/_rows.ts";
import { Ccrawl } from "../engine/_process.ts";
import { byUrl, readRows, verifyClean } from "../engine/_recrawl.ts";
import { INFO, members, response } from "../parse/_archives.ts";
import { startWeb } from "../web/mod.ts";

const web = await startWeb({ hosts: 12, pages: 240, pageBytes: 2000, domains: 12 });
globalThis.addEventListener("unload", () => web[Symbol.asyncDispose]());
const URLS = [...web.expectedUrls()];

/** A shard in which these pages were once. */
async function shard(dir: string, name: string, urls: readonly string[], body = ""): Promise<void> {
  const pages = urls.map((url) => response(url, body || `<p>${url}`));
  await Deno.writeFile(join(dir, name), members([INFO, ...pages]));
}

/** The words of a refetch of a folder's shards. */
function words(dir: string, ...more: string[]): string[] {
  return [
    ..."markdown refetch --allow-private --min-free 0 -o jsonl --progress none".split(" "),
    ...["--ca-cert", web.caFile, "--out", join(dir, "out"), dir, "--delay", "5ms"],
    ...web.resolvers.flatMap((resolver) => ["--resolver", resolver]),
    ...["--extractors", "1", ...more],
  ];
}

async function ccrawl(args: readonly string[]) {
  const host = testHost();
  const code = await main(args, host);
  const records = host.out().split("\n").filter((line) => line !== "").map((l) => JSON.parse(l));
  return { code, records, err: host.err() };
}

/** The ledger, by shard. */
async function ledger(dir: string): Promise<Record<string, Record<string, string>>> {
  const text = await Deno.readTextFile(join(dir, "out", "ledger.csv"));
  const [head, ...rows] = text.trimEnd().split("\n").map((line) => line.split(","));
  const objects = rows.map((row) => Object.fromEntries(row.map((cell, i) => [head![i]!, cell])));
  return Object.fromEntries(objects.map((row) => [row.shard!, row]));
}

Deno.test("markdown refetch writes each shard's pages, each once, with a ledger", async () => {
  await inFolder(async (dir) => {
    await web.reset();
    const robots = web.url("h1.robots-all.test", "/p/1");
    await shard(dir, "CC-MAIN-00000.warc.gz", [...URLS.slice(0, 40), URLS[0]!, robots]);
    await shard(dir, "CC-MAIN-00001.warc.gz", [...URLS.slice(30, 60)]);
    await Deno.writeFile(
      join(dir, "other.warc.gz"),
      members([
        INFO,
        response(URLS[99]!, "x", "image/png"),
        response(URLS[98]!, "x", "text/html", "", 404),
      ]),
    );
    const run = await ccrawl(words(dir));
    assert.equal(run.code, 0, run.err);
    assert.equal(run.records.length, 61);
    const rows = byUrl(await readRows(join(dir, "out")));
    assert.deepEqual([...rows.keys()].sort(), [...URLS.slice(0, 60), robots].sort());
    assert.equal(rows.get(robots)!.error, "skip");
    assert.notEqual(rows.get(URLS[0]!)!.markdown, "");
    const entries = await ledger(dir);
    const figures = (name: string) => {
      const { urls, left_out, rows, fetched, failed, files, done } = entries[name]!;
      return [urls, left_out, rows, fetched, failed, files, done].join(" ");
    };
    assert.equal(figures("CC-MAIN-00000"), "41 1 41 40 1 1 true");
    assert.equal(figures("CC-MAIN-00001"), "20 10 20 20 0 1 true");
    assert.equal(figures("other"), "0 0 0 0 0 0 true");
    assert.deepEqual(listParts(join(dir, "out"), "CC-MAIN-00001").length, 1);
    await verifyClean(join(dir, "out"));
    const before = (await web.coverage()).fetched;
    const again = await ccrawl(words(dir));
    assert.deepEqual([again.code, again.records.length], [0, 0]);
    assert.match(again.err, /CC-MAIN-00000 is done already/);
    assert.equal((await web.coverage()).fetched, before);
    await shard(dir, "more.warc.gz", URLS.slice(60, 64));
    assert.equal((await ccrawl(words(dir))).records.length, 4, "a new shard is done");
  });
});

Deno.test("markdown refetch chooses by language and digest, and keeps to what was begun", async () => {
  await inFolder(async (dir) => {
    const german =
      "<p>Dies ist eine Seite mit genügend deutschen Wörtern, um von allen anderen Sprachen der " +
      "Welt sicher unterschieden zu werden.";
    await shard(dir, "a.warc.gz", URLS.slice(0, 3), german);
    await shard(
      dir,
      "b.warc.gz",
      URLS.slice(3, 6),
      "<p>This is a page with enough English words in it to " +
        "be told from all of the other languages of the world.",
    );
    const chosen = await ccrawl(words(dir, "--lang", "deu", "--dedup-digest"));
    assert.equal(chosen.code, 0, chosen.err);
    assert.deepEqual(chosen.records.map(({ url }) => url), [URLS[0]]);
    await shard(dir, "c.warc.gz", URLS.slice(10, 20));
    const some = await ccrawl(words(dir, "-n", "4", "--all"));
    assert.deepEqual([some.code, some.records.length], [0, 4]);
    assert.equal((await ledger(dir)).c!.done, "false");
    const other = await ccrawl(words(dir, "--lang", "deu"));
    assert.equal(other.code, 2);
    assert.match(
      other.err,
      /Cannot go on with c: it was begun with --all, and is now .* with --lang deu/,
    );
    const rest = await ccrawl(words(dir, "--all", "--no-robots", "--delay", "0"));
    assert.equal(rest.code, 0);
    assert.equal(rest.records.length, 6);
    assert.match(rest.err, /--no-robots: pages that sites have closed/);
    assert.match(rest.err, /--delay 0: requests to a host follow each other/);
    assert.equal(byUrl(await readRows(join(dir, "out"))).size, 11);
  });
});

Deno.test("markdown refetch goes on after kills: no page is lost, none is in two rows", async () => {
  await inFolder(async (dir) => {
    await shard(dir, "a.warc.gz", URLS.slice(0, 90));
    await shard(dir, "b.warc.gz", URLS.slice(90, 180));
    const args = words(dir, "--seal-after", "300ms", "-j", "4", "--no-robots");
    for (const count of [20, 60]) {
      const run = new Ccrawl(args);
      await run.until(() => run.count >= count);
      run.kill("SIGKILL");
      await run.ended;
    }
    await new Ccrawl(args).succeeds();
    const rows = byUrl(await readRows(join(dir, "out"), ["url", "status"]));
    assert.deepEqual([...rows.keys()].sort(), URLS.slice(0, 180).sort());
    const { a, b } = await ledger(dir);
    assert.deepEqual([a!.rows, b!.rows, a!.done, b!.done], ["90", "90", "true", "true"]);
    await verifyClean(join(dir, "out"));
  });
});

Deno.test("markdown refetch says what it cannot do", async () => {
  await inFolder(async (dir) => {
    await shard(dir, "a.warc.gz", []);
    assert.equal((await ccrawl(words(dir))).code, 3);
    await Deno.mkdir(join(dir, "x"));
    await shard(join(dir, "x"), "a.warc.gz", []);
    const twice = await ccrawl(words(dir, join(dir, "x", "a.warc.gz")));
    assert.equal(twice.code, 2);
    assert.match(twice.err, /another of the files has the same name/);
    assert.equal((await ccrawl(words(dir, "-"))).code, 2);
    assert.equal((await ccrawl(words(dir, join(dir, "gone.warc.gz")))).code, 1);
    await shard(dir, "b.warc.gz", URLS.slice(0, 2));
    assert.equal((await ccrawl(words(dir, "--min-free", "999TB"))).code, 75);
  });
});
