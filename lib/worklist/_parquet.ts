/**
 * Reading columns of strings from a Parquet file, page by page.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import {
  Encoding,
  EncodingError,
  Places,
  readDeltaBytes,
  readDeltaLength,
  readPlain,
  unpackHybrid,
} from "./_encodings.ts";
import { PartFormatError } from "./errors.ts";
import { type PageHeader, PageType, readPageHeader } from "./_page_header.ts";
import type { Part, PartRows, Wanted } from "./_part.ts";
import { type ColumnChunk, type ParquetColumn, readColumn, readIndex } from "./_parquet_file.ts";
import { type ByteSource, reason } from "./_source.ts";
import { type ByteSlices, Dictionary, DictionaryValues, type Values } from "./_values.ts";
import { Window } from "./_window.ts";

/** Some writers make pages of 100 MB. */
const MAX_PAGE = 160 << 20;
const MAX_HEADER = 1 << 20;
/** Rows handed over at once. */
const SLICE = 2048;

/**
 * A turn of the event loop. What is read ahead is at hand without one, so that a reader of many pages would
 * keep all else of its thread waiting, V8's collector too, which then lets twice the garbage pile up.
 */
function turn(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}

/** A Parquet file as a part. */
export function parquetPart(
  name: string,
  open: () => Promise<ByteSource>,
  column: string | undefined,
): Part {
  return {
    name,
    async *read(wanted) {
      await using source = await open();
      const file = await readColumn(source, column);
      const window = new Window(source);
      try {
        for await (const { page, first, from, to } of readPages(source, file, window, wanted)) {
          yield* page.slices(first, from, to);
        }
      } finally {
        await window.settle();
      }
    },
  };
}

/** The rows `from` up to `to` of a page that begins with row `first`. */
export interface PageRows {
  readonly page: Page;
  readonly first: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The pages of a column that hold rows that are wanted, each as often as it holds ranges of them.
 * A page lasts until the next is asked for.
 */
export function readPages(
  source: ByteSource,
  column: ParquetColumn,
  window: Window,
  wanted: readonly Wanted[],
): AsyncGenerator<PageRows, void, unknown> {
  return new ColumnReader(source, column, window).read(wanted);
}

class ColumnReader {
  readonly #source: ByteSource;
  readonly #column: ParquetColumn;
  readonly #window: Window;
  #dictionary: Dictionary | undefined;
  /** What the page at hand is unpacked into, and the next one then. */
  #unpacked: Uint8Array = new Uint8Array(0);
  readonly #places = new Places();

  constructor(source: ByteSource, column: ParquetColumn, window: Window) {
    this.#source = source;
    this.#column = column;
    this.#window = window;
  }

  async *read(wanted: readonly Wanted[]): AsyncGenerator<PageRows, void, unknown> {
    let first = 0;
    for (const chunk of this.#column.chunks) {
      while (first < wanted.length && wanted[first]!.end <= chunk.start) first++;
      const inside: Wanted[] = [];
      for (let i = first; i < wanted.length && wanted[i]!.start < chunk.end; i++) {
        const start = Math.max(wanted[i]!.start, chunk.start);
        const end = Math.min(wanted[i]!.end, chunk.end);
        if (start < end) inside.push({ start, end });
      }
      if (inside.length === 0) continue;
      this.#dictionary = undefined;
      try {
        yield* chunk.index === undefined ? this.#walk(chunk, inside) : this.#seek(chunk, inside);
      } catch (error) {
        if (!(error instanceof EncodingError)) throw error;
        throw this.#damaged(error.message, error);
      }
    }
  }

  /** Goes from page to page, passing over those that are not wanted. */
  async *#walk(chunk: ColumnChunk, wanted: readonly Wanted[]): AsyncGenerator<PageRows> {
    const window = this.#window;
    window.jump(chunk.offset, chunk.limit);
    let row = chunk.start;
    let next = 0;
    while (row < chunk.end && next < wanted.length) {
      const header = await this.#header();
      if (header.type === PageType.dictionary || header.type === PageType.index) {
        await this.#other(header, chunk);
        continue;
      }
      const end = row + header.values;
      if (end > chunk.end) throw this.#damaged("its pages hold more rows than its footer says");
      if (wanted[next]!.start >= end) window.skip(header.compressedSize);
      else {
        const page = await this.#page(header, chunk);
        for (; next < wanted.length && wanted[next]!.start < end; next++) {
          const want = wanted[next]!;
          yield {
            page,
            first: row,
            from: Math.max(want.start, row),
            to: Math.min(want.end, end),
          };
          if (want.end > end) break;
        }
      }
      row = end;
    }
    if (next < wanted.length && row < chunk.end) {
      throw this.#damaged("its pages hold fewer rows than its footer says");
    }
  }

