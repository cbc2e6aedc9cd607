/**
 * Compression of what goes into the state: a tag byte, then the bytes. zstd, or the bytes as they are
 * where that does not pay. Older states have pieces in deflate.
 *
 * @module
 */

import zlib from "node:zlib";
import { type Coder, reusing, ZSTD_END } from "../zlib/mod.ts";
import type { ByteWriter } from "./_bytes.ts";

/** Shorter pieces stay as they are: the call costs as much as copying a hundred times as much. */
const SMALL = 256;
const RAW = 0, ZSTD = 1, DEFLATE = 2;
const zstd = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } };

/** Compresses `bytes`; the result is a copy. */
export function pack(bytes: Uint8Array): Uint8Array {
  const { tag, body } = compress(bytes);
  return tagged(tag, body);
}

/** Compresses `bytes` to the end of `out`. */
export function packInto(out: ByteWriter, bytes: Uint8Array): void {
  const { tag, body } = compress(bytes);
  out.byte(tag);
  out.range(body, 0, body.length);
}

interface Coders {
  readonly compress: Coder;
  readonly decompress: Coder;
}

let coders: Coders | undefined;

function makeCoders(): Coders {
  const plain = (bytes: Uint8Array) => zlib.zstdDecompressSync(bytes);
  const trials = [300, 5000, 100_000].map((n) => new Uint8Array(n).map((_, i) => (i * i) >> 5));
  return {
    compress: reusing(
      zlib.createZstdCompress(zstd),
      ZSTD_END,
      (bytes) => zlib.zstdCompressSync(bytes, zstd),
      trials,
      (a, b) => plain(a).equals(plain(b)),
    ),
    decompress: reusing(
      zlib.createZstdDecompress(),
      zlib.constants.ZSTD_e_continue,
      plain,
      trials.map((bytes) => zlib.zstdCompressSync(bytes, zstd)),
    ),
  };
}

/** The body is good until the next call. */
function compress(bytes: Uint8Array): { tag: number; body: Uint8Array } {
  if (bytes.length >= SMALL) {
    coders ??= makeCoders();
    const body = coders.compress(bytes);
    if (body.length < bytes.length * 0.9) return { tag: ZSTD, body };
  }
  return { tag: RAW, body: bytes };
}

/**
 * Decompresses what {@linkcode pack} made; nobody else holds the result, unless the bytes were kept as
 * they are.
 *
 * @throws {RangeError} when the tag is unknown; zlib's own error when the bytes are damaged.
 */
export function unpack(bytes: Uint8Array): Uint8Array {
  const body = bytes.subarray(1);
  switch (bytes[0]) {
    case RAW:
      return body;
    case ZSTD:
      coders ??= makeCoders();
      return new Uint8Array(coders.decompress(body));
    case DEFLATE:
      return zlib.inflateRawSync(body);
    default:
      throw new RangeError(`Cannot read the record: unknown form ${bytes[0]}`);
  }
}

function tagged(tag: number, body: Uint8Array): Uint8Array {
  const out = new Uint8Array(body.length + 1);
  out[0] = tag;
  out.set(body, 1);
  return out;
}
