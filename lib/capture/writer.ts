/**
 * Writing one capture file.
 *
 * @module
 */

import { ByteWriter } from "hyparquet-writer";
import { writeIndexes } from "hyparquet-writer/src/indexes.js";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import { diskFs, type WritingFs } from "../files/mod.ts";
import { type NewCaptureRow, RowBatch } from "./codec.ts";
import { rowsIn } from "./row_view.ts";
import {
  BooleanChunk,
  BytesChunk,
  type Chunk,
  type EmitPage,
  FixedChunk,
  type MinMax,
} from "./_chunks.ts";
import { DictionaryChunk } from "./_dictionary_chunk.ts";
import { type ChunkResult, columnChunk, parquetSchemaElements } from "./_footer.ts";
import { NO_POSITION, PLACES, ROW_FIXED, VARIABLE } from "./_layout.ts";
import { Output } from "./_output.ts";
import { PageCompressor, PageStore, type StoredPage } from "./_page_store.ts";
import { CaptureWriteError } from "./errors.ts";
import { formatRanges, type RowRange, RowSet } from "./ranges.ts";
import { CAPTURE_COLUMNS, type CaptureColumnName, ROWS_KEY, RUN_KEY } from "./schema.ts";

/** Options of {@linkcode CaptureWriter}. */
export interface CaptureWriterOptions {
  /** `created_by` of the file, such as `ccrawl version 1.2.3 (build abc)`. */
  readonly createdBy: string;
  /** The run that the file belongs to; empty for none. @default "" */
  readonly run?: string;
  /** More keys and values for the footer. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Most bytes of a row group before compression. @default 64 MiB */
  readonly groupBytes?: number;
  /** zstd's level. @default 3 */
  readonly level?: number;
  /** File operations. @default {@linkcode captureDiskFs} */
  readonly fs?: WritingFs;
}

/** A file that is whole and on the disk. */
export interface WrittenCaptures {
  /** Rows in it. */
  readonly rows: number;
  /** Its size. */
  readonly bytes: number;
  /** Bytes of all values before compression. */
  readonly payload: number;
  /** The work-list rows it holds, in order. */
  readonly ranges: readonly RowRange[];
}

/** Most bytes of a row group before compression. */
const GROUP_BYTES = 64 << 20;
/** Kept free in a group for the headers of its pages. */
const GROUP_SLACK = 64 << 10;
/** Most rows of a group, so that what is kept for each row is bounded too. */
const GROUP_ROWS = 1 << 20;
const MAGIC = new Uint8Array([0x50, 0x41, 0x52, 0x31]);

/** Short values of which many are alike. */
const DICTIONARY: ReadonlySet<CaptureColumnName> = new Set<CaptureColumnName>([
  "host",
  "content_type",
  "warc_file",
  "error",
  "ip_address",
  "language",
  "extractor",
]);
/** Numbers whose bounds tell nobody anything. */
const NO_BOUNDS: ReadonlySet<CaptureColumnName> = new Set<CaptureColumnName>([
  "simhash",
  "language_confidence",
]);

interface Column {
  readonly index: number;
  readonly chunk: Chunk;
  /** Pages of the current group. */
  pages: StoredPage[];
  /** Where each page's bytes are kept, beside `pages`; not used for the column written at once. */
  kept: number[];
}

/**
 * Writes rows into one Parquet file, synchronously, in memory that is bounded whatever the rows
 * are: each column's values are compressed by the page as they come. The pages of `body`, most of
 * the bytes, go to the file at once, those of other columns when their row group is whole.
 *
 * The file can be read once {@linkcode CaptureWriter.finish} has returned, and not before. After an
 * error it never can, and {@linkcode CaptureWriter.abandon} is all that is left to do.
 *
 * @example Write a file
 * ```ts ignore
 * const writer = new CaptureWriter("captures.parquet", { createdBy: "me 1.0" });
 * writer.add(captureRow(answer));
 * writer.finish();
 * ```
 */
export class CaptureWriter {
  /** Path of the file. */
  readonly path: string;
  readonly #options: CaptureWriterOptions;
  readonly #fs: WritingFs;
  readonly #fd: number;
  readonly #groupBytes: number;
  readonly #columns: readonly Column[];
  readonly #variable: readonly { readonly at: number; readonly chunk: Chunk }[];
  readonly #fixed: readonly { readonly at: number; readonly chunk: Chunk }[];
  readonly #compressor: PageCompressor;
  readonly #store = new PageStore();
  readonly #out: Output;
  readonly #positions = new RowSet();
  readonly #groups: { columns: ChunkResult[]; rows: number; start: number; end: number }[] = [];
  #groupRows = 0;
  #groupSize = 0;
  #rows = 0;
  #payload = 0;
  #closed = false;
  #broken = false;
  #single: RowBatch | undefined;

