import assert from "node:assert/strict";
import { join } from "node:path";
import type { NewCaptureRow } from "../../lib/capture/codec.ts";
import { RowBatch } from "../../lib/capture/codec.ts";
import { readPartInfo } from "../../lib/capture/reader.ts";
import { CaptureWriter, type WrittenCaptures } from "../../lib/capture/writer.ts";
import { assertReadsBack, failure, inFolder, page, random, sql } from "./_rows.ts";

const createdBy = "ccrawl version 1.2.3 (build abc)";

function write(
  path: string,
  rows: readonly NewCaptureRow[],
  options: { groupBytes?: number; run?: string } = {},
): WrittenCaptures {
  const writer = new CaptureWriter(path, { createdBy, ...options });
  for (const row of rows) writer.add(row);
  return writer.finish();
}

Deno.test("CaptureWriter writes what DuckDB and hyparquet read back, value by value", async () => {
  await inFolder(async (dir) => {
    const path = join(dir, "a.parquet");
    const rows = Array.from({ length: 1500 }, (_, i) => i % 4 === 3 ? failure(i) : page(i));
    const written = write(path, rows, { run: "run-1" });
    await assertReadsBack(path, rows);
    assert.deepEqual(written.ranges, [{ part: 0, first: 0, last: 1499 }]);
    const info = await readPartInfo(path);
    assert.deepEqual(
      [info.rows, info.run, info.createdBy, info.bytes],
      [1500, "run-1", createdBy, (await Deno.stat(path)).size],
    );
    assert.deepEqual(info.ranges, written.ranges);
    const types = await sql(`DESCRIBE SELECT * FROM '${path}'`);
    const type = (name: string) =>
      types.find(({ column_name }) => column_name === name)?.column_type;
    assert.deepEqual(
      ["simhash", "body", "status", "unchanged", "language_confidence", "url", "fetched_at"].map(
        type,
      ),
      ["UBIGINT", "BLOB", "INTEGER", "BOOLEAN", "DOUBLE", "VARCHAR", "BIGINT"],
    );
    const schema = await sql(
      `SELECT DISTINCT repetition_type AS r FROM parquet_schema('${path}') WHERE num_children IS NULL`,
    );
    assert.deepEqual(schema, [{ r: "REQUIRED" }]);
  });
});

Deno.test("CaptureWriter writes no rows, and one", async () => {
  await inFolder(async (dir) => {
    write(join(dir, "none.parquet"), []);
    assert.deepEqual(await sql(`SELECT count(*) AS n FROM '${dir}/none.parquet'`), [{ n: 0n }]);
    write(join(dir, "one.parquet"), [page(1)]);
    await assertReadsBack(join(dir, "one.parquet"), [page(1)]);
  });
});

Deno.test("CaptureWriter keeps empty values, extremes and any text", async () => {
  await inFolder(async (dir) => {
    const texts = [
      "",
      "\0",
      "a\0b",
      "\ud800",
      "x\udc00\ud800y",
      "\ufeffBOM",
      "𝒳👩‍👩‍👧‍👦",
      "\u2028\r\n\t\"\\'",
      "\ufffe\uffff",
      "é".repeat(70_000),
    ];
    const rows = texts.map((text, i) =>
      page(i, {
        url: text,
        host: text,
        content_type: text,
        title: text,
        text,
        markdown: text,
        extractor: text,
        status: [0, -1, 2 ** 31 - 1, -(2 ** 31)][i % 4]!,
        fetched_at: [0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, -1][i % 4]!,
        simhash: [0n, 2n ** 64n - 1n, 2n ** 63n, 2n ** 63n - 1n][i % 4]!,
        language_confidence: [0, 1, 5e-324, 0.1][i % 4]!,
        unchanged: i % 3 === 0,
        body: new Uint8Array(i % 2 === 0 ? 0 : 3),
      })
    );
    write(join(dir, "a.parquet"), rows);
    await assertReadsBack(join(dir, "a.parquet"), rows);
    // both readers leave a byte order mark out of the strings they make
    const bom = await sql(`SELECT count(*) AS n FROM '${dir}/a.parquet'
      WHERE encode(title) = '\\xEF\\xBB\\xBFBOM'::BLOB`);
    assert.deepEqual(bom, [{ n: 1n }]);
  });
});

