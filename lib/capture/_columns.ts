/**
 * Column chunks under way: values gathered into pages.
 *
 * @module
 */

import { ByteWriter } from "hyparquet-writer";
import { writeRleBitPackedHybrid } from "hyparquet-writer/src/encoding.js";
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
const FIRST = 1 << 14;

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

function putLength(bytes: Uint8Array, at: number, length: number): void {
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

/** A dictionary above this does not pay, nor would readers like it. */
const MAX_DICTIONARY = 1 << 20;

/**
 * Byte arrays of which many are the same: each distinct one is kept once, and numbers say which.
 * Written with a dictionary where that is smaller, PLAIN otherwise.
 */
export class DictionaryChunk implements Chunk {
  readonly #emit: EmitPage;
  /** Distinct values one after the other, and where each begins; one more than there are. */
  #bytes = new Uint8Array(FIRST);
  #starts = new Uint32Array(1 << 8);
  #count = 0;
  /** Value number + 1 by hash, open addressing. */
  #table = new Uint32Array(1 << 9);
  #indexes = new Uint32Array(1 << 10);
  #values = 0;
  #plainSize = 0;
  // Secret, since a site chooses its values and could make them meet in one place of the table.
  readonly #seed: number = crypto.getRandomValues(new Int32Array(1))[0]!;

  constructor(emit: EmitPage) {
    this.#emit = emit;
  }

  get byteLength(): number {
    return this.#bytes.length + this.#starts.byteLength + this.#table.byteLength +
      this.#indexes.byteLength;
  }

  add(row: Uint8Array, start: number, length: number): void {
    if (this.#values === this.#indexes.length) this.#indexes = widen(this.#indexes);
    this.#indexes[this.#values++] = this.#find(row, start, length);
    this.#plainSize += length + 4;
  }

  end(): MinMax | undefined {
    const told = this.#minMax();
    const size = this.#starts[this.#count]! + 4 * this.#count;
    const indexBits = this.#values * bitWidth(this.#count - 1);
    if (size <= MAX_DICTIONARY && size + indexBits / 8 < this.#plainSize / 2) this.#encoded(size);
    else this.#plain();
    this.#count = 0;
    this.#values = 0;
    this.#plainSize = 0;
    // A group of odd values must not hold its memory for good.
    if (this.#bytes.length > MAX_DICTIONARY) this.#bytes = new Uint8Array(FIRST);
    if (this.#table.length > 1 << 16) this.#table = new Uint32Array(1 << 9);
    else this.#table.fill(0);
    return told;
  }

  #find(row: Uint8Array, start: number, length: number): number {
    const mask = this.#table.length - 1;
    let slot = this.#hash(row, start, start + length) & mask;
    for (;; slot = (slot + 1) & mask) {
      const known = this.#table[slot]! - 1;
      if (known < 0) break;
      if (this.#same(known, row, start, length)) return known;
    }
    this.#table[slot] = this.#count + 1;
    return this.#learn(row, start, length);
  }

  #hash(bytes: Uint8Array, start: number, end: number): number {
    let hash = this.#seed;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
    return hash ^ hash >>> 15;
  }

  #same(known: number, row: Uint8Array, start: number, length: number): boolean {
    const at = this.#starts[known]!;
    if (this.#starts[known + 1]! - at !== length) return false;
    const bytes = this.#bytes;
    for (let i = 0; i < length; i++) if (bytes[at + i] !== row[start + i]) return false;
    return true;
  }

  #learn(row: Uint8Array, start: number, length: number): number {
    const number = this.#count++;
    const at = this.#starts[number]!;
    if (at + length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(at + length, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, at));
      this.#bytes = grown;
    }
    this.#bytes.set(row.subarray(start, start + length), at);
    if (number + 2 > this.#starts.length) this.#starts = widen(this.#starts);
    this.#starts[number + 1] = at + length;
    if (this.#count * 2 > this.#table.length) this.#rehash();
    return number;
  }

  #rehash(): void {
    const table = new Uint32Array(this.#table.length * 2), mask = table.length - 1;
    for (let number = 0; number < this.#count; number++) {
      let slot = this.#hash(this.#bytes, this.#starts[number]!, this.#starts[number + 1]!) & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = number + 1;
    }
    this.#table = table;
  }

  #value(number: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[number], this.#starts[number + 1]);
  }

  #minMax(): MinMax | undefined {
    if (this.#count === 0) return undefined;
    let min = this.#value(0), max = min;
    for (let number = 1; number < this.#count; number++) {
      const value = this.#value(number);
      if (compare(value, min) < 0) min = value;
      if (compare(value, max) > 0) max = value;
    }
    return { min: min.slice(), max: max.slice() };
  }

  #encoded(size: number): void {
    const raw = new Uint8Array(size);
    let at = 0;
    for (let number = 0; number < this.#count; number++) {
      const value = this.#value(number);
      putLength(raw, at, value.length);
      raw.set(value, at + 4);
      at += value.length + 4;
    }
    this.#emit(raw, this.#count, "PLAIN", true);
    const width = bitWidth(this.#count - 1);
    const page = new ByteWriter(1 << 12);
    page.appendUint8(width);
    writeRleBitPackedHybrid(page, this.#indexes.subarray(0, this.#values), width);
    this.#emit(page.getBytes(), this.#values, "RLE_DICTIONARY");
  }

  #plain(): void {
    const chunk = new BytesChunk(this.#emit);
    for (let i = 0; i < this.#values; i++) {
      const number = this.#indexes[i]!, start = this.#starts[number]!;
      chunk.add(this.#bytes, start, this.#starts[number + 1]! - start);
    }
    chunk.end();
  }
}

function widen(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const wider = new Uint32Array(array.length * 2);
  wider.set(array);
  return wider;
}

function bitWidth(most: number): number {
  return 32 - Math.clz32(most);
}

function compare(a: Uint8Array, b: Uint8Array): number {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
