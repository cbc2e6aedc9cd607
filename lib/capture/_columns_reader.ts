/**
 * Values of a file's columns, a page of each at a time.
 *
 * @module
 */

import { type FileMetaData, parquetMetadataAsync, parquetScan, readOffsetIndex } from "hyparquet";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { CaptureFormatError } from "./errors.ts";
import type { CaptureSource } from "./source.ts";

type Scan = Awaited<ReturnType<typeof parquetScan>>;
type Values = Awaited<ReturnType<Scan["readColumn"]>>;
/** A value as it is stored: strings are bytes. */
export type RawValue = Uint8Array | number | bigint | boolean;

/** Most bytes of a page after decompression; a file that claims more is not believed. */
const MAX_PAGE = 1 << 30;
/** Most bytes of a footer. */
const MAX_FOOTER = 1 << 28;

/** Strings are left as bytes, to be decoded, or not, by who wants them. */
const parsers = {
  stringFromBytes: (bytes: Uint8Array) => bytes,
  jsonFromBytes: (bytes: Uint8Array) => bytes,
};
const bounded = (undo: typeof gunzipSync) => (bytes: Uint8Array, size: number): Uint8Array => {
  if (!(size <= MAX_PAGE)) throw new RangeError(`a page claims ${size} bytes`);
  return undo(bytes, { maxOutputLength: Math.max(1, size) });
};
const compressors = {
  ZSTD: bounded(zstdDecompressSync as typeof gunzipSync),
  GZIP: bounded(gunzipSync),
  BROTLI: bounded(brotliDecompressSync as typeof gunzipSync),
};

/**
 * Reads the footer.
 *
 * @throws {CaptureFormatError} If the file has none, or it is damaged.
 */
export async function readFooter(source: CaptureSource): Promise<FileMetaData> {
  const { byteLength, name } = source;
  try {
    if (byteLength < 12) throw new Error("the file is too short for Parquet");
    const tail = new DataView(await source.slice(byteLength - 8, byteLength));
    if (tail.getUint32(4, true) !== 0x31524150) {
      throw new Error("it does not end as a Parquet file does");
    }
    if (tail.getUint32(0, true) > MAX_FOOTER) throw new Error("its footer is too large");
    const metadata = await parquetMetadataAsync(source, { parsers, geoparquet: false });
    if (!Array.isArray(metadata.row_groups) || typeof metadata.num_rows !== "bigint") {
      throw new Error("its footer is incomplete");
    }
    return metadata;
  } catch (cause) {
    throw asFormatError(cause, name, Math.max(0, byteLength - 8));
  }
}

/** Where a column's pages lie within a row group: their first rows and offsets. */
interface Pages {
  readonly firstRows: readonly number[];
  readonly offsets: readonly number[];
}

/** One column of one row group, read forward. */
export class ColumnCursor {
  readonly #file: ColumnsReader;
  readonly #group: number;
  readonly #column: string;
  readonly #groupStart: number;
  readonly #groupRows: number;
  #pages: Pages | undefined;
  #values: Values = [];
  #from = 0;
  #to = 0;
  #offset = 0;

  constructor(file: ColumnsReader, group: number, column: string, start: number, rows: number) {
    this.#file = file;
    this.#group = group;
    this.#column = column;
    this.#groupStart = start;
    this.#groupRows = rows;
  }

  /** Byte offset of the page that the last value came from. */
  get offset(): number {
    return this.#offset;
  }

  /** Whether a row of the group is in the page that is held. */
  holds(row: number): boolean {
    return row >= this.#from && row < this.#to;
  }

  /** The value of a row that is held. */
  held(row: number): RawValue {
    return this.#values[row - this.#from] as RawValue;
  }

