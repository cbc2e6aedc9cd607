import assert from "node:assert/strict";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { NewCaptureRow } from "../../lib/capture/codec.ts";
import { findOverlaps, type Span } from "../../lib/capture/_overlaps.ts";
import { bodyDigest } from "../../lib/capture/digest.ts";
import { type RowRange, RowSet } from "../../lib/capture/ranges.ts";
import { captureRow } from "../../lib/capture/row.ts";
import { STORE_BODY_KEY } from "../../lib/capture/schema.ts";
import type { CaptureFault } from "../../lib/capture/faults.ts";
import { verifyCaptures } from "../../lib/capture/verify.ts";
import { CaptureWriter, type CaptureWriterOptions } from "../../lib/capture/writer.ts";
import { failure, inFolder, page, random, sql } from "./_rows.ts";

function write(
  path: string,
  rows: readonly NewCaptureRow[],
  options: Partial<CaptureWriterOptions> = {},
): void {
  const writer = new CaptureWriter(path, { createdBy: "test", ...options });
  for (const row of rows) writer.add(row);
  writer.finish();
}

async function faults(path: string, ...rest: string[]): Promise<CaptureFault[]> {
  const out: CaptureFault[] = [];
  const decode = (body: Uint8Array, coding: string) => {
    if (coding !== "gzip") return undefined;
    try {
      return new Uint8Array(gunzipSync(body));
    } catch {
      return undefined;
    }
  };
  for await (const fault of verifyCaptures([path, ...rest], { decode })) out.push(fault);
  return out;
}

const said = (found: readonly CaptureFault[]) =>
  found.map(({ code, message }) => `${code}: ${message}`);

function coded(i: number, body: Uint8Array, coding: string, digest: string): NewCaptureRow {
  return captureRow({
    url: `https://a.example/${i}`,
    fetchedAt: 1,
    durationMs: 1,
    ttfbMs: 1,
    status: 200,
    headers: coding === "" ? [] : [["Content-Encoding", coding]],
    body,
    digest,
    position: { part: 0, row: i },
  });
}

Deno.test("verifyCaptures() finds nothing wrong with what is written", async () => {
  await inFolder(async (dir) => {
    const text = new TextEncoder().encode("some text");
    const cut = gzipSync(text).subarray(0, 15);
    const rows = [
      page(0),
      failure(1),
      coded(2, gzipSync(text), "gzip", bodyDigest(text)),
      coded(3, cut, "gzip", bodyDigest(cut)), // does not decode: the digest is of the raw body
      coded(4, new Uint8Array(0), "gzip", bodyDigest(new Uint8Array(0))),
      page(5, {
        status: 304,
        unchanged: true,
        body: new Uint8Array(0),
        digest: "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYK",
      }),
    ];
    write(join(dir, "a.parquet"), rows, { run: "r" });
    write(join(dir, "b.parquet"), [page(6)], { run: "r" });
    write(join(dir, "other-run.parquet"), [page(6)], { run: "s" });
    write(
      join(dir, "none.parquet"),
      [page(7, { body: new Uint8Array(0) })],
      { run: "r", metadata: { [STORE_BODY_KEY]: "none" } },
    );
    write(
      join(dir, "decoded.parquet"),
      [coded(8, text, "gzip", bodyDigest(text))],
      { run: "r", metadata: { [STORE_BODY_KEY]: "decoded" } },
    );
    assert.deepEqual(await faults(dir), []);
  });
});

Deno.test("verifyCaptures() tells each fault of a row, with the offset of its page", async () => {
  await inFolder(async (dir) => {
    const path = join(dir, "a.parquet");
    const latin1 = new Uint8Array([0x63, 0x61, 0x66, 0xe9]);
    write(path, [
      page(0, { digest: "WRONG" }),
      page(1, { title: latin1 }),
      page(2, { meta_json: "[]" }),
      page(3, { resp_headers: "{" }),
      failure(4, { status: 200 }),
      failure(5, { error: "nonsense" as "dns" }),
      page(6, { unchanged: true }),
      coded(7, gzipSync("a"), "gzip", bodyDigest(gzipSync("a"))),
    ]);
    const found = await faults(path);
    const is = (i: number) => bodyDigest(page(i).body);
    assert.deepEqual(said(found), [
      `digest: row 0: digest is WRONG, the body's is ${is(0)}`,
      "utf8: row 1: title is not UTF-8",
      "json: row 2: meta_json is no JSON object",
      "json: row 3: resp_headers is no JSON object",
      `row: row 4: status is 200 and error is "other"`,
      `row: row 5: error is "nonsense"`,
      `row: row 6: it is unchanged, with status 200 and ${page(6).body.length} bytes`,
      `digest: row 7: digest is ${bodyDigest(gzipSync("a"))}, the body's is ${
        bodyDigest(new TextEncoder().encode("a"))
      }`,
    ]);
    const { size } = await Deno.stat(path);
    for (const { offset, file } of found) {
      assert.equal(file, path);
      assert.ok(offset >= 4 && offset < size);
    }
    assert.equal(new Set(found.map(({ offset }) => offset)).size, 7);
  });
});

