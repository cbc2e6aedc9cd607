/**
 * Column chunks under way: values gathered into pages.
 *
 * @module
 */

import type { PageEncoding } from "./_page_store.ts";

/** Bytes of a page before compression; a larger value has a page of its own. */
export const PAGE_BYTES = 1 << 20;

/** Takes a full page. `raw` is valid during the call. */
export type EmitPage = (
  raw: Uint8Array,
  values: number,
  encoding: PageEncoding,
  dictionary?: boolean,
) => void;

/** The least and the greatest value of a chunk. */
export interface MinMax {
  readonly min: number | bigint | boolean | Uint8Array;
  readonly max: number | bigint | boolean | Uint8Array;
}

/** A column chunk under way. Values are given as places in a packed row. */
export interface Chunk {
  /** Adds the value at `start` of `length` bytes. */
  add(row: Uint8Array, start: number, length: number): void;
  /** Emits what is left and begins the next chunk. */
  end(): MinMax | undefined;
  /** Bytes held. */
  readonly byteLength: number;
}

/** First size of a page buffer; most columns never need a whole page's. */
export const FIRST: number = 1 << 14;

/** A buffer that grows up to one page. */
class PageBuffer {
  bytes = new Uint8Array(FIRST);
  used = 0;

  /** Makes room for `more` bytes; the caller sees to it that they fit a page. */
  reserve(more: number): void {
    const needed = this.used + more;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(
      Math.min(PAGE_BYTES, Math.max(needed, this.bytes.length * 2)),
    );
    grown.set(this.bytes.subarray(0, this.used));
    this.bytes = grown;
  }
}

/** Bytes below which a loop copies faster than a call. */
const FEW = 32;

function copy(from: Uint8Array, start: number, length: number, to: Uint8Array, at: number): void {
  if (length < FEW) {
    for (let i = 0; i < length; i++) to[at + i] = from[start + i]!;
  } else {
    to.set(from.subarray(start, start + length), at);
  }
}

/** Puts the length that stands before a byte array. */
export function putLength(bytes: Uint8Array, at: number, length: number): void {
  bytes[at] = length;
  bytes[at + 1] = length >>> 8;
  bytes[at + 2] = length >>> 16;
  bytes[at + 3] = length >>> 24;
}

/** PLAIN byte arrays, a page emitted whenever one is full. */
export class BytesChunk implements Chunk {
  readonly #emit: EmitPage;
  #page = new PageBuffer();
  #values = 0;

  constructor(emit: EmitPage) {
    this.#emit = emit;
  }

  get byteLength(): number {
    return this.#page.bytes.length;
  }

  add(row: Uint8Array, start: number, length: number): void {
    const page = this.#page, size = length + 4;
    if (page.used + size > PAGE_BYTES) {
      this.#flush();
      if (size > PAGE_BYTES) return this.#alone(row, start, length);
    }
    page.reserve(size);
    putLength(page.bytes, page.used, length);
    copy(row, start, length, page.bytes, page.used + 4);
    page.used += size;
    this.#values++;
  }

  end(): undefined {
    this.#flush();
  }

  #flush(): void {
    if (this.#values === 0) return;
    this.#emit(this.#page.bytes.subarray(0, this.#page.used), this.#values, "PLAIN");
    this.#page.used = 0;
    this.#values = 0;
  }

  /** A value larger than a page: its buffer is not kept. */
  #alone(row: Uint8Array, start: number, length: number): void {
    const raw = new Uint8Array(length + 4);
    putLength(raw, 0, length);
    raw.set(row.subarray(start, start + length), 4);
    this.#emit(raw, 1, "PLAIN");
  }
}

/** Numbers as they lie in the row, PLAIN. */
export class FixedChunk implements Chunk {
  readonly #emit: EmitPage;
  readonly #width: number;
  readonly #read: ((view: DataView, at: number) => number) | undefined;
  readonly #bound: (value: number) => number | bigint;
  #page = new PageBuffer();
  #values = 0;
  #seen: Uint8Array | undefined;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #min = Infinity;
  #max = -Infinity;

  /** @param statistics Whether the least and the greatest value are told. */
  constructor(type: "int32" | "int64" | "uint64" | "double", statistics: boolean, emit: EmitPage) {
    this.#emit = emit;
    this.#width = type === "int32" ? 4 : 8;
    this.#read = !statistics
      ? undefined
      : type === "int32"
      ? (view, at) => view.getInt32(at, true)
      : (view, at) => view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
    this.#bound = type === "int32" ? Number : BigInt;
  }

  get byteLength(): number {
    return this.#page.bytes.length;
  }

  add(row: Uint8Array, start: number): void {
    const page = this.#page, width = this.#width;
    if (page.used + width > PAGE_BYTES) this.#flush();
    page.reserve(width);
    const { bytes, used } = page;
    for (let i = 0; i < width; i++) bytes[used + i] = row[start + i]!;
    page.used += width;
    this.#values++;
    if (this.#read === undefined) return;
    if (this.#seen !== row) {
      this.#seen = row;
      this.#view = new DataView(row.buffer, row.byteOffset, row.byteLength);
    }
    const value = this.#read(this.#view, start);
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
  }

  end(): MinMax | undefined {
    this.#flush();
    this.#seen = undefined;
    if (this.#read === undefined) return undefined;
    const told = { min: this.#bound(this.#min), max: this.#bound(this.#max) };
    this.#min = Infinity;
    this.#max = -Infinity;
    return told;
  }

  #flush(): void {
    if (this.#values === 0) return;
    this.#emit(this.#page.bytes.subarray(0, this.#page.used), this.#values, "PLAIN");
    this.#page.used = 0;
    this.#values = 0;
  }
}

/** Booleans, a bit each. */
export class BooleanChunk implements Chunk {
  readonly #emit: EmitPage;
  #bits = new Uint8Array(1 << 10);
  #values = 0;
  #trues = 0;

  constructor(emit: EmitPage) {
    this.#emit = emit;
  }

  get byteLength(): number {
    return this.#bits.length;
  }

  add(row: Uint8Array, start: number): void {
    const at = this.#values >> 3;
    if (at === this.#bits.length) {
      const grown = new Uint8Array(at * 2);
      grown.set(this.#bits);
      this.#bits = grown;
    }
    if (row[start] !== 0) {
      this.#bits[at]! |= 1 << (this.#values & 7);
      this.#trues++;
    }
    this.#values++;
  }

  end(): MinMax | undefined {
    const used = (this.#values + 7) >> 3;
    this.#emit(this.#bits.subarray(0, used), this.#values, "PLAIN");
    this.#bits.fill(0, 0, used);
    const told = { min: this.#trues === this.#values, max: this.#trues > 0 };
    this.#values = 0;
    this.#trues = 0;
    return told;
  }
}
