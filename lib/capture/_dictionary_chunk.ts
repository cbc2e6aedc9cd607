/**
 * Column chunks in which many values are the same.
 *
 * @module
 */

import { ByteWriter } from "hyparquet-writer";
import { writeRleBitPackedHybrid } from "hyparquet-writer/src/encoding.js";
import { BytesChunk, type Chunk, type EmitPage, FIRST, type MinMax, putLength } from "./_chunks.ts";

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
