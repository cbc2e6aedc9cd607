/**
 * Work lists for tests, in every shape that Parquet allows for a column of strings.
 *
 * @module
 */

import { closeSync, openSync, writeSync } from "node:fs";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";

/** Options of {@linkcode writeList}. */
export interface ListShape {
  column?: string;
  encoding?: "PLAIN" | "DELTA_LENGTH_BYTE_ARRAY" | "DELTA_BYTE_ARRAY" | "RLE_DICTIONARY";
  codec?: "UNCOMPRESSED" | "SNAPPY" | "GZIP" | "ZSTD" | "BROTLI";
  pageSize?: number;
  rowGroupSize?: number;
  offsetIndex?: boolean;
  nullable?: boolean;
  /** Other columns beside it. */
  beside?: boolean;
}

/**
 * Writes a list; left to itself of the published shape: one row group, V2 pages of 256 KiB,
 * DELTA_LENGTH_BYTE_ARRAY, zstd, page indexes.
 */
export async function writeList(
  path: string,
  values: readonly (string | null)[],
  shape: ListShape = {},
): Promise<void> {
  const { ByteWriter, parquetWrite } = await import("hyparquet-writer");
  const { column = "url", encoding = "DELTA_LENGTH_BYTE_ARRAY", codec = "ZSTD" } = shape;
  const writer = new ByteWriter();
  const fd = openSync(path, "w");
  let flushed = 0;
  const flush = () => {
    for (let at = 0; at < writer.index;) {
      at += writeSync(fd, new Uint8Array(writer.buffer, at, writer.index - at));
    }
    flushed += writer.index;
    writer.index = 0;
  };
  const ensure = writer.ensure.bind(writer);
  writer.ensure = (size: number) => {
    if (writer.index > 4 << 20) flush();
    ensure(size);
  };
  writer.finish = flush;
  const nullable = shape.nullable ?? false;
  parquetWrite({
    writer,
    codec,
    compressors: {
      ZSTD: (bytes) => zstdCompressSync(bytes),
      GZIP: (bytes) => gzipSync(bytes, { level: 1 }),
      BROTLI: (bytes) => brotliCompressSync(bytes, { params: { 1: 1 } }),
    },
    pageSize: shape.pageSize ?? 256 << 10,
    rowGroupSize: shape.rowGroupSize ?? Math.max(values.length, 1),
    columnData: [
      ...(shape.beside
        ? [{ name: "rank", type: "INT32" as const, data: Int32Array.from(values, (_, i) => i) }]
        : []),
      {
        name: column,
        type: "STRING",
        data: values as string[],
        nullable,
        encoding,
        columnIndex: shape.offsetIndex ?? true,
        offsetIndex: shape.offsetIndex ?? true,
      },
    ],
  });
  closeSync(fd);
}

/** URLs sorted by host, as the published list has them. */
export function sortedUrls(count: number, perHost = 37): string[] {
  const out: string[] = [];
  for (let i = 0; i < count; i++) {
    const host = Math.floor(i / perHost);
    out.push(
      `https://www.host-${host.toString(36)}.example/articles/${
        (i * 7919) % 100_003
      }/page-${i}.html`,
    );
  }
  return out;
}

/** Domains, all different. */
export function domains(count: number): string[] {
  const out: string[] = [];
  for (let i = 0; i < count; i++) {
    out.push(`name-${((i * 2_654_435_761) >>> 0).toString(36)}-${i}.com`);
  }
  return out;
}
