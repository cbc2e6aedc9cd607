/**
 * Undoing the compression of pages.
 *
 * @module
 */

import {
  brotliDecompressSync,
  createGunzip,
  createZstdDecompress,
  gunzipSync,
  zstdDecompressSync,
} from "node:zlib";
import { snappyUncompress } from "hyparquet";
import { Engine } from "../zlib/mod.ts";

/**
 * Gives back exactly `size` bytes, or throws. They are in `into` where that is given, is larger than
 * `size`, and the codec can: pages of megabytes that are let go of are collected late.
 */
export type Decompress = (bytes: Uint8Array, size: number, into?: Uint8Array) => Uint8Array;

const CODECS: Readonly<Record<string, Decompress>> = {
  UNCOMPRESSED: (bytes) => bytes,
  SNAPPY(bytes, size, into) {
    const out = into?.subarray(0, size) ?? new Uint8Array(size);
    snappyUncompress(bytes, out);
    return out;
  },
  GZIP: reusing(
    createGunzip,
    (bytes, size) => gunzipSync(bytes, { maxOutputLength: Math.max(size, 1) }),
  ),
  BROTLI: (bytes, size) => brotliDecompressSync(bytes, { maxOutputLength: Math.max(size, 1) }),
  ZSTD: reusing(
    createZstdDecompress,
    (bytes, size) => zstdDecompressSync(bytes, { maxOutputLength: Math.max(size, 1) }),
  ),
  LZ4_RAW: lz4,
};

/** The codec of a name, as parquet.thrift has it; `undefined` for one that is not known. */
export function codecOf(name: string): Decompress | undefined {
  const inner = Object.hasOwn(CODECS, name) ? CODECS[name] : undefined;
  if (inner === undefined) return undefined;
  return (bytes, size, into) => {
    // A page of no values may have no bytes at all, which is no stream of any codec.
    if (size === 0) return new Uint8Array(0);
    const out = inner(bytes, size, into !== undefined && into.length > size ? into : undefined);
    // A cut stream gives less, some of the runtime's decoders without saying so.
    if (out.length !== size) {
      throw new RangeError(`a page unpacks to ${out.length} bytes where ${size} were promised`);
    }
    return out;
  };
}

/** Unpacks into what it is given by the engine inside a stream; what that does not take, plainly. */
function reusing(make: () => object, plain: Decompress): Decompress {
  let engine: Engine | undefined;
  return (bytes, size, into) => {
    if (into === undefined) return plain(bytes, size);
    engine ??= Engine.inside(make());
    if (engine === undefined) return plain(bytes, size);
    engine.reset();
    const good = engine.work(0, bytes, 0, into, 0) && engine.inLeft === 0 &&
      into.length - engine.outLeft === size;
    return good ? into.subarray(0, size) : plain(bytes, size);
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
