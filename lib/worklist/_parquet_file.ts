/**
 * What a Parquet file's footer says of its columns.
 *
 * @module
 */

import { type FileMetaData, parquetMetadata, readColumnIndex } from "hyparquet";
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
  readonly index: Place | undefined;
  /** Place of the column index, if it has one: bounds of the values of each page. */
  readonly bounds: Place | undefined;
  /** No value is below this one or above that one, by their bytes; undefined where that is not known. */
  readonly least: Uint8Array | undefined;
  readonly most: Uint8Array | undefined;
  /** Whether both are values that are there, and not shortened. */
  readonly exact: boolean;
}

/** A piece of a file. */
interface Place {
  readonly offset: number;
  readonly length: number;
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

/** A file's footer. */
export interface ParquetFooter {
  readonly metadata: FileMetaData;
  /** The last bytes of the file, from this offset on. */
  readonly tail: Uint8Array;
  readonly tailOffset: number;
}

/**
 * Reads the footer for one column. Without `column`, `url` is taken, or else `domain`.
 *
 * @throws {PartFormatError} If the file is none, is damaged, or has no such column of strings.
 */
export async function readColumn(source: ByteSource, column?: string): Promise<ParquetColumn> {
  return columnIn(source, await readFooter(source), column);
}

/**
 * A column that a footer tells of.
 *
 * @throws {PartFormatError} If there is no such column of strings, or what is said of it cannot be.
 */
export function columnIn(
  source: ByteSource,
  { metadata, tail, tailOffset }: ParquetFooter,
  column: string | undefined,
): ParquetColumn {
  return damaged(
    source.name,
    (fail) => ({ ...columnOf(metadata, column, source.size, fail), tail, tailOffset }),
  );
}

/**
 * Reads the footer.
 *
 * @throws {PartFormatError} If the file is none, or is damaged.
 */
export async function readFooter(source: ByteSource): Promise<ParquetFooter> {
  const fail = (why: string) => new PartFormatError(source.name, why);
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
  return damaged(source.name, () => ({
    metadata: parquetMetadata(tail.subarray(tail.length - footer), { geoparquet: false }),
    tail,
    tailOffset: source.size - tail.length,
  }));
}

/** In a damaged footer anything may stand in the place of anything. */
function damaged<T>(name: string, work: (fail: (why: string) => PartFormatError) => T): T {
  try {
    return work((why) => new PartFormatError(name, why));
  } catch (cause) {
    if (cause instanceof PartFormatError) throw cause;
    throw new PartFormatError(name, `its footer is damaged: ${reason(cause)}`, { cause });
  }
}

/** Names of the columns at the root that may be read here: those of byte arrays. */
export function stringColumns({ metadata }: ParquetFooter): string[] {
  return [...topLevel(metadata.schema)].filter(([, element]) =>
    element.type === "BYTE_ARRAY" && element.repetition_type !== "REPEATED" && !element.num_children
  ).map(([name]) => name);
}

/** Names of all columns at the root. */
export function allColumns({ metadata }: ParquetFooter): string[] {
  return [...topLevel(metadata.schema).keys()];
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
  const place = (at: unknown, size: unknown): Place | undefined => {
    const [offset, length] = [Number(at ?? 0), Number(size ?? 0)];
    return offset > 0 && length > 0 && length <= MAX_INDEX && offset + length <= fileSize
      ? { offset, length }
      : undefined;
  };
  return {
    start,
    end,
    offset,
    limit,
    decompress,
    index: place(column.offset_index_offset, column.offset_index_length),
    bounds: place(column.column_index_offset, column.column_index_length),
    // The older fields of the same meaning are by an order that depends on who wrote them.
    least: bound(meta.statistics?.min_value),
    most: bound(meta.statistics?.max_value),
    exact: meta.statistics?.is_min_value_exact !== false &&
      meta.statistics?.is_max_value_exact !== false,
  };
}

/** A bound as bytes; one that is no text would come back as another. */
function bound(value: unknown): Uint8Array | undefined {
  return typeof value === "string" && !value.includes("\ufffd")
    ? new TextEncoder().encode(value)
    : undefined;
}

/** Reads a chunk's offset index; `undefined` when it has none. */
export async function readIndex(
  source: ByteSource,
  column: ParquetColumn,
  chunk: ColumnChunk,
): Promise<PageIndex | undefined> {
  if (chunk.index === undefined) return undefined;
  const bytes = await readPlace(source, column, chunk.index);
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

/** Rows of a page, and what its values lie between. */
export interface PageBounds {
  /** First row in the file, and the row behind the last. */
  readonly start: number;
  /** The row behind the last. */
  readonly end: number;
  /** No value is below this; undefined where that is not known. */
  readonly least: Uint8Array | undefined;
  /** No value is above this. */
  readonly most: Uint8Array | undefined;
}

/** The pages of a chunk with their bounds; `undefined` when the file has no indexes of it. */
export async function readPageBounds(
  source: ByteSource,
  column: ParquetColumn,
  chunk: ColumnChunk,
): Promise<PageBounds[] | undefined> {
  const pages = await readIndex(source, column, chunk);
  if (pages === undefined || chunk.bounds === undefined) return undefined;
  const bytes = await readPlace(source, column, chunk.bounds);
  return damaged(source.name, () => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const index = readColumnIndex({ view, offset: 0 }, { name: column.name, type: "BYTE_ARRAY" });
    const { rows } = pages;
    return Array.from(rows, (row, i) => ({
      start: chunk.start + row,
      end: i + 1 < rows.length ? chunk.start + rows[i + 1]! : chunk.end,
      // A page of nulls alone has bounds that mean nothing.
      least: index.null_pages[i] ? undefined : bound(index.min_values[i]),
      most: index.null_pages[i] ? undefined : bound(index.max_values[i]),
    }));
  });
}

async function readPlace(
  source: ByteSource,
  { tail, tailOffset }: ParquetColumn,
  { offset, length }: Place,
): Promise<Uint8Array> {
  const at = offset - tailOffset;
  if (at >= 0) return tail.subarray(at, at + length);
  const bytes = new Uint8Array(length);
  await source.read(offset, bytes);
  return bytes;
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
