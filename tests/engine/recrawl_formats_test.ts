import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { CaptureRow } from "../../lib/capture/schema.ts";
import { recrawl } from "../../lib/engine/recrawl.ts";
import { readCheckpoint } from "../../lib/worklist/checkpoint.ts";
import { startWeb } from "../web/mod.ts";
import { withFolder } from "./_crawl.ts";
import { byUrl, collect, metaOf, readRows, rowsOfRun, toward, verifyClean } from "./_recrawl.ts";
import { latin1 } from "./_warc.ts";

const web = await startWeb({ hosts: 10, pages: 120, pageBytes: 2500 });
globalThis.addEventListener("unload", () => web[Symbol.asyncDispose]());
const URLS = [...web.expectedUrls()];
const numbers = (n: number) => Array.from({ length: n }, (_, i) => i);

function files(dir: string, ending: string): string[] {
  return readdirSync(`${dir}/out`).filter((name) => name.endsWith(ending)).sort();
}

/** The record that a row points at, as text. */
async function recordOf(dir: string, row: CaptureRow): Promise<string> {
  const bytes = await Deno.readFile(`${dir}/out/${row.warc_file}`);
  const member = bytes.subarray(row.warc_offset, row.warc_offset + row.warc_length);
  return gunzipSync(member).toString("latin1");
}

Deno.test("--format both: warc_file, offset and length of every row fetch its record", () =>
  withFolder(async (dir) => {
    const target = web.url("to.good.test", "/one");
    const moved = web.url("from.good.test", `/redirect-to?url=${encodeURIComponent(target)}`);
    const coded = web.url("a.gzip.test", "/p/1");
    const chunked = web.url("a.chunked.test", "/p/1");
    const empty = web.url("a.good.test", "/empty");
    const failed = "http://gone.nx.test/";
    const rows = await rowsOfRun(web, dir, {
      from: [...URLS, moved, coded, chunked, empty, failed],
      format: "both",
      extractor: "main",
      robots: true,
      delayMs: 0,
      state: `${dir}/state.json`,
      warcSize: 100_000,
      dedup: false,
    });
    assert.equal(rows.size, URLS.length + 5);
    assert.ok(files(dir, ".warc.gz").length > 1);
    for (const row of rows.values()) {
      if (row.url === failed) {
        assert.deepEqual([row.warc_file, row.warc_offset, row.warc_length], ["", 0, 0]);
        continue;
      }
      const record = await recordOf(dir, row);
      const [head, http] = record.split("\r\n\r\n");
      assert.match(head!, /^WARC\/1\.0\r\n.*WARC-Type: response/s);
      const url = row.final_url === "" ? row.url : row.final_url;
      assert.ok(head!.includes(`WARC-Target-URI: ${url}\r\n`), head!);
      assert.match(http!, new RegExp(`^HTTP/1\\.1 ${row.status} `));
      const digest = /WARC-Payload-Digest: (\S+)/.exec(head!)?.[1];
      assert.equal(metaOf(row).payload_digest ?? undefined, digest, row.url);
      const body = record.slice(record.indexOf("\r\n\r\n", head!.length + 4) + 4, -4);
      assert.equal(body, latin1(row.body), row.url);
    }
    assert.equal(rows.get(moved)!.final_url, target);
    assert.notEqual(metaOf(rows.get(coded)!).payload_digest, `sha1:${rows.get(coded)!.digest}`);
    await verifyClean(`${dir}/out`, `${dir}/state.json`);
  }));

Deno.test("--format warc: a record a page, none for a failure, and a checkpoint as ever", () =>
  withFolder(async (dir) => {
    await web.reset();
    const dead = numbers(20).map((i) => `http://d${i}.nx.test/`);
    const options = {
      from: [...URLS, ...dead],
      format: "warc" as const,
      delayMs: 0,
      writers: 2,
      state: `${dir}/state.json`,
    };
    const first = await collect(web, dir, { ...options, limit: 50 });
    const second = await collect(web, dir, options);
    const records = byUrl([...first.records, ...second.records]);
    assert.equal(records.size, URLS.length + dead.length);
    assert.equal([...records.values()].filter(({ error }) => error === "dns").length, 20);
    for (const record of records.values()) {
      if (record.status === 0) continue;
      assert.ok(files(dir, ".warc.gz").includes(record.warc_file), record.warc_file);
      assert.equal(record.digest.length, 32);
    }
    assert.deepEqual(files(dir, ".parquet"), []);
    const { done, rows, fetched, pending } = readCheckpoint(`${dir}/state.json`)!;
    assert.deepEqual([done, rows, fetched, pending], [true, records.size, URLS.length, []]);
    assert.equal((await web.coverage()).repeated, 0);
    const { fetched: answered, failures, warcFiles } = second.run.figures;
    assert.equal(answered + first.run.figures.fetched, URLS.length);
    assert.equal(failures.dns + first.run.figures.failures.dns, 20);
    assert.ok(warcFiles! >= 1);
    await verifyClean(`${dir}/out`, `${dir}/state.json`);
  }));

Deno.test("--obey-robots-meta keeps no copy of pages that ask for it", () =>
  withFolder(async (dir) => {
    const url = (path: string) => web.url("m.good.test", path);
    const asking = ["/meta/noarchive", "/meta/NOINDEX, noarchive", "/x-robots/noarchive"].map(url);
    const ours = url("/x-robots/ccrawl: noarchive");
    const others = ["/meta/noindex", "/x-robots/otherbot: noarchive", "/one"].map(url);
    const from = [...asking, ours, ...others];
    for (const obeyRobotsMeta of [true, false]) {
      for (const [format, extractor] of [["parquet", "none"], ["both", "main"]] as const) {
        const options = { from, format, extractor, obeyRobotsMeta, delayMs: 0 };
        const rows = await rowsOfRun(web, dir, options);
        for (const url of from) {
          const row = rows.get(url)!;
          const kept = !obeyRobotsMeta || others.includes(url);
          const detail = `${url} ${format} ${row.meta_json}`;
          assert.equal(row.body_length > 0, kept, detail);
          assert.equal(row.extractor !== "", kept && extractor === "main", detail);
          assert.equal(row.warc_file !== "", kept && format === "both", detail);
          assert.equal(metaOf(row).reason, kept ? undefined : "noarchive", detail);
          assert.equal(row.digest.length, 32);
        }
        if (extractor === "main") {
          assert.deepEqual(metaOf(rows.get(asking[1]!)!).robots_meta, ["noindex", "noarchive"]);
        }
        await Deno.remove(`${dir}/out`, { recursive: true });
      }
    }
  }));

Deno.test("rows come as they are with a file, and a slow reader pauses the run", () =>
  withFolder(async (dir) => {
    const run = recrawl(toward(web, dir, { from: URLS, delayMs: 0 }));
    const seen: string[] = [];
    for await (const { url } of run) {
      seen.push(url);
      if (seen.length % 40 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.deepEqual(seen.sort(), URLS.toSorted());
    const columns = Object.keys((await readRows(`${dir}/out`))[0]!);
    assert.ok(columns.includes("body"));
  }));