  /** Goes to the pages that are wanted by the offset index. */
  async *#seek(chunk: ColumnChunk, wanted: readonly Wanted[]): AsyncGenerator<PageRows> {
    const index = (await readIndex(this.#source, this.#column, chunk))!;
    const { offsets, sizes, rows } = index;
    const pages = rows.length;
    const firstRow = (p: number) => p < pages ? chunk.start + rows[p]! : chunk.end;
    const window = this.#window;
    if (offsets[0]! > chunk.offset) {
      window.jump(chunk.offset, offsets[0]!);
      while (window.offset < offsets[0]!) {
        const header = await this.#header();
        if (header.type !== PageType.dictionary && header.type !== PageType.index) {
          throw this.#damaged("its offset index leaves out a page");
        }
        await this.#other(header, chunk);
      }
    }
    for (let next = 0, page = 0; next < wanted.length;) {
      page = lastAtOrBefore(rows, wanted[next]!.start - chunk.start, page);
      // Pages that follow each other are one run, so that windows reach over them and no further.
      let behind = page + 1;
      for (let n = next; n < wanted.length && wanted[n]!.start <= firstRow(behind); n++) {
        while (behind < pages && firstRow(behind) < wanted[n]!.end) behind++;
      }
      for (; page < behind && next < wanted.length; page++) {
        const start = firstRow(page);
        const end = firstRow(page + 1);
        if (wanted[next]!.start >= end) continue;
        window.jump(offsets[page]!, offsets[behind - 1]! + sizes[behind - 1]!);
        const header = await this.#header();
        const dataPage = header.type === PageType.data || header.type === PageType.dataV2;
        if (!dataPage || header.values !== end - start) {
          throw this.#damaged("its offset index and its pages are not of one mind");
        }
        const values = await this.#page(header, chunk);
        for (; next < wanted.length && wanted[next]!.start < end; next++) {
          const want = wanted[next]!;
          yield {
            page: values,
            first: start,
            from: Math.max(want.start, start),
            to: Math.min(want.end, end),
          };
          if (want.end > end) break;
        }
      }
    }
  }

  /** Reads the header at hand and passes over it. */
  async #header(): Promise<PageHeader> {
    for (let size = 256; size <= MAX_HEADER; size *= 8) {
      const bytes = await this.#window.upTo(size);
      let header: PageHeader | undefined;
      try {
        header = readPageHeader(bytes);
      } catch (cause) {
        throw this.#damaged(reason(cause), cause);
      }
      if (header !== undefined) {
        if (header.compressedSize > MAX_PAGE || header.uncompressedSize > MAX_PAGE) {
          throw this.#damaged(`it has a page of more than ${MAX_PAGE} bytes`);
        }
        this.#window.skip(header.length);
        return header;
      }
      if (bytes.length < size) break;
    }
    throw this.#damaged("a page header is cut");
  }

  /** Takes in a dictionary, and passes over a page of another kind that is no data. */
  async #other(header: PageHeader, chunk: ColumnChunk): Promise<void> {
    if (header.type === PageType.dictionary) {
      const bytes = await this.#window.need(header.compressedSize);
      const values = readPlain(this.#unpack(bytes, header.uncompressedSize, chunk), header.values);
      this.#dictionary = new Dictionary(values);
    }
    this.#window.skip(header.compressedSize);
  }

