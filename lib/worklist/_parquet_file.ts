/**
 * What a Parquet file's footer says of one column.
 *
 * @module
 */

import { type FileMetaData, parquetMetadata } from "hyparquet";
import { codecOf, type Decompress } from "./_codecs.ts";
import { PartFormatError } from "./errors.ts";
import { type ByteSource, reason } from "./_source.ts";
import { LAST_ROW } from "./ranges.ts";
import { type PageIndex, readOffsetIndex } from "./_page_header.ts";

const TAIL = 128 << 10;
const MAX_FOOTER = 64 << 20;
const MAX_INDEX = 64 << 20;

/** A column's values in one row group. */
export interface ColumnChunk {
  /** First row of the group in the file, and the row behind its last one. */
  readonly start: number;
  readonly end: number;
  /** Offset of the chunk's first page, and behind its last. */
  readonly offset: number;
  readonly limit: number;
  readonly decompress: Decompress;
  /** Place of the offset index, if it has one. */
  readonly index: { readonly offset: number; readonly length: number } | undefined;
}

/** One column of a file. */
export interface ParquetColumn {
  readonly name: string;
  readonly rows: number;
  /** Whether values may be missing. */
  readonly optional: boolean;
  readonly chunks: readonly ColumnChunk[];
  /** The last bytes of the file, from this offset on. */
  readonly tail: Uint8Array;
  readonly tailOffset: number;
}

/**
 * Reads the footer. Without `column`, `url` is taken, or else `domain`.
 *
 * @throws {PartFormatError} If the file is none, is damaged, or has no such column of strings.
 */
export async function readColumn(source: ByteSource, column?: string): Promise<ParquetColumn> {
  const fail = (why: string, cause?: unknown) =>
    new PartFormatError(source.name, why, cause === undefined ? undefined : { cause });
  if (source.size < 12) throw fail("it is too short for a Parquet file");
  let tail = source.tail ?? new Uint8Array(Math.min(TAIL, source.size));
  if (source.tail === undefined) await source.read(source.size - tail.length, tail);
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  if (view.getUint32(tail.length - 4, true) !== 0x3152_4150) {
    throw fail("it is no Parquet file, or is cut: it does not end in PAR1");
  }
  const footer = view.getUint32(tail.length - 8, true) + 8;
  if (footer > source.size - 4 || footer > MAX_FOOTER) {
    throw fail("its footer is longer than can be");
  }
  if (footer > tail.length) {
    tail = new Uint8Array(footer);
    await source.read(source.size - footer, tail);
  }
  try {
    const metadata = parquetMetadata(tail.subarray(tail.length - footer), { geoparquet: false });
    return {
      ...columnOf(metadata, column, source.size, fail),
      tail,
      tailOffset: source.size - tail.length,
    };
  } catch (cause) {
    // In a damaged footer anything may stand in the place of anything.
    throw cause instanceof PartFormatError
      ? cause
      : fail(`its footer is damaged: ${reason(cause)}`, cause);
  }
}

function columnOf(
  { schema, row_groups }: FileMetaData,
  wanted: string | undefined,
  size: number,
  fail: (why: string) => PartFormatError,
): Omit<ParquetColumn, "tail" | "tailOffset"> {
  const columns = topLevel(schema);
  const name = wanted ?? ["url", "domain"].find((n) => columns.has(n));
  const element = name === undefined ? undefined : columns.get(name);
  if (name === undefined || element === undefined) {
    const has = [...columns.keys()].slice(0, 20).map((n) => `"${n.slice(0, 80)}"`).join(", ");
    const lacks = name === undefined ? '"url" or "domain"' : `"${name}"`;
    throw fail(`it has no column ${lacks}; it has ${has}. Name one with --column.`);
  }
  if (
    element.type !== "BYTE_ARRAY" || element.repetition_type === "REPEATED" || element.num_children
  ) {
    throw fail(`its column "${name}" holds no strings`);
  }
  const chunks: ColumnChunk[] = [];
  let row = 0;
  for (const group of row_groups) {
    const column = group.columns.find((c) => {
      const path = c.meta_data?.path_in_schema;
      return path?.length === 1 && path[0] === name;
    });
    if (column?.meta_data === undefined) throw fail(`a row group has no column "${name}"`);
    const rows = Number(group.num_rows);
    const chunk = chunkOf(name, column, row, rows, size, fail);
    chunks.push(chunk);
    row = chunk.end;
  }
  return { name, rows: row, optional: element.repetition_type === "OPTIONAL", chunks };
}

function chunkOf(
  name: string,
  column: FileMetaData["row_groups"][number]["columns"][number],
  start: number,
  rows: number,
  fileSize: number,
  fail: (why: string) => PartFormatError,
): ColumnChunk {
  const meta = column.meta_data!;
  if (column.file_path) throw fail(`its column "${name}" is in another file`);
  const decompress = codecOf(meta.codec);
  if (decompress === undefined) {
    throw fail(`its column "${name}" is compressed as ${meta.codec}, which is not read here`);
  }
  const first = Number(meta.data_page_offset);
  const dictionary = Number(meta.dictionary_page_offset ?? 0);
  const offset = dictionary > 0 ? Math.min(dictionary, first) : first;
  const limit = offset + Number(meta.total_compressed_size);
  const end = start + rows;
  if (
    ![rows, offset, limit].every(Number.isSafeInteger) || rows < 0 || end > LAST_ROW ||
    offset < 4 ||
    limit < offset || limit > fileSize
  ) throw fail(`its column "${name}" lies outside the file`);
  const index = {
    offset: Number(column.offset_index_offset ?? 0),
    length: Number(column.offset_index_length ?? 0),
  };
  const indexed = index.offset > 0 && index.length > 0 && index.length <= MAX_INDEX &&
    index.offset + index.length <= fileSize;
  return { start, end, offset, limit, decompress, index: indexed ? index : undefined };
}

/** Reads a chunk's offset index; `undefined` when it has none. */
export async function readIndex(
  source: ByteSource,
  column: ParquetColumn,
  chunk: ColumnChunk,
): Promise<PageIndex | undefined> {
  if (chunk.index === undefined) return undefined;
  const { offset, length } = chunk.index;
  let bytes: Uint8Array;
  const at = offset - column.tailOffset;
  if (at >= 0) bytes = column.tail.subarray(at, at + length);
  else await source.read(offset, bytes = new Uint8Array(length));
  let index: PageIndex;
  try {
    index = readOffsetIndex(bytes);
  } catch (cause) {
    throw new PartFormatError(source.name, `its offset index is damaged: ${reason(cause)}`, {
      cause,
    });
  }
  const last = index.rows.length - 1;
  if (
    index.offsets[0]! < chunk.offset || index.offsets[last]! + index.sizes[last]! > chunk.limit ||
    index.rows[last]! > chunk.end - chunk.start
  ) throw new PartFormatError(source.name, "its offset index points outside the column");
  return index;
}

/** The columns at the root of the schema. */
function topLevel(schema: FileMetaData["schema"]): Map<string, FileMetaData["schema"][number]> {
  const columns = new Map<string, FileMetaData["schema"][number]>();
  let i = 1;
  const pass = (depth: number) => {
    const element = schema[i++];
    for (let c = element?.num_children ?? 0; c > 0 && depth < 64 && i < schema.length; c--) {
      pass(depth + 1);
    }
  };
  for (let c = schema[0]?.num_children ?? 0; c > 0 && i < schema.length; c--) {
    columns.set(schema[i]!.name, schema[i]!);
    pass(0);
  }
  return columns;
}
