import assert from "node:assert/strict";
import { join } from "node:path";
import type { NewCaptureRow } from "../../lib/capture/codec.ts";
import { CaptureFormatError } from "../../lib/capture/errors.ts";
import { readCaptures, readPartInfo } from "../../lib/capture/reader.ts";
import { CAPTURE_COLUMNS } from "../../lib/capture/schema.ts";
import { type CaptureSource, openSource } from "../../lib/capture/source.ts";
import { CaptureWriter } from "../../lib/capture/writer.ts";
import { expected, failure, inFolder, page, random, sql } from "./_rows.ts";

function write(path: string, rows: readonly NewCaptureRow[], groupBytes = 64 << 20): void {
  const writer = new CaptureWriter(path, { createdBy: "test", groupBytes });
  for (const row of rows) writer.add(row);
  writer.finish();
}

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const out: T[] = [];
  for await (const row of rows) out.push(row);
  return out;
}

Deno.test("readCaptures() gives every row of a folder's files as it was written", async () => {
  await inFolder(async (dir) => {
    const rows = Array.from({ length: 600 }, (_, i) => i % 5 === 0 ? failure(i) : page(i));
    rows[7] = page(7, {
      title: "\ufeffBOM",
      simhash: 2n ** 64n - 1n,
      body: new Uint8Array(3 << 20),
    });
    write(join(dir, "b.parquet"), rows.slice(300), 1 << 17);
    write(join(dir, "a.parquet"), rows.slice(0, 300));
    await Deno.writeTextFile(join(dir, "c.parquet.open"), "a part being written");
    const read = await all(readCaptures(dir));
    assert.equal(read.length, 600);
    for (const [i, row] of read.entries()) {
      assert.deepEqual(row, expected(rows[i]!));
      assert.deepEqual(Object.keys(row), CAPTURE_COLUMNS.map(({ name }) => name));
    }
  });
});

Deno.test("readCaptures() reads the columns asked for, of the rows asked for, and nothing else", async () => {
  await inFolder(async (dir) => {
    const path = join(dir, "a.parquet");
    const body = () => crypto.getRandomValues(new Uint8Array(50_000));
    const rows = Array.from({ length: 400 }, (_, i) => page(i, { body: body() }));
    write(path, rows);
    const file = await openSource(path);
    let bytes = 0;
    const counted: CaptureSource = {
      ...file,
      async slice(start, end) {
        const piece = await file.slice(start, end);
        bytes += piece.byteLength;
        return piece;
      },
    };
    const titles = await all(
      readCaptures(counted, { columns: ["title", "status"], where: { status: 404 } }),
    );
    assert.deepEqual(
      titles,
      rows.filter(({ status }) => status === 404)
        .map(({ title, status }) => ({ title, status })),
    );
    assert.ok(bytes < 700_000, `${bytes} of ${file.byteLength} bytes`);
    // one row's body costs the pages it lies in, not the others'
    bytes = 0;
    const one = await all(
      readCaptures(counted, { where: { url: (url) => url.includes("/200?") } }),
    );
    assert.deepEqual(one, [expected(rows[200]!)]);
    assert.ok(bytes < 3_000_000, `${bytes} of ${file.byteLength} bytes`);
    await file.close!();
  });
});

Deno.test("readCaptures() holds a page of each column, not a row group", async () => {
  await inFolder(async (dir) => {
    const path = join(dir, "a.parquet");
    write(path, Array.from({ length: 900 }, (_, i) => page(i, { body: new Uint8Array(60_000) })));
    const file = await openSource(path);
    let reads = 0;
    const source: CaptureSource = {
      ...file,
      slice: (start, end) => (reads++, file.slice(start, end)),
    };
    let rows = 0;
    for await (const row of readCaptures(source, { columns: ["body"] })) {
      rows++;
      // 17 bodies fill a page of a mebibyte: reads go on as rows do
      assert.ok(reads < 12 + rows / 4, `${reads} reads for ${rows} rows`);
      assert.equal(row.body!.buffer.byteLength, 60_000);
    }
    assert.equal(rows, 900);
    assert.ok(reads > 50, String(reads));
    await file.close!();
  });
});

Deno.test("readCaptures() reads files of other writers, and leaves out columns they lack", async () => {
  await inFolder(async (dir) => {
    const path = join(dir, "a.parquet");
    for (const codec of ["snappy", "zstd", "gzip", "uncompressed", "brotli"]) {
      await sql(`COPY (SELECT 'https://a/' || i AS url, 200 AS status, i::BIGINT AS fetched_at,
        encode('é') AS body, (i * 7)::UBIGINT AS simhash, i % 2 = 0 AS unchanged, 'x' AS other
        FROM range(5000) t(i)) TO '${path}' (FORMAT parquet, CODEC '${codec}')`);
      const rows = await all(readCaptures(path));
      assert.equal(rows.length, 5000);
      assert.deepEqual(rows[4321], {
        url: "https://a/4321",
        status: 200,
        fetched_at: 4321,
        unchanged: false,
        body: new Uint8Array([0xc3, 0xa9]),
        simhash: 30247n,
      }, codec);
      assert.deepEqual(await all(readCaptures(path, { where: { title: "" } })), []);
    }
  });
});

Deno.test("readCaptures() lets go of the file when its loop is left", async () => {
  await inFolder(async (dir) => {
    write(join(dir, "a.parquet"), [page(0), page(1)]);
    for await (const row of readCaptures(dir, { columns: ["url"] })) {
      assert.equal(row.url, page(0).url);
      break; // the test's resource check sees a file left open
    }
  });
});

Deno.test("readPartInfo() and readCaptures() name what is wrong with a file", async () => {
  await inFolder(async (dir) => {
    const path = join(dir, "a.parquet");
    const rows = Array.from({ length: 50 }, (_, i) => page(i));
    write(path, rows);
    const whole = await Deno.readFile(path);
    const info = await readPartInfo(path);
    assert.deepEqual(info.ranges, [{ part: 0, first: 0, last: 49 }]);
    assert.equal(info.columns.length, 32);
    for (const length of [0, 5, 100, whole.length - 1]) {
      await Deno.writeFile(path, whole.subarray(0, length));
      await assert.rejects(readPartInfo(path), (error: Error) => {
        assert.ok(error instanceof CaptureFormatError);
        assert.equal(error.file, path);
        return /^Cannot read .*a.parquet at \d+: /.test(error.message);
      });
    }
    // any single wrong byte is an error of ours or is not noticed, and never anything else
    const next = random(1);
    for (let i = 0; i < 120; i++) {
      const damaged = whole.slice();
      const at = Math.floor(next() * (i % 2 === 0 ? whole.length : 4000));
      damaged[i % 2 === 0 ? at : whole.length - 1 - at]! ^= 1 + Math.floor(next() * 255);
      await Deno.writeFile(path, damaged);
      try {
        await all(readCaptures(path));
        await readPartInfo(path);
      } catch (error) {
        assert.ok(error instanceof CaptureFormatError, String((error as Error).stack));
      }
    }
    for (const read of [readPartInfo, (path: string) => all(readCaptures(path))]) {
      const none = join(dir, "none.parquet");
      await assert.rejects(read(none), {
        name: "CaptureReadError",
        code: "ENOENT",
        file: none,
        message: `Cannot read ${none}: there is no such file or folder`,
      });
    }
  });
});