  /** Reads the body of a data page and passes over it. */
  async #page(header: PageHeader, chunk: ColumnChunk): Promise<Page> {
    const body = await this.#window.need(header.compressedSize);
    this.#window.skip(header.compressedSize);
    await turn();
    const { optional } = this.#column;
    const levels = optional ? new Int32Array(header.values) : undefined;
    let bytes: Uint8Array;
    if (header.type === PageType.dataV2) {
      const { repetitionBytes, definitionBytes } = header;
      const at = repetitionBytes + definitionBytes;
      if (levels !== undefined) unpackHybrid(body, repetitionBytes, at, 1, levels, 2);
      bytes = body.subarray(at);
      if (header.compressed) bytes = this.#unpack(bytes, header.uncompressedSize - at, chunk);
    } else {
      bytes = this.#unpack(body, header.uncompressedSize, chunk);
      if (levels !== undefined) {
        if (bytes.length < 4) throw new EncodingError("the levels of a page are cut");
        const end = 4 + new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
        if (end > bytes.length) throw new EncodingError("the levels of a page are cut");
        unpackHybrid(bytes, 4, end, 1, levels, 2);
        bytes = bytes.subarray(end);
      }
    }
    let count = header.values;
    if (levels !== undefined) { for (const level of levels) count -= 1 - level; }
    return new Page(
      this.#values(bytes, header.encoding, count),
      count === header.values ? undefined : levels,
    );
  }

  #values(bytes: Uint8Array, encoding: number, count: number): Values {
    switch (encoding) {
      case Encoding.plain:
        return readPlain(bytes, count, this.#places);
      case Encoding.deltaLength:
        return readDeltaLength(bytes, count, this.#places);
      case Encoding.deltaBytes:
        return readDeltaBytes(bytes, count);
      case Encoding.plainDictionary:
      case Encoding.rleDictionary: {
        if (this.#dictionary === undefined) throw new EncodingError("its dictionary is missing");
        const indexes = new Int32Array(count);
        if (count > 0) {
          if (bytes.length === 0) throw new EncodingError("a run of indexes is cut");
          unpackHybrid(bytes, 1, bytes.length, bytes[0]!, indexes, this.#dictionary.length);
        }
        return new DictionaryValues(this.#dictionary, indexes);
      }
      default:
        throw new EncodingError(
          `its values are in encoding ${encoding}, which is none for strings`,
        );
    }
  }

  #unpack(bytes: Uint8Array, size: number, chunk: ColumnChunk): Uint8Array {
    // One byte more, so that there is always room left: that tells that nothing is.
    if (this.#unpacked.length <= size && size <= MAX_PAGE) {
      this.#unpacked = new Uint8Array((size >> 20) + 1 << 20);
    }
    try {
      return chunk.decompress(bytes, size, this.#unpacked);
    } catch (cause) {
      throw this.#damaged(`a page cannot be unpacked: ${reason(cause)}`, cause);
    }
  }

  #damaged(why: string, cause?: unknown): PartFormatError {
    return new PartFormatError(
      this.#source.name,
      why,
      cause === undefined ? undefined : { cause },
    );
  }
}

/** The rows of a data page. */
export class Page {
  readonly #values: Values;
  /** For each row whether it has a value; undefined when all have. */
  readonly #levels: Int32Array | undefined;
  #rowsSeen = 0;
  #valuesSeen = 0;

  constructor(values: Values, levels: Int32Array | undefined) {
    this.#values = values;
    this.#levels = levels;
  }

  /** The rows `from` up to `to` of a page that begins with row `first`; later calls ask for later rows. */
  *slices(first: number, from: number, to: number): Generator<PartRows> {
    for (let start = from; start < to; start += SLICE) {
      const end = Math.min(start + SLICE, to);
      const values: (string | undefined)[] = [];
      if (this.#levels === undefined) this.#values.strings(start - first, end - first, values);
      else this.#withNulls(this.#levels, start - first, end - first, values);
      yield { row: start, values };
    }
  }

  /** Where the value of each of its rows stands. */
  bytes(): ByteSlices {
    const values = this.#values.slices();
    const levels = this.#levels;
    if (levels === undefined) return values;
    const starts = new Int32Array(levels.length).fill(-1);
    const ends = new Int32Array(levels.length).fill(-1);
    for (let i = 0, v = 0; i < levels.length; i++) {
      if (levels[i] !== 1) continue;
      starts[i] = values.starts[v]!;
      ends[i] = values.ends[v++]!;
    }
    return { bytes: values.bytes, starts, ends };
  }

  #withNulls(levels: Int32Array, from: number, to: number, out: (string | undefined)[]): void {
    for (; this.#rowsSeen < from; this.#rowsSeen++) this.#valuesSeen += levels[this.#rowsSeen]!;
    const dense: (string | undefined)[] = [];
    let count = 0;
    for (let i = from; i < to; i++) count += levels[i]!;
    this.#values.strings(this.#valuesSeen, this.#valuesSeen + count, dense);
    for (let i = from, v = 0; i < to; i++) out.push(levels[i] === 1 ? dense[v++] : undefined);
    this.#valuesSeen += count;
    this.#rowsSeen = to;
  }
}

/** Index of the last entry that is not above `value`, at or behind `from`. */
function lastAtOrBefore(sorted: Float64Array, value: number, from: number): number {
  let low = from;
  let high = sorted.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! <= value) low = middle;
    else high = middle;
  }
  return low;
}
