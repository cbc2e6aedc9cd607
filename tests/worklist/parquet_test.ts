import assert from "node:assert/strict";
import { join } from "node:path";
import { setImmediate } from "node:timers";
import fc from "fast-check";
import { PartFormatError } from "../../lib/worklist/errors.ts";
import type { Wanted } from "../../lib/worklist/_part.ts";
import { parquetPart } from "../../lib/worklist/_parquet.ts";
import { type ByteSource, openFile } from "../../lib/worklist/_source.ts";
import { bigUrl, writeBigList } from "./_big_list.ts";
import { type ListShape, sortedUrls, writeList } from "./_lists.ts";

const dir = await Deno.makeTempDir({ prefix: "ccrawl-parquet-" });
globalThis.addEventListener("unload", () => Deno.removeSync(dir, { recursive: true }));
const ALL: Wanted[] = [{ start: 0, end: 2 ** 33 }];

interface Reading {
  rows: [number, string | undefined][];
  reads: number;
  bytes: number;
}

async function read(path: string, wanted: Wanted[] = ALL, column?: string): Promise<Reading> {
  const stats = { rows: 0, bad: 0, bytes: 0, requests: 0, retries: 0 };
  const out: Reading = { rows: [], reads: 0, bytes: 0 };
  const open = async (): Promise<ByteSource> => {
    const source = await openFile(path, stats);
    return {
      ...source,
      read(offset, into) {
        out.reads++;
        out.bytes += into.length;
        return source.read(offset, into);
      },
    };
  };
  for await (const { row, values } of parquetPart("list", open, column).read(wanted)) {
    values.forEach((value, i) => out.rows.push([row + i, value ?? undefined]));
  }
  return out;
}

const numbered = (values: readonly (string | null)[]) =>
  values.map((value, i): [number, string | undefined] => [i, value ?? undefined]);

const SHAPES: ListShape[] = [
  {},
  { encoding: "PLAIN", codec: "UNCOMPRESSED" },
  { encoding: "PLAIN", codec: "SNAPPY", offsetIndex: false },
  { encoding: "DELTA_BYTE_ARRAY", codec: "GZIP" },
  { encoding: "RLE_DICTIONARY", codec: "ZSTD" },
  { encoding: "RLE_DICTIONARY", codec: "BROTLI", offsetIndex: false },
  { encoding: "DELTA_LENGTH_BYTE_ARRAY", codec: "UNCOMPRESSED", rowGroupSize: 700 },
  { nullable: true },
  { nullable: true, encoding: "RLE_DICTIONARY", rowGroupSize: 1000 },
  { beside: true, rowGroupSize: 900, offsetIndex: false },
];

Deno.test("a part is read in every encoding, compression and layout of a column of strings", async () => {
  const values: (string | null)[] = sortedUrls(3000);
  // Characters of one to four bytes, nothing, and what repeats.
  values[5] = "https://bücher.example/straße";
  values[6] = "";
  values[7] = "https://例え.example/\u{1f600}";
  for (let i = 100; i < 400; i++) values[i] = `https://same.example/${i % 3}`;
  for (const [n, shape] of SHAPES.entries()) {
    const path = join(dir, `shape-${n}.parquet`);
    const own = shape.nullable ? values.map((v, i) => i % 7 === 3 || i > 2900 ? null : v) : values;
    await writeList(path, own, { pageSize: 4096, ...shape });
    const name = JSON.stringify(shape);
    assert.deepEqual((await read(path)).rows, numbered(own), name);
    const wanted = [{ start: 0, end: 1 }, { start: 99, end: 130 }, { start: 131, end: 132 }, {
      start: 690,
      end: 1410,
    }, { start: 2990, end: 5000 }];
    const some = numbered(own).filter(([row]) => wanted.some((w) => row >= w.start && row < w.end));
    assert.deepEqual((await read(path, wanted)).rows, some, name);
  }
});