Deno.test("verifyCaptures() tells wrong lengths, other schemas, and files of other kinds", async () => {
  await inFolder(async (dir) => {
    const good = join(dir, "good.parquet"), path = join(dir, "a.parquet");
    write(good, [page(0), page(1)]);
    await sql(`COPY (SELECT * REPLACE (body_length + 1 AS body_length, 0 AS text_length)
      FROM '${good}') TO '${path}' (FORMAT parquet)`);
    const found = said(await faults(path));
    assert.match(found[0]!, /^schema: column url is OPTIONAL BYTE_ARRAY UTF8, not a string/);
    assert.deepEqual(found.filter((one) => one.startsWith("length")), [
      `length: row 0: body_length is ${page(0).body.length + 1}, body has ${
        page(0).body.length
      } bytes`,
      `length: row 1: body_length is ${page(1).body.length + 1}, body has ${
        page(1).body.length
      } bytes`,
      "length: row 1: text_length is 0, text has 15 bytes",
    ]);
    await sql(`COPY (SELECT * EXCLUDE (host) FROM '${good}') TO '${path}' (FORMAT parquet)`);
    assert.equal(said(await faults(path))[1], "schema: column 2 is status, not host");
    await Deno.writeTextFile(path, "this is no Parquet file at all");
    // the file that is damaged does not keep the next from being checked
    const both = await faults(path, good);
    assert.deepEqual(both.map(({ code }) => code), ["damaged"]);
    assert.match(both[0]!.message, /does not end as a Parquet file/);
  });
});

Deno.test("verifyCaptures() goes on behind a damaged page with the next row group", async () => {
  await inFolder(async (dir) => {
    const path = join(dir, "a.parquet");
    const body = () => crypto.getRandomValues(new Uint8Array(40_000));
    const rows = Array.from({ length: 60 }, (_, i) => {
      const bytes = body();
      return page(i, { body: bytes, digest: i === 59 ? "WRONG" : bodyDigest(bytes) });
    });
    write(path, rows, { groupBytes: 1 << 20 });
    const whole = await Deno.readFile(path);
    whole[2000]! ^= 0xff; // in the first body page
    await Deno.writeFile(path, whole);
    const found = await faults(path);
    assert.deepEqual(found.map(({ code }) => code), ["damaged", "digest"]);
    assert.equal(found[0]!.offset, 4);
    assert.match(found[1]!.message, /^row 59:/);
  });
});

Deno.test("verifyCaptures() tells so many faults of a kind, and how many more there are", async () => {
  await inFolder(async (dir) => {
    write(join(dir, "a.parquet"), Array.from({ length: 30 }, (_, i) => page(i, { digest: "W" })));
    const found: CaptureFault[] = [];
    for await (const fault of verifyCaptures([dir], { maxFaults: 3 })) found.push(fault);
    assert.deepEqual(found.map(({ code }) => code), ["digest", "digest", "digest", "digest"]);
    assert.equal(found[3]!.message, "27 more of this kind");
  });
});

Deno.test("verifyCaptures() tells rows that two parts of a run hold, and ranges that are no count", async () => {
  await inFolder(async (dir) => {
    const a = join(dir, "a.parquet"), b = join(dir, "b.parquet");
    write(a, [page(0), page(1), page(2), page(9)], { run: "r" });
    write(b, [page(2), page(3), page(9), page(10)], { run: "r" });
    write(join(dir, "c.parquet"), [page(20), page(20)], { run: "r" });
    const found = await faults(dir);
    assert.deepEqual(said(found), [
      "ranges: it has 2 rows, and says it holds 1 of the work list",
      `ranges: rows 2 to 2 of part 0 of the work list are in ${a} too`,
      `ranges: rows 9 to 9 of part 0 of the work list are in ${a} too`,
    ]);
    assert.deepEqual(found.slice(1).map(({ file }) => file), [b, b]);
  });
});

Deno.test("findOverlaps() finds what comparing every pair finds", async () => {
  const next = random(9);
  for (let round = 0; round < 40; round++) {
    const files = new Map<string, RowRange[]>();
    const spans: Span[] = [];
    const holders = new Map<string, number>();
    for (let f = 0; f < 6; f++) {
      const set = new RowSet();
      for (let i = 0; i < 12; i++) set.add(Math.floor(next() * 2), Math.floor(next() * 200));
      const ranges = set.ranges();
      files.set(`f${f}`, ranges);
      for (const part of [0, 1]) {
        const mine = ranges.filter((range) => range.part === part);
        if (mine.length === 0) continue;
        spans.push({ file: `f${f}`, part, first: mine[0]!.first, last: mine.at(-1)!.last });
      }
      for (const { part, first, last } of ranges) {
        for (let row = first; row <= last; row++) {
          holders.set(`${part}:${row}`, (holders.get(`${part}:${row}`) ?? 0) + 1);
        }
      }
    }
    const found = new Map<string, number>();
    const ranges = (file: string, part: number) =>
      Promise.resolve(files.get(file)!.filter((range) => range.part === part));
    for await (const { file, other, part, first, last } of findOverlaps(spans, ranges)) {
      assert.notEqual(file, other);
      for (let row = first; row <= last; row++) {
        found.set(`${part}:${row}`, (found.get(`${part}:${row}`) ?? 1) + 1);
      }
    }
    const wanted = [...holders].filter(([, count]) => count > 1);
    assert.deepEqual([...found].sort(), wanted.sort());
  }
});
