/**
 * Large lists of the published shape, written page by page: millions of rows in one row group in
 * seconds. That what it writes is Parquet is checked by another reader.
 *
 * @module
 */

import { closeSync, openSync, writeSync } from "node:fs";
import { zstdCompressSync } from "node:zlib";

/** Rows of a page, some 256 KiB of URLs. */
const PAGE_ROWS = 4096;

/** Options of {@linkcode writeBigList}. */
export interface BigList {
  rows: number;
  column?: string;
  /** ASCII. @default {@linkcode bigUrl} */
  value?: (row: number) => string;
  /** Pages of version 1, without an offset index, as other writers make. */
  v1?: boolean;
}

/** Row of a list sorted by host, some 60 bytes, of which part cannot be compressed. */
export function bigUrl(row: number): string {
  const noise = (Math.imul(row, 2_654_435_761) ^ Math.imul(row, 40_503) >>> 3) >>> 0;
  return "https://www.site-" + Math.floor(row / 150) + ".example/section/" + row % 97 + "/" +
    noise.toString(36) + "-" + row + ".html";
}

/** Writes a list; gives back the offsets of its pages. */
export function writeBigList(path: string, list: BigList): { pages: number[]; bytes: number } {
  const { rows, column = "url", value = bigUrl, v1 = false } = list;
  const fd = openSync(path, "w");
  let at = 0;
  const put = (bytes: Uint8Array) => {
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
    at += bytes.length;
  };
  const encoder = new TextEncoder();
  put(encoder.encode("PAR1"));
  const pages: { offset: number; size: number; row: number }[] = [];
  let raw = 0;
  const values: string[] = [];
  const lengths = new Int32Array(PAGE_ROWS);
  let body = new Uint8Array(1 << 20);
  for (let first = 0; first < rows; first += PAGE_ROWS) {
    const count = Math.min(PAGE_ROWS, rows - first);
    values.length = 0;
    for (let i = 0; i < count; i++) {
      const text = value(first + i);
      values.push(text);
      lengths[i] = text.length;
    }
    const text = values.join("");
    if (body.length < text.length + count * 5 + 1024) body = new Uint8Array(text.length * 2);
    let end = packLengths(lengths.subarray(0, count), body);
    end += encoder.encodeInto(text, body.subarray(end)).written;
    const packed = zstdCompressSync(body.subarray(0, end), { params: { 100: 1 } });
    const header = new Thrift();
    header.i32(1, v1 ? 0 : 3).i32(2, end).i32(3, packed.length);
    if (v1) header.struct(5, (t) => t.i32(1, count).i32(2, 6).i32(3, 3).i32(4, 3));
    else {
      header.struct(
        8,
        (t) => t.i32(1, count).i32(2, 0).i32(3, count).i32(4, 6).i32(5, 0).i32(6, 0).bool(7, true),
      );
    }
    const head = header.bytes();
    pages.push({ offset: at, size: head.length + packed.length, row: first });
    raw += head.length + end;
    put(head);
    put(packed);
  }
  const dataEnd = at;
  const index = new Thrift();
  index.list(1, 12, pages.length, (t) => {
    for (const page of pages) t.i64(1, page.offset).i32(2, page.size).i64(3, page.row).stop();
  });
  const indexAt = at;
  if (!v1) put(index.bytes());
  const indexSize = at - indexAt;
  const footer = new Thrift();
  footer.i32(1, 2)
    .list(2, 12, 2, (t) => {
      t.string(4, "schema").i32(5, 1).stop();
      t.i32(1, 6).i32(3, 0).string(4, column).i32(6, 0).stop();
    })
    .i64(3, rows)
    .list(4, 12, 1, (t) => {
      t.list(1, 12, 1, (c) => {
        c.i64(2, 0).struct(
          3,
          (m) =>
            m.i32(1, 6).list(2, 5, 1, (e) => e.raw(6)).strings(3, [column]).i32(4, 6).i64(5, rows)
              .i64(6, raw).i64(7, dataEnd - 4).i64(9, 4),
        );
        if (!v1) c.i64(4, indexAt).i32(5, indexSize);
        c.stop();
      });
      t.i64(2, raw).i64(3, rows).stop();
    })
    .string(6, "test");
  const bytes = footer.bytes();
  put(bytes);
  put(new Uint8Array(Uint32Array.of(bytes.length).buffer));
  put(encoder.encode("PAR1"));
  closeSync(fd);
  return { pages: pages.map((p) => p.offset), bytes: at };
}