Deno.test("any ranges of rows are read from a part, whatever its pages are", async () => {
  const values = sortedUrls(2000, 11);
  const paths: string[] = [];
  for (
    const [n, shape] of [{ pageSize: 700 }, {
      pageSize: 1500,
      offsetIndex: false,
      rowGroupSize: 333,
    }, {
      encoding: "RLE_DICTIONARY" as const,
      pageSize: 100,
    }].entries()
  ) {
    paths.push(join(dir, `any-${n}.parquet`));
    await writeList(paths[n]!, values, shape);
  }
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.uniqueArray(fc.nat(2100), { maxLength: 12 }).map((cuts) => cuts.sort((a, b) => a - b)),
      async (path, cuts) => {
        const wanted: Wanted[] = [];
        for (let i = 0; i + 1 < cuts.length; i += 2) {
          wanted.push({ start: cuts[i]!, end: cuts[i + 1]! });
        }
        const expected = numbered(values).filter(([row]) =>
          wanted.some((w) => row >= w.start && row < w.end)
        );
        assert.deepEqual((await read(path, wanted)).rows, expected);
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("a list in one row group is entered deep at the cost of a few pages", async () => {
  const path = join(dir, "big.parquet");
  const rows = 300_000;
  const { pages, bytes } = writeBigList(path, { rows });
  const deep = await read(path, [{ start: 280_000, end: 281_000 }]);
  assert.deepEqual(deep.rows[0], [280_000, bigUrl(280_000)]);
  assert.equal(deep.rows.length, 1000);
  // The footer with the page index, and a window of pages.
  assert.ok(deep.reads <= 2, `${deep.reads} reads`);
  assert.ok(deep.bytes <= (128 << 10) + (256 << 10), `${deep.bytes} of ${bytes} bytes`);
  // Rows of a host that lags, each in a page of its own: a page each, and not what lies between.
  const scattered = [10_000, 90_000, 150_000, 210_000, 270_000];
  const few = await read(path, scattered.map((row) => ({ start: row, end: row + 1 })));
  assert.deepEqual(few.rows, scattered.map((row) => [row, bigUrl(row)]));
  const page = Math.max(...pages.slice(1).map((at, i) => at - pages[i]!));
  assert.ok(few.reads <= 6, `${few.reads} reads`);
  assert.ok(few.bytes <= (128 << 10) + 5 * page, `${few.bytes} bytes`);
});

Deno.test("pages of version 1 without an offset index are passed over without being unpacked", async () => {
  const path = join(dir, "v1.parquet");
  writeBigList(path, { rows: 60_000, v1: true });
  const { rows } = await read(path, [{ start: 7, end: 9 }, { start: 59_990, end: 2 ** 33 }]);
  assert.deepEqual(rows.slice(0, 3).map(([row]) => row), [7, 8, 59_990]);
  assert.deepEqual(rows.at(-1), [59_999, bigUrl(59_999)]);
});

Deno.test("DuckDB reads the lists that tests are made of, and its own lists are read", async () => {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const db = await (await DuckDBInstance.create()).connect();
  const path = join(dir, "for-duckdb.parquet");
  writeBigList(path, { rows: 10_000 });
  const result = await db.runAndReadAll(`SELECT count(*)::INT, min(url), max(url) FROM '${path}'`);
  const urls = Array.from({ length: 10_000 }, (_, i) => bigUrl(i)).sort();
  assert.deepEqual(result.getRows(), [[10_000, urls[0], urls.at(-1)]]);
  for (
    const [n, options] of [
      "",
      ", COMPRESSION lz4_raw",
      ", COMPRESSION gzip, PARQUET_VERSION v2",
      ", COMPRESSION zstd, PARQUET_VERSION v2, ROW_GROUP_SIZE 2048",
      ", COMPRESSION brotli, DICTIONARY_SIZE_LIMIT 1",
      ", COMPRESSION uncompressed",
    ].entries()
  ) {
    const own = join(dir, `duckdb-${n}.parquet`);
    await db.run(
      `COPY (SELECT i AS rank, CASE WHEN i % 10 = 4 THEN NULL
         ELSE 'https://h' || (i // 50) || '.example/' || (i * 7919 % 10007) END AS url
         FROM range(5000) t(i)) TO '${own}' (FORMAT parquet${options})`,
    );
    const expected = Array.from({ length: 5000 }, (_, i): [number, string | undefined] => [
      i,
      i % 10 === 4 ? undefined : `https://h${Math.floor(i / 50)}.example/${i * 7919 % 10007}`,
    ]);
    assert.deepEqual((await read(own)).rows, expected, options);
    assert.deepEqual(
      (await read(own, [{ start: 2047, end: 2050 }])).rows,
      expected.slice(2047, 2050),
      options,
    );
  }
  db.closeSync();
});

Deno.test("without a name the column url is taken, or else domain; others are named", async () => {
  const path = join(dir, "column.parquet");
  await writeList(path, ["a.example"], { column: "domain", beside: true });
  assert.deepEqual((await read(path)).rows, [[0, "a.example"]]);
  await assert.rejects(
    read(path, ALL, "site"),
    /no column "site"; it has "rank", "domain". Name one with --column/,
  );
  await assert.rejects(read(path, ALL, "rank"), /column "rank" holds no strings/);
});

Deno.test("an empty list has no rows", async () => {
  const path = join(dir, "empty.parquet");
  await writeList(path, []);
  assert.deepEqual((await read(path)).rows, []);
});

Deno.test("what is no Parquet file is refused with the reason", async () => {
  const path = join(dir, "bad.parquet");
  for (
    const [bytes, message] of [
      [new Uint8Array(0), /too short/],
      [new TextEncoder().encode("<html>404 not found</html>"), /does not end in PAR1/],
      [
        Uint8Array.from([80, 65, 82, 49, 0, 0, 0, 0, 255, 255, 255, 127, 80, 65, 82, 49]),
        /longer than can be/,
      ],
      [
        Uint8Array.from([80, 65, 82, 49, 9, 9, 9, 9, 4, 0, 0, 0, 80, 65, 82, 49]),
        /footer is damaged/,
      ],
    ] as const
  ) {
    await Deno.writeFile(path, bytes);
    await assert.rejects(read(path), (error: Error) => {
      assert.ok(error instanceof PartFormatError, error.message);
      assert.match(error.message, message);
      return true;
    });
  }
});

Deno.test("damage anywhere in a part is an error of its own kind or changes values, and never hangs or grows", async () => {
  const values = sortedUrls(600);
  const damaged = join(dir, "damaged.parquet");
  for (const [n, shape] of SHAPES.entries()) {
    const path = join(dir, `whole-${n}.parquet`);
    await writeList(path, shape.nullable ? values.map((v, i) => i % 9 ? v : null) : values, {
      pageSize: 2048,
      ...shape,
    });
    const whole = await Deno.readFile(path);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(whole.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        async (at, bits, cut) => {
          const bytes = cut ? whole.slice(0, at) : whole.slice();
          if (!cut) bytes[at]! ^= bits;
          await Deno.writeFile(damaged, bytes);
          try {
            const { rows } = await read(damaged);
            assert.ok(rows.length <= 600 * 2);
          } catch (error) {
            assert.ok(error instanceof PartFormatError, String((error as Error).stack));
          }
        },
      ),
      { numRuns: 60 },
    );
  }
});

Deno.test("whoever else the thread serves has a turn in each page", async () => {
  const path = join(dir, "turns.parquet");
  const { pages } = writeBigList(path, { rows: 100_000 });
  let turns = 0, reading = true;
  const others = (async () => {
    for (; reading; turns++) await new Promise<void>((done) => setImmediate(done));
  })();
  await read(path);
  reading = false;
  await others;
  assert.ok(pages.length > 20 && turns >= pages.length, `${turns} turns, ${pages.length} pages`);
});