Deno.test("CaptureWriter takes bodies of 10 MB beside ones of a few bytes", async () => {
  await inFolder(async (dir) => {
    const next = random(7);
    const large = Uint8Array.from({ length: 10 << 20 }, () => next() * 256);
    const rows = [
      page(0),
      page(1, { body: large }),
      page(2, { body: new Uint8Array(1 << 20), markdown: "# long\n".repeat(400_000) }),
      page(3, { body: new Uint8Array((1 << 20) - 4).fill(7) }),
      page(4),
    ];
    const path = join(dir, "a.parquet");
    write(path, rows);
    await assertReadsBack(path, rows);
  });
});

Deno.test("CaptureWriter ends a row group before it would pass its size", async () => {
  await inFolder(async (dir) => {
    const path = join(dir, "a.parquet");
    const body = new Uint8Array(300_000).map((_, i) => i * i >> 3);
    const rows = Array.from({ length: 40 }, (_, i) => page(i, { body }));
    write(path, rows, { groupBytes: 4 << 20 });
    await assertReadsBack(path, rows);
    const groups = await sql(`SELECT row_group_id AS id, any_value(row_group_num_rows) AS rows,
      sum(total_uncompressed_size) AS bytes FROM parquet_metadata('${path}') GROUP BY id`);
    assert.equal(groups.length, 4);
    for (const { bytes } of groups) assert.ok(Number(bytes) <= 4 << 20, String(bytes));
  });
});

Deno.test("CaptureWriter gives each distinct value its own place, in a dictionary or without", async () => {
  await inFolder(async (dir) => {
    const next = random(3);
    const rows = Array.from({ length: 5_000 }, (_, i) =>
      failure(i, {
        host: `host${Math.floor(next() * 300)}.example`, // pays with a dictionary
        ip_address: `2001:db8::${i.toString(16)}`, // does not
        language: "x".repeat(Math.floor(next() * 3)),
      }));
    const path = join(dir, "a.parquet");
    write(path, rows);
    await assertReadsBack(path, rows);
    const encodings = await sql(`SELECT path_in_schema AS c, encodings AS e
      FROM parquet_metadata('${path}') WHERE c IN ('host', 'ip_address')`);
    assert.deepEqual(encodings, [
      { c: "host", e: "PLAIN, RLE_DICTIONARY" },
      { c: "ip_address", e: "PLAIN" },
    ]);
    // statistics are true, so that a filter finds what is there
    const found = await sql(`SELECT count(*) AS n FROM '${path}' WHERE host = '${rows[77]!.host}'`);
    const wanted = rows.filter(({ host }) => host === rows[77]!.host).length;
    assert.deepEqual(found, [{ n: BigInt(wanted) }]);
  });
});

Deno.test("CaptureWriter holds a bounded amount of memory whatever the rows are", async () => {
  await inFolder((dir) => {
    const next = random(11);
    const noise = Uint8Array.from({ length: 200_000 }, () => next() * 256);
    const writer = new CaptureWriter(join(dir, "a.parquet"), { createdBy });
    const batch = new RowBatch();
    let most = 0;
    for (let i = 0; i < 500; i++) {
      const at = Math.floor(next() * 100_000);
      batch.add(
        page(i, { body: noise.subarray(at, at + 100_000), markdown: "word ".repeat(8000) }),
      );
      writer.addPacked(batch.take());
      most = Math.max(most, writer.bufferedBytes);
    }
    const { payload } = writer.finish();
    assert.ok(payload > 64 << 20);
    assert.ok(most < 8 << 20, `${most} bytes`);
    return Promise.resolve();
  });
});

Deno.test("CaptureWriter refuses a file that is there already, and damaged batches", async () => {
  await inFolder((dir) => {
    const path = join(dir, "a.parquet");
    Deno.writeTextFileSync(path, "mine");
    assert.throws(() => new CaptureWriter(path, { createdBy }), {
      name: "CaptureWriteError",
      code: "EEXIST",
      file: path,
    });
    assert.equal(Deno.readTextFileSync(path), "mine");
    const writer = new CaptureWriter(join(dir, "b.parquet"), { createdBy });
    assert.throws(() => writer.addPacked(new Uint8Array(300)), RangeError);
    // a row that is there in half must never become part of a file
    assert.throws(() => writer.finish(), /writing it has failed before/);
    writer.abandon();
    assert.deepEqual([...Deno.readDirSync(dir)].map(({ name }) => name), ["a.parquet"]);
    return Promise.resolve();
  });
});