  /**
   * Reads the page that has a row of the group.
   *
   * @throws {CaptureFormatError} If it is damaged.
   */
  async load(row: number): Promise<void> {
    const { name } = this.#file.source;
    try {
      const pages = this.#pages ??= await this.#file.pages(this.#group, this.#column);
      let page = 0;
      while (page + 1 < pages.firstRows.length && pages.firstRows[page + 1]! <= row) page++;
      const from = pages.firstRows[page]!, to = pages.firstRows[page + 1] ?? this.#groupRows;
      this.#offset = pages.offsets[page]!;
      this.#values = await this.#file.read(
        this.#column,
        this.#groupStart + from,
        this.#groupStart + to,
      );
      if (this.#values.length !== to - from) {
        throw new Error(`column ${this.#column} has ${this.#values.length} of ${to - from} rows`);
      }
      this.#from = from;
      this.#to = to;
    } catch (cause) {
      throw asFormatError(cause, name, this.#offset);
    }
  }
}

/** A file's row groups and the columns in them. */
export class ColumnsReader {
  readonly source: CaptureSource;
  readonly metadata: FileMetaData;
  readonly columns: readonly string[];
  #scan: Scan | undefined;

  private constructor(source: CaptureSource, metadata: FileMetaData) {
    this.source = source;
    this.metadata = metadata;
    this.columns = metadata.schema.slice(1).filter(({ num_children }) => !num_children)
      .map(({ name }) => name);
  }

  /** @throws {CaptureFormatError} As {@linkcode readFooter}. */
  static async open(source: CaptureSource): Promise<ColumnsReader> {
    return new ColumnsReader(source, await readFooter(source));
  }

  /** The row groups: first row and count of rows of each. */
  *groups(): Generator<{ readonly index: number; readonly start: number; readonly rows: number }> {
    let start = 0;
    for (const [index, { num_rows }] of this.metadata.row_groups.entries()) {
      const rows = Number(num_rows);
      yield { index, start, rows };
      start += rows;
    }
  }

  /** A cursor over a column of a group. */
  cursor(group: { index: number; start: number; rows: number }, column: string): ColumnCursor {
    return new ColumnCursor(this, group.index, column, group.start, group.rows);
  }

  /** Values of whole pages. */
  async read(column: string, rowStart: number, rowEnd: number): Promise<Values> {
    this.#scan ??= await parquetScan({
      file: this.source,
      metadata: this.metadata,
      utf8: false,
      geoparquet: false,
      parsers,
      compressors,
    });
    return this.#scan.readColumn({ column, rowStart, rowEnd });
  }

  /** Where a column's pages lie; the whole chunk is one where there is no offset index. */
  async pages(group: number, column: string): Promise<Pages> {
    const chunk = this.metadata.row_groups[group]!.columns.find((one) =>
      one.meta_data?.path_in_schema.join(".") === column
    );
    if (chunk?.meta_data === undefined) throw new Error(`there is no column ${column}`);
    const { offset_index_offset, offset_index_length, meta_data } = chunk;
    if (offset_index_offset === undefined || offset_index_length === undefined) {
      return { firstRows: [0], offsets: [Number(meta_data.data_page_offset)] };
    }
    const start = Number(offset_index_offset);
    const bytes = await this.source.slice(start, start + offset_index_length);
    const { page_locations } = readOffsetIndex({ view: new DataView(bytes), offset: 0 });
    const firstRows = page_locations.map(({ first_row_index }) => Number(first_row_index));
    if (firstRows[0] !== 0 || firstRows.some((row, i) => i > 0 && !(row > firstRows[i - 1]!))) {
      throw new Error(`the page index of column ${column} is damaged`);
    }
    return { firstRows, offsets: page_locations.map(({ offset }) => Number(offset)) };
  }
}

/** What went wrong while reading, as an error that names the file. */
export function asFormatError(cause: unknown, file: string, offset: number): Error {
  if (cause instanceof CaptureFormatError) return cause;
  // What the file system refuses is no fault of the file's content.
  if (typeof (cause as { code?: unknown } | null)?.code === "string" && !isZlib(cause)) {
    return cause as Error;
  }
  const message = cause instanceof Error ? cause.message : String(cause);
  return new CaptureFormatError(file, offset, message, { cause });
}

function isZlib(cause: unknown): boolean {
  return /^(Z_|ZSTD_|ERR_|BROTLI_)/.test((cause as { code: string }).code);
}
