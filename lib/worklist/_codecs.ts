/**
 * Undoing the compression of pages.
 *
 * @module
 */

import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { snappyUncompress } from "hyparquet";

/** Gives back exactly `size` bytes, or throws. */
export type Decompress = (bytes: Uint8Array, size: number) => Uint8Array;

const CODECS: Readonly<Record<string, Decompress>> = {
  UNCOMPRESSED: (bytes) => bytes,
  SNAPPY(bytes, size) {
    const out = new Uint8Array(size);
    snappyUncompress(bytes, out);
    return out;
  },
  GZIP: (bytes, size) => gunzipSync(bytes, { maxOutputLength: Math.max(size, 1) }),
  BROTLI: (bytes, size) => brotliDecompressSync(bytes, { maxOutputLength: Math.max(size, 1) }),
  ZSTD: (bytes, size) => zstdDecompressSync(bytes, { maxOutputLength: Math.max(size, 1) }),
  LZ4_RAW: lz4,
};

/** The codec of a name, as parquet.thrift has it; `undefined` for one that is not known. */
export function codecOf(name: string): Decompress | undefined {
  const inner = Object.hasOwn(CODECS, name) ? CODECS[name] : undefined;
  if (inner === undefined) return undefined;
  return (bytes, size) => {
    // A page of no values may have no bytes at all, which is no stream of any codec.
    if (size === 0) return new Uint8Array(0);
    const out = inner(bytes, size);
    // A cut stream gives less, some of the runtime's decoders without saying so.
    if (out.length !== size) {
      throw new RangeError(`a page unpacks to ${out.length} bytes where ${size} were promised`);
    }
    return out;
  };
}

/** The LZ4 block format: literals and copies, each with a length. */
function lz4(bytes: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size);
  let from = 0;
  let to = 0;
  const length = (nibble: number): number => {
    let value = nibble;
    if (nibble === 15) {
      for (let byte = 255; byte === 255; value += byte) {
        if (from >= bytes.length || value > size + 15) {
          throw new RangeError("an LZ4 page is damaged");
        }
        byte = bytes[from++]!;
      }
    }
    return value;
  };
  while (from < bytes.length) {
    const token = bytes[from++]!;
    const literals = length(token >> 4);
    if (from + literals > bytes.length || to + literals > size) {
      throw new RangeError("an LZ4 page is damaged");
    }
    out.set(bytes.subarray(from, from + literals), to);
    from += literals;
    to += literals;
    if (from === bytes.length) break;
    if (from + 2 > bytes.length) throw new RangeError("an LZ4 page is damaged");
    const distance = bytes[from]! | bytes[from + 1]! << 8;
    from += 2;
    const copy = length(token & 15) + 4;
    if (distance === 0 || distance > to || to + copy > size) {
      throw new RangeError("an LZ4 page is damaged");
    }
    // The copy may overlap what it writes, so byte by byte.
    for (let i = 0; i < copy; i++, to++) out[to] = out[to - distance]!;
  }
  return out.subarray(0, to);
}