/** DELTA_BINARY_PACKED with blocks of 128 in 4 miniblocks. */
function packLengths(lengths: Int32Array, out: Uint8Array): number {
  let at = 0;
  const varint = (value: number) => {
    while (value >= 0x80) {
      out[at++] = value % 128 + 128;
      value = Math.floor(value / 128);
    }
    out[at++] = value;
  };
  const zigzag = (value: number) => varint(value < 0 ? -value * 2 - 1 : value * 2);
  varint(128);
  varint(4);
  varint(lengths.length);
  zigzag(lengths[0]!);
  for (let i = 1; i < lengths.length; i += 128) {
    const end = Math.min(i + 128, lengths.length);
    let minimum = Infinity;
    for (let j = i; j < end; j++) minimum = Math.min(minimum, lengths[j]! - lengths[j - 1]!);
    zigzag(minimum);
    const widths = at;
    at += 4;
    for (let m = 0; m < 4; m++) {
      const start = i + m * 32;
      const stop = Math.min(start + 32, end);
      let most = 0;
      for (let j = start; j < stop; j++) {
        most = Math.max(most, lengths[j]! - lengths[j - 1]! - minimum);
      }
      const width = 32 - Math.clz32(most);
      out[widths + m] = width;
      if (start >= stop) continue;
      out.fill(0, at, at + width * 4);
      for (let j = start, bit = 0; j < stop; j++, bit += width) {
        const delta = lengths[j]! - lengths[j - 1]! - minimum;
        for (let b = 0; b < width; b++) {
          if (delta >>> b & 1) out[at + (bit + b >>> 3)]! |= 1 << (bit + b & 7);
        }
      }
      at += width * 4;
    }
  }
  return at;
}

/** Writes Thrift's compact protocol. */
class Thrift {
  readonly #out: number[] = [];
  readonly #last: number[] = [0];

  #field(id: number, type: number): this {
    const delta = id - this.#last.at(-1)!;
    if (delta < 1 || delta > 15) throw new RangeError("fields are to be in order");
    this.#out.push(delta << 4 | type);
    this.#last[this.#last.length - 1] = id;
    return this;
  }
  #varint(value: number): this {
    while (value >= 0x80) {
      this.#out.push(value % 128 + 128);
      value = Math.floor(value / 128);
    }
    this.#out.push(value);
    return this;
  }
  raw(value: number): this {
    return this.#varint(value * 2);
  }
  i32(id: number, value: number): this {
    return this.#field(id, 5).raw(value);
  }
  i64(id: number, value: number): this {
    return this.#field(id, 6).raw(value);
  }
  bool(id: number, value: boolean): this {
    return this.#field(id, value ? 1 : 2);
  }
  #text(value: string): this {
    const bytes = new TextEncoder().encode(value);
    this.#varint(bytes.length);
    for (const byte of bytes) this.#out.push(byte);
    return this;
  }
  string(id: number, value: string): this {
    return this.#field(id, 8).#text(value);
  }
  strings(id: number, values: string[]): this {
    return this.list(id, 8, values.length, () => values.forEach((value) => this.#text(value)));
  }
  list(id: number, type: number, count: number, elements: (t: this) => void): this {
    this.#field(id, 9);
    if (count < 15) this.#out.push(count << 4 | type);
    else {
      this.#out.push(0xf0 | type);
      this.#varint(count);
    }
    this.#last.push(0);
    elements(this);
    this.#last.pop();
    return this;
  }
  struct(id: number, fields: (t: this) => void): this {
    this.#field(id, 12);
    this.#last.push(0);
    fields(this);
    this.stop();
    this.#last.pop();
    return this;
  }
  /** Ends a struct, and begins the next of a list. */
  stop(): this {
    this.#out.push(0);
    this.#last[this.#last.length - 1] = 0;
    return this;
  }
  bytes(): Uint8Array {
    return Uint8Array.from([...this.#out, 0]);
  }
}