  /**
   * Creates the file, which must not exist.
   *
   * @throws {CaptureWriteError} If the disk refuses.
   */
  constructor(path: string, options: CaptureWriterOptions) {
    const fs = options.fs ?? diskFs;
    this.path = path;
    this.#options = options;
    this.#fs = fs;
    this.#groupBytes = Math.min(GROUP_BYTES, options.groupBytes ?? GROUP_BYTES) - GROUP_SLACK;
    this.#compressor = new PageCompressor(options.level ?? 3);
    this.#columns = CAPTURE_COLUMNS.map(({ name, type }, index) => {
      const emit: EmitPage = (raw, values, encoding, dictionary = false) => {
        const column = this.#columns[index]!, last = column.pages.at(-1);
        const dense = last !== undefined && last.size * 2 > last.rawSize;
        this.#compressor.page(raw, values, encoding, dictionary, dense, (page, header, body) => {
          column.pages.push(page);
          if (name === "body") {
            page.offset = this.#out.offset;
            this.#out.write(header);
            this.#out.write(body);
          } else {
            column.kept.push(this.#store.put(header));
            this.#store.put(body);
          }
        });
      };
      const chunk = type === "bytes" || (type === "string" && !DICTIONARY.has(name))
        ? new BytesChunk(emit)
        : type === "string"
        ? new DictionaryChunk(emit)
        : type === "boolean"
        ? new BooleanChunk(emit)
        : new FixedChunk(type, !NO_BOUNDS.has(name), emit);
      return { index, chunk, pages: [], kept: [] };
    });
    const chunks = PLACES.map(({ index, at }) => ({ at, chunk: this.#columns[index]!.chunk }));
    this.#fixed = chunks.slice(0, chunks.length - VARIABLE.length);
    this.#variable = chunks.slice(chunks.length - VARIABLE.length);
    try {
      this.#fd = fs.create(path);
    } catch (cause) {
      throw new CaptureWriteError(path, "create", cause);
    }
    this.#out = new Output(fs, this.#fd);
    this.#out.write(MAGIC);
  }

  /** Rows added. */
  get rows(): number {
    return this.#rows;
  }

  /** Bytes of all values added, before compression. */
  get payload(): number {
    return this.#payload;
  }

  /** Whether an error has made the file one that never can be finished. */
  get failed(): boolean {
    return this.#broken;
  }

  /** Bytes of memory held: pages being filled, and compressed ones that wait for their group. */
  get bufferedBytes(): number {
    let bytes = this.#store.byteLength + this.#out.byteLength + this.#positions.byteLength;
    for (const { chunk } of this.#columns) bytes += chunk.byteLength;
    return bytes;
  }

  /**
   * Adds a row.
   *
   * @throws {CaptureWriteError} If the disk refuses.
   */
  add(row: NewCaptureRow): void {
    const batch = this.#single ??= new RowBatch();
    batch.add(row);
    const packed = batch.take(new ArrayBuffer(0));
    this.addPacked(packed);
    // Its buffer serves the next row, unless a huge one made it large.
    this.#single = new RowBatch(packed.buffer.byteLength <= 1 << 22 ? packed.buffer : undefined);
  }

  /**
   * Adds the rows of a batch. Nothing of it is held afterwards.
   *
   * @returns Count of rows.
   * @throws {CaptureWriteError} If the disk refuses.
   * @throws {RangeError} If the bytes are no batch.
   */
  addPacked(batch: Uint8Array): number {
    const view = new DataView(batch.buffer, batch.byteOffset, batch.byteLength);
    return this.#guard("write", () => {
      let rows = 0;
      for (const [start, end] of rowsIn(batch)) {
        this.#add(batch, view, start, end);
        rows++;
      }
      return rows;
    });
  }

  /**
   * Writes the footer and forces the file to the disk.
   *
   * @throws {CaptureWriteError} If the disk refuses.
   */
  finish(): WrittenCaptures {
    return this.#guard("finish", () => {
      this.#endGroup();
      const ranges = this.#positions.ranges();
      this.#writeFooter(ranges);
      this.#out.flush();
      this.#fs.sync(this.#fd);
      this.#closed = true;
      this.#fs.close(this.#fd);
      return { rows: this.#rows, bytes: this.#out.offset, payload: this.#payload, ranges };
    });
  }

  /** Closes and removes the file, as far as the disk lets it; for after an error. */
  abandon(): void {
    if (!this.#closed) {
      this.#closed = true;
      quietly(() => this.#fs.close(this.#fd));
    }
    quietly(() => this.#fs.remove(this.path));
  }

  #add(batch: Uint8Array, view: DataView, start: number, end: number): void {
    const size = end - start - ROW_FIXED + 4 * VARIABLE.length + 100;
    if (
      this.#groupRows > 0 &&
      (this.#groupSize + size > this.#groupBytes || this.#groupRows === GROUP_ROWS)
    ) this.#endGroup();
    for (const { at, chunk } of this.#fixed) chunk.add(batch, start + at, 8);
    let from = start + ROW_FIXED;
    for (const { at, chunk } of this.#variable) {
      const length = view.getUint32(start + at, true);
      if (from + length > end) throw new RangeError("Cannot write rows: the batch is damaged");
      chunk.add(batch, from, length);
      from += length;
    }
    const part = view.getUint32(start + 4, true);
    if (part !== NO_POSITION) this.#positions.add(part, view.getFloat64(start + 8, true));
    this.#groupSize += size;
    this.#payload += from - start - ROW_FIXED + 93;
    this.#groupRows++;
    this.#rows++;
  }

  #endGroup(): void {
    if (this.#groupRows === 0) return;
    const start = this.#groups.at(-1)?.end ?? MAGIC.length;
    const bounds: (MinMax | undefined)[] = this.#columns.map(({ chunk }) => chunk.end());
    const columns = this.#columns.map((column) => {
      column.kept.forEach((kept, i) => {
        const page = column.pages[i]!;
        page.offset = this.#out.offset;
        this.#store.copy(kept, page.size, this.#out);
      });
      const result = columnChunk(CAPTURE_COLUMNS[column.index]!, column.pages, {
        rows: this.#groupRows,
        bounds: bounds[column.index],
      });
      column.pages = [];
      column.kept = [];
      return result;
    });
    this.#groups.push({ columns, rows: this.#groupRows, start, end: this.#out.offset });
    this.#store.clear();
    this.#groupRows = 0;
    this.#groupSize = 0;
  }

  #writeFooter(ranges: readonly RowRange[]): void {
    const { createdBy, run = "", metadata = {} } = this.#options;
    const writer = new ByteWriter(1 << 16);
    writer.offset = this.#out.offset;
    writeIndexes(writer, this.#groups.flatMap(({ columns }) => columns));
    const keys: Record<string, string> = { ...metadata };
    if (run !== "") keys[RUN_KEY] = run;
    if (ranges.length > 0) keys[ROWS_KEY] = formatRanges(ranges);
    writeMetadata(writer, {
      version: 2,
      created_by: createdBy,
      schema: parquetSchemaElements(),
      num_rows: BigInt(this.#rows),
      row_groups: this.#groups.map(({ columns, rows, start, end }) => ({
        columns: columns.map(({ chunk }) => chunk),
        total_byte_size: columns.reduce(
          (sum, { chunk }) => sum + chunk.meta_data.total_uncompressed_size,
          0n,
        ),
        num_rows: BigInt(rows),
        file_offset: BigInt(start),
        total_compressed_size: BigInt(end - start),
      })),
      key_value_metadata: Object.entries(keys).map(([key, value]) => ({ key, value })),
      // Not written: its place is behind the metadata, where writeMetadata puts it.
      metadata_length: 0,
    });
    writer.appendBytes(MAGIC);
    this.#out.write(writer.getBytes());
  }

  #guard<T>(doing: string, work: () => T): T {
    if (this.#closed || this.#broken) {
      const state = this.#closed ? "it is closed" : "writing it has failed before";
      throw new TypeError(`Cannot ${doing} ${this.path}: ${state}`);
    }
    try {
      return work();
    } catch (cause) {
      // Some columns may have the row's value, and others not.
      this.#broken = true;
      if (cause instanceof RangeError) throw cause;
      throw new CaptureWriteError(this.path, doing, cause);
    }
  }
}

/** Tidies up after a failure that is being told; what fails here is told by that already. */
function quietly(tidy: () => void): void {
  try {
    tidy();
  } catch {
    // The file stays behind under its temporary name, which the next start removes.
  }
}
