/**
 * Page headers and offset indexes (parquet.thrift).
 *
 * @module
 */

import { ThriftEnd, ThriftError, ThriftReader, ThriftType } from "./_thrift.ts";

/** Kinds of pages. */
export const PageType = { data: 0, index: 1, dictionary: 2, dataV2: 3 } as const;

/** What stands before a page. */
export interface PageHeader {
  /** One of {@linkcode PageType}. */
  readonly type: number;
  readonly uncompressedSize: number;
  readonly compressedSize: number;
  /** Values, nulls included. */
  readonly values: number;
  /** Number of the encoding of the values. */
  readonly encoding: number;
  /** For V2: bytes of the levels, which stand uncompressed before the values. */
  readonly repetitionBytes: number;
  readonly definitionBytes: number;
  /** For V2: nulls among the values. */
  readonly nulls: number;
  /** For V2: whether the values are compressed. */
  readonly compressed: boolean;
  /** Bytes of the header itself. */
  readonly length: number;
}

/**
 * Reads a page header.
 *
 * @returns `undefined` when more bytes than these are needed.
 * @throws {ThriftError} If it is none.
 */
export function readPageHeader(bytes: Uint8Array): PageHeader | undefined {
  const reader = new ThriftReader(bytes);
  const header = {
    type: -1,
    uncompressedSize: -1,
    compressedSize: -1,
    values: -1,
    encoding: -1,
    repetitionBytes: 0,
    definitionBytes: 0,
    nulls: 0,
    compressed: true,
  };
  try {
    for (let last = 0; reader.next(last);) {
      last = reader.field;
      const { type } = reader;
      if (last === 1 && type === ThriftType.i32) header.type = reader.int();
      else if (last === 2 && type === ThriftType.i32) header.uncompressedSize = reader.int();
      else if (last === 3 && type === ThriftType.i32) header.compressedSize = reader.int();
      else if ((last === 5 || last === 7) && type === ThriftType.struct) readV1(reader, header);
      else if (last === 8 && type === ThriftType.struct) readV2(reader, header);
      else reader.skip(type);
    }
  } catch (error) {
    if (error instanceof ThriftEnd) return undefined;
    throw error;
  }
  const {
    type,
    uncompressedSize,
    compressedSize,
    values,
    nulls,
    repetitionBytes,
    definitionBytes,
  } = header;
  if (type < 0 || uncompressedSize < 0 || compressedSize < 0) {
    throw new ThriftError("a page header lacks its type or sizes");
  }
  if (type !== PageType.index && (values < 0 || header.encoding < 0)) {
    throw new ThriftError("a page header lacks its number of values or their encoding");
  }
  if (
    nulls < 0 || nulls > Math.max(values, 0) || repetitionBytes < 0 || definitionBytes < 0 ||
    repetitionBytes + definitionBytes > Math.min(compressedSize, uncompressedSize)
  ) throw new ThriftError("a page header contradicts itself");
  return { ...header, length: reader.at };
}

type Mutable = { -readonly [K in keyof PageHeader]: PageHeader[K] };

function readV1(reader: ThriftReader, header: Pick<Mutable, "values" | "encoding">): void {
  for (let last = 0; reader.next(last);) {
    last = reader.field;
    if (last === 1 && reader.type === ThriftType.i32) header.values = reader.int();
    else if (last === 2 && reader.type === ThriftType.i32) header.encoding = reader.int();
    else reader.skip(reader.type);
  }
}

function readV2(reader: ThriftReader, header: Omit<Mutable, "length">): void {
  for (let last = 0; reader.next(last);) {
    last = reader.field;
    const { type } = reader;
    if (last === 7 && (type === ThriftType.true || type === ThriftType.false)) {
      header.compressed = type === ThriftType.true;
    } else if (type !== ThriftType.i32) reader.skip(type);
    else if (last === 1) header.values = reader.int();
    else if (last === 2) header.nulls = reader.int();
    else if (last === 4) header.encoding = reader.int();
    else if (last === 5) header.definitionBytes = reader.int();
    else if (last === 6) header.repetitionBytes = reader.int();
    else reader.skip(type);
  }
}

/** Where the pages of a column chunk are. */
export interface PageIndex {
  /** Offset of each page's header in the file. */
  readonly offsets: Float64Array;
  /** Bytes of each page, its header included. */
  readonly sizes: Float64Array;
  /** Each page's first row in the row group. */
  readonly rows: Float64Array;
}

/**
 * Reads an offset index.
 *
 * @throws {ThriftError | ThriftEnd} If it is none, is cut, or goes backwards.
 */
export function readOffsetIndex(bytes: Uint8Array): PageIndex {
  const reader = new ThriftReader(bytes);
  let index: PageIndex | undefined;
  for (let last = 0; reader.next(last);) {
    last = reader.field;
    const { type } = reader;
    if (last !== 1 || type !== ThriftType.list) {
      reader.skip(type);
      continue;
    }
    const count = reader.list();
    // A location takes seven bytes at least.
    const element: number = reader.type;
    if (element !== ThriftType.struct || count * 7 > bytes.length) {
      throw new ThriftError("the offset index lists no pages");
    }
    const offsets = new Float64Array(count);
    const sizes = new Float64Array(count);
    const rows = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      for (let inner = 0; reader.next(inner);) {
        inner = reader.field;
        const { type } = reader;
        if (inner === 1 && type === ThriftType.i64) offsets[i] = reader.int();
        else if (inner === 2 && type === ThriftType.i32) sizes[i] = reader.int();
        else if (inner === 3 && type === ThriftType.i64) rows[i] = reader.int();
        else reader.skip(type);
      }
      const ordered = i === 0
        ? offsets[i]! > 0 && rows[i] === 0
        : offsets[i]! >= offsets[i - 1]! + sizes[i - 1]! && rows[i]! >= rows[i - 1]!;
      if (!ordered || sizes[i]! <= 0) throw new ThriftError("the offset index is out of order");
    }
    index = { offsets, sizes, rows };
  }
  if (index === undefined || index.rows.length === 0) {
    throw new ThriftError("the offset index lists no pages");
  }
  return index;
}
