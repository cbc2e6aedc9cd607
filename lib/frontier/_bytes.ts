/**
 * A growing byte buffer and a cursor over one: variable-length integers, doubles, UTF-8.
 *
 * @module
 */

import { Buffer } from "node:buffer";

const encoder = new TextEncoder();
const double = new Float64Array(1);
const doubleBytes = new Uint8Array(double.buffer);

/** Appends to a buffer that doubles when it is full and is used again after {@linkcode ByteWriter.clear}. */
export class ByteWriter {
  #buffer: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(capacity = 1024) {
    this.#buffer = new Uint8Array(capacity);
  }

  clear(): void {
    this.length = 0;
  }

  /** What was written, without a copy: good until the next write. */
  view(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.length);
  }

  #room(count: number): void {
    if (this.length + count <= this.#buffer.length) return;
    const grown = new Uint8Array(Math.max(this.#buffer.length * 2, this.length + count));
    grown.set(this.view());
    this.#buffer = grown;
  }

  byte(value: number): void {
    this.#room(1);
    this.#buffer[this.length++] = value;
  }

  /** A whole number from 0 to 2^53 - 1, seven bits a byte. */
  varint(value: number): void {
    this.#room(8);
    if (value < 128) {
      this.#buffer[this.length++] = value;
      return;
    }
    while (value > 0x7f) {
      this.#buffer[this.length++] = (value % 128) | 0x80;
      value = Math.floor(value / 128);
    }
    this.#buffer[this.length++] = value;
  }

  /** A whole number of either sign. */
  signed(value: number): void {
    this.varint(value < 0 ? -value * 2 - 1 : value * 2);
  }

  float(value: number): void {
    this.#room(8);
    double[0] = value;
    this.#buffer.set(doubleBytes, this.length);
    this.length += 8;
  }

  raw(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#buffer.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** The bytes from `start` to `end`. */
  range(bytes: Uint8Array, start: number, end: number): void {
    const count = end - start;
    this.#room(count);
    // A loop beats the making of a view on short ranges, which almost all are.
    if (count < 128) {
      const buffer = this.#buffer;
      let at = this.length;
      for (let i = start; i < end; i++) buffer[at++] = bytes[i]!;
    } else {
      this.#buffer.set(bytes.subarray(start, end), this.length);
    }
    this.length += count;
  }

  /** Length, then bytes. */
  bytes(bytes: Uint8Array): void {
    this.varint(bytes.length);
    this.raw(bytes);
  }

  /** UTF-8 without its length. */
  plain(text: string): void {
    this.#room(text.length * 3);
    const start = this.length;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) {
        this.length = start;
        this.raw(encoder.encode(text));
        return;
      }
      this.#buffer[this.length++] = code;
    }
  }

  /** Length, then UTF-8, of the text from `from` on. */
  text(text: string, from = 0): void {
    const count = text.length - from;
    const start = this.length;
    // Almost all text here is short ASCII, for which a loop beats a call to the encoder.
    if (count < 256) {
      this.#room(count + 2);
      this.varint(count);
      const buffer = this.#buffer;
      let at = this.length;
      for (let i = from; i < text.length; i++) {
        const code = text.charCodeAt(i);
        if (code > 127) break;
        buffer[at++] = code;
      }
      if (at - this.length === count) {
        this.length = at;
        return;
      }
      this.length = start;
    }
    this.bytes(encoder.encode(text.slice(from)));
  }
}

/** Reads what a {@linkcode ByteWriter} wrote. Reading past the end throws a RangeError. */
export class ByteReader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = asBuffer(bytes);
  }

  /** What is read from. */
  get buffer(): Buffer {
    return this.#bytes;
  }

  get done(): boolean {
    return this.at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.at++];
    if (value === undefined) throw new RangeError("Cannot read the record: it is cut short");
    return value;
  }

  varint(): number {
    let value = 0, scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
      if (scale > 2 ** 53) throw new RangeError("Cannot read the record: a number is too long");
    }
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  float(): number {
    for (let i = 0; i < 8; i++) doubleBytes[i] = this.byte();
    return double[0]!;
  }

  bytes(): Uint8Array {
    const end = this.range();
    const bytes = new Uint8Array(
      this.#bytes.buffer,
      this.#bytes.byteOffset + this.at,
      end - this.at,
    );
    this.at = end;
    return bytes;
  }

  text(): string {
    const end = this.range();
    const text = this.#bytes.toString("utf8", this.at, end);
    this.at = end;
    return text;
  }

  /** Reads a length; where the bytes of that length end that begin here. */
  range(): number {
    const length = this.varint();
    const end = this.at + length;
    if (end > this.#bytes.length) throw new RangeError("Cannot read the record: it is cut short");
    return end;
  }
}

/** The same bytes as a Buffer, whose `toString` of a range costs a third of a TextDecoder's. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
