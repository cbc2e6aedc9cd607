/**
 * The queued URLs of hosts in memory, as bytes in large buffers: an object a URL would cost three
 * times the memory and most of the collector's work. Each record names the next one of its queue.
 *
 * Records are never freed one by one: a generation's buffers go all at once, when everything that
 * was in them has been written to the tables, and are used again.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { RawEntry } from "./_entry.ts";

const BITS = 18, CHUNK = 1 << BITS;
/** next (4), length (4), sequence (8), priority (8), depth (4), attempts (4), form (1), then bytes. */
const HEAD = 33;

interface Chunk {
  readonly bytes: Buffer;
  readonly view: DataView<ArrayBuffer>;
}

/** Linked lists of queued URLs. An address is a whole number above 0; 0 stands for none. */
export class Arena {
  readonly #chunks: Chunk[] = [];
  /** Chunks of this generation, of the one that ends, and those that are free. */
  #current: number[] = [];
  #ending: number[] = [];
  readonly #free: number[] = [];
  #base = 0;
  #at = CHUNK;
  #chunk: Chunk | undefined;

  /** Bytes that the records of this generation take. */
  get current(): number {
    return this.#current.length * CHUNK;
  }

  /** Bytes of all buffers, free ones too. */
  get bytes(): number {
    return this.#chunks.length * CHUNK;
  }

  /** Puts a record in, the last of its list; `previous` (0 for none) names it as its next. */
  append(raw: RawEntry, previous: number): number {
    const { bytes, start, end } = raw;
    const length = end - start;
    if (this.#at + HEAD + length > CHUNK) this.#grow(HEAD + length);
    const { bytes: target, view } = this.#chunk!;
    const at = this.#at;
    view.setUint32(at, 0);
    view.setUint32(at + 4, length);
    view.setFloat64(at + 8, raw.seq);
    view.setFloat64(at + 16, raw.priority);
    view.setUint32(at + 24, raw.depth);
    view.setUint32(at + 28, raw.attempts);
    target[at + 32] = raw.form;
    let to = at + HEAD;
    if (length < 128) { for (let i = start; i < end; i++) target[to++] = bytes[i]!; }
    else target.set(bytes.subarray(start, end), to);
    // Aligned, which the machine likes better.
    this.#at = (at + HEAD + length + 7) & ~7;
    const address = this.#base + at;
    if (previous !== 0) {
      this.#chunks[previous >>> BITS]!.view.setUint32(previous & (CHUNK - 1), address);
    }
    return address;
  }

  /** Reads a record; its bytes are good until its buffer is used again. The next one's address. */
  read(address: number, raw: RawEntry): number {
    const { bytes, view } = this.#chunks[address >>> BITS]!;
    const at = address & (CHUNK - 1);
    raw.seq = view.getFloat64(at + 8);
    raw.priority = view.getFloat64(at + 16);
    raw.depth = view.getUint32(at + 24);
    raw.attempts = view.getUint32(at + 28);
    raw.form = bytes[at + 32]!;
    raw.bytes = bytes;
    raw.start = at + HEAD;
    raw.end = at + HEAD + view.getUint32(at + 4);
    return view.getUint32(at);
  }

  /** The generation ends: what comes now goes into other buffers. */
  turn(): void {
    this.#ending.push(...this.#current);
    this.#current = [];
    this.#at = CHUNK;
  }

  /** Everything of the generation that ends is in the tables. */
  release(): void {
    this.#free.push(...this.#ending);
    this.#ending = [];
  }

  #grow(needed: number): void {
    if (needed + 8 > CHUNK) throw new RangeError(`Cannot queue a URL of ${needed} bytes`);
    let index = this.#free.pop();
    if (index === undefined) {
      index = this.#chunks.length;
      const bytes = Buffer.from(new ArrayBuffer(CHUNK));
      this.#chunks.push({ bytes, view: new DataView(bytes.buffer as ArrayBuffer) });
    }
    this.#current.push(index);
    this.#chunk = this.#chunks[index]!;
    this.#base = index * CHUNK;
    // Address 0 is none.
    this.#at = 8;
  }
}
