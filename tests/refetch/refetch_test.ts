import assert from "node:assert/strict";
import { join } from "node:path";
import { main } from "../../lib/cli/app.ts";
import { listParts } from "../../lib/capture/part_sequence.ts";
import { testHost } from "../cli/_host.ts";
import { inFolder } from "../capture/_rows.ts";
import { byUrl, readRows, verifyClean } from "../engine/_recrawl.ts";
import { INFO, members, response } from "../parse/_archives.ts";
import { startWeb } from "../web/mod.ts";
import { readLedger, refetchArgs, writeShard } from "./_refetch.ts";

const web = await startWeb({ hosts: 12, pages: 240, pageBytes: 2000, domains: 12 });
globalThis.addEventListener("unload", () => web[Symbol.asyncDispose]());
const URLS = [...web.expectedUrls()];

async function ccrawl(args: readonly string[]) {
  const host = testHost();
  const code = await main(args, host);
  const records = host.out().split("\n").filter((line) => line !== "").map((l) => JSON.parse(l));
  return { code, records, err: host.err() };
}

Deno.test("markdown refetch writes each shard's pages, each once, with a ledger", async () => {
  await inFolder(async (dir) => {
    await web.reset();
    const robots = web.url("h1.robots-all.test", "/p/1");
    await writeShard(dir, "CC-MAIN-00000.warc.gz", [...URLS.slice(0, 40), URLS[0]!, robots]);
    await writeShard(dir, "CC-MAIN-00001.warc.gz", [...URLS.slice(30, 60)]);
    await Deno.writeFile(
      join(dir, "other.warc.gz"),
      members([
        INFO,
        response(URLS[99]!, "x", "image/png"),
        response(URLS[98]!, "x", "text/html", "", 404),
      ]),
    );
    const run = await ccrawl(refetchArgs(web, dir));
    assert.equal(run.code, 0, run.err);
    assert.equal(run.records.length, 61);
    // The summary is of all shards.
    assert.match(
      run.err,
      /^markdown refetch: 60 fetched, 0 failed, 1 disallowed, .*2 parquet files/m,
    );
    const rows = byUrl(await readRows(join(dir, "out")));
    assert.deepEqual([...rows.keys()].sort(), [...URLS.slice(0, 60), robots].sort());
    assert.equal(rows.get(robots)!.error, "skip");
    assert.notEqual(rows.get(URLS[0]!)!.markdown, "");
    const entries = await readLedger(dir);
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
    const again = await ccrawl(refetchArgs(web, dir));
    assert.deepEqual([again.code, again.records.length], [0, 0]);
    assert.match(again.err, /CC-MAIN-00000 is done already/);
    assert.equal((await web.coverage()).fetched, before);
    await writeShard(dir, "more.warc.gz", URLS.slice(60, 64));
    assert.equal((await ccrawl(refetchArgs(web, dir))).records.length, 4, "a new shard is done");
  });
});

Deno.test("markdown refetch chooses by language and digest, and keeps to what was begun", async () => {
  await inFolder(async (dir) => {
    const german =
      "<p>Dies ist eine Seite mit genügend deutschen Wörtern, um von allen anderen Sprachen " +
      "der Welt sicher unterschieden zu werden.";
    const english =
      "<p>This is a page with enough English words in it to be told from all of the other " +
      "languages of the world.";
    await Deno.writeFile(
      join(dir, "a.warc.gz"),
      members([
        INFO,
        response(URLS[3]!, english),
        ...URLS.slice(0, 3).map((url) => response(url, german)),
      ]),
    );
    const chosen = await ccrawl(refetchArgs(web, dir, "--lang", "deu", "--dedup-digest"));
    assert.equal(chosen.code, 0, chosen.err);
    assert.deepEqual(chosen.records.map(({ url }) => url), [URLS[0]]);
    await writeShard(dir, "c.warc.gz", URLS.slice(10, 20));
    const some = await ccrawl(refetchArgs(web, dir, "-n", "4", "--all"));
    assert.deepEqual([some.code, some.records.length], [0, 4]);
    assert.equal((await readLedger(dir)).c!.done, "false");
    const other = await ccrawl(refetchArgs(web, dir, "--lang", "deu"));
    assert.equal(other.code, 2);
    assert.match(
      other.err,
      /Cannot go on with c: it was begun with --all, and is now .* with --lang deu/,
    );
    const rest = await ccrawl(refetchArgs(web, dir, "--all", "--no-robots", "--delay", "0"));
    assert.equal(rest.code, 0);
    assert.equal(rest.records.length, 6);
    assert.match(rest.err, /--no-robots: pages that sites have closed/);
    assert.match(rest.err, /--delay 0: requests to a host follow each other/);
    assert.equal(byUrl(await readRows(join(dir, "out"))).size, 11);
  });
});

Deno.test("markdown refetch says what it cannot do", async () => {
  await inFolder(async (dir) => {
    await writeShard(dir, "a.warc.gz", []);
    assert.equal((await ccrawl(refetchArgs(web, dir))).code, 3);
    await Deno.mkdir(join(dir, "x"));
    await writeShard(join(dir, "x"), "a.warc.gz", []);
    const twice = await ccrawl(refetchArgs(web, dir, join(dir, "x", "a.warc.gz")));
    assert.equal(twice.code, 2);
    assert.match(twice.err, /another of the files has the same name/);
    assert.equal((await ccrawl(refetchArgs(web, dir, "-"))).code, 2);
    assert.equal((await ccrawl(refetchArgs(web, dir, join(dir, "gone.warc.gz")))).code, 1);
    await writeShard(dir, "b.warc.gz", URLS.slice(0, 2));
    assert.equal((await ccrawl(refetchArgs(web, dir, "--min-free", "999TB"))).code, 75);
  });
});

Deno.test("markdown refetch tells of damaged files, and tries those again that it could not read", async () => {
  await inFolder(async (dir) => {
    await web.reset();
    await Deno.writeTextFile(join(dir, "a.warc.gz"), "");
    await Deno.writeTextFile(join(dir, "b.warc"), "nothing of an archive");
    const whole = members([INFO, ...URLS.slice(0, 3).map((url) => response(url, "<p>x"))]);
    await Deno.writeFile(join(dir, "c.warc.gz"), whole.subarray(0, -20));
    const run = await ccrawl(refetchArgs(web, dir));
    assert.equal(run.code, 1);
    assert.match(run.err, /a\.warc\.gz, byte 0: the file is empty/);
    assert.match(run.err, /b\.warc, byte 0: no record begins here/);
    assert.equal(run.records.length, 2, "what can be read is fetched");
    const done = Object.values(await readLedger(dir)).map(({ shard, done }) => `${shard} ${done}`);
    assert.deepEqual(done, ["a false", "b false", "c true"]);
    await writeShard(dir, "a.warc.gz", URLS.slice(10, 12));
    await writeShard(dir, "b.warc", []);
    const again = await ccrawl(refetchArgs(web, dir));
    assert.deepEqual([again.code, again.records.length], [0, 2]);
    assert.equal((await readLedger(dir)).a!.done, "true");
  });
});
