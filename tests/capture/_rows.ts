/** Rows for tests, and DuckDB to read them back with. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { NewCaptureRow } from "../../lib/capture/codec.ts";
import { RowView } from "../../lib/capture/row_view.ts";
import { encodeRow } from "../../lib/capture/codec.ts";
import { bodyDigest } from "../../lib/capture/digest.ts";
import { captureRow, failureRow } from "../../lib/capture/row.ts";
import { CAPTURE_COLUMNS, type CaptureRow } from "../../lib/capture/schema.ts";

/** Numbers that are the same in every run (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ state >>> 15, 1 | state);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
  };
}

/** A page's row. */
export function page(i: number, changes: Partial<NewCaptureRow> = {}): NewCaptureRow {
  const body = new TextEncoder().encode(
    `<title>Page ${i}</title><p>${"words and more ".repeat(i % 40)}`,
  );
  return {
    ...captureRow({
      url: `https://www${i % 13}.example.com/page/${i}?q=${i * 7}`,
      fetchedAt: 1_700_000_000_000 + i * 1000,
      durationMs: 20 + i % 50,
      ttfbMs: 5 + i % 9,
      status: i % 10 === 9 ? 404 : 200,
      ip: `93.184.216.${i % 250}`,
      headers: [
        ["Content-Type", "text/html; charset=utf-8"],
        ["Set-Cookie", `a=${i}`],
        ["ETag", `"${i}"`],
        ["set-cookie", "b=2"],
      ],
      requestHeaders: [["User-Agent", "CCrawl/2.0"], ["Accept", "*/*"]],
      body,
      digest: bodyDigest(body),
      position: { part: 0, row: i },
      rendered: {
        title: `Page ${i}`,
        markdown: `words and more `.repeat(i % 40),
        text: `words and more `.repeat(i % 40),
        wordCount: 3 * (i % 40),
        language: i % 3 === 0 ? "eng" : "deu",
        languageConfidence: 0.9,
        simhash: BigInt(i) * 0x9e3779b97f4a7c15n & 0xffffffffffffffffn,
        extractor: "main@1",
      },
    }),
    ...changes,
  };
}

/** A failure's row. */
export function failure(i: number, changes: Partial<NewCaptureRow> = {}): NewCaptureRow {
  return {
    ...failureRow({
      url: `https://gone${i}.example/`,
      fetchedAt: 1_700_000_000_000 + i * 1000,
      durationMs: 1,
      error: (["dns", "timeout", "refused", "tls", "other"] as const)[i % 5]!,
      errorDetail: `no such host ${i}`,
      position: { part: 0, row: i },
    }),
    ...changes,
  };
}

/** What a row must read back as. */
export function expected(row: NewCaptureRow): CaptureRow {
  return new RowView(encodeRow(row)).row();
}

interface Connection {
  runAndReadAll(sql: string): Promise<{
    getRowObjects(): Record<string, unknown>[];
    getRows(): unknown[][];
  }>;
}

let connection: Promise<Connection> | undefined;

/** Asks DuckDB; loaded with the first question. */
export async function sql(query: string): Promise<Record<string, unknown>[]> {
  connection ??= import("@duckdb/node-api").then(async ({ DuckDBInstance }) =>
    await (await DuckDBInstance.create(":memory:")).connect()
  );
  return (await (await connection).runAndReadAll(query)).getRowObjects();
}

/** Reads a file with DuckDB and with hyparquet, and compares both with the rows that went in. */
export async function assertReadsBack(path: string, rows: readonly NewCaptureRow[]): Promise<void> {
  const wanted = rows.map(expected);
  const names = CAPTURE_COLUMNS.map(({ name }) => name);
  const described = await sql(`DESCRIBE SELECT * FROM '${path}'`);
  assert.deepEqual(described.map(({ column_name }) => column_name), names);
  const fromDuck = await sql(`SELECT * FROM read_parquet('${path}', file_row_number = true)
    ORDER BY file_row_number`);
  assertSame(fromDuck, wanted, "DuckDB");
  const { parquetReadObjects, asyncBufferFromFile } = await import("hyparquet");
  const { zstdDecompressSync } = await import("node:zlib");
  const fromHyparquet = await parquetReadObjects({
    file: await asyncBufferFromFile(path),
    utf8: false,
    compressors: { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) },
  });
  assertSame(fromHyparquet, wanted, "hyparquet");
}

function assertSame(
  got: readonly Record<string, unknown>[],
  wanted: readonly CaptureRow[],
  reader: string,
): void {
  assert.equal(got.length, wanted.length, reader);
  for (const [i, row] of wanted.entries()) {
    for (const { name, type } of CAPTURE_COLUMNS) {
      const is = got[i]![name], was = row[name];
      const where = `${reader}, row ${i}, ${name}`;
      if (type === "bytes") {
        const bytes = is instanceof Uint8Array ? is : (is as { bytes: Uint8Array }).bytes;
        assert.ok(Buffer.from(bytes).equals(was as Uint8Array), where);
      } else if (type === "int64") {
        assert.equal(is, BigInt(was as number), where);
      } else {
        // TextDecoder leaves a byte order mark out unless it is told not to
        assert.equal(is, typeof was === "string" ? was.replace(/^\ufeff/, "") : was, where);
      }
    }
  }
}

/** A folder that is removed at the end. */
export async function inFolder(work: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await work(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}
