/**
 * Compression of what goes into the state: a tag byte, then the bytes. zstd for large pieces,
 * deflate for small ones (its fixed cost is half), as they are where neither pays.
 *
 * @module
 */

import zlib from "node:zlib";
import type { ByteWriter } from "./_bytes.ts";

/** Shorter pieces stay as they are: the call costs as much as copying a hundred times as much. */
const SMALL = 512;
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

function compress(bytes: Uint8Array): { tag: number; body: Uint8Array } {
  if (bytes.length >= SMALL) {
    const large = bytes.length >= 8192;
    const body = large
      ? zlib.zstdCompressSync(bytes, zstd)
      : zlib.deflateRawSync(bytes, { level: 1 });
    if (body.length < bytes.length * 0.9) return { tag: large ? ZSTD : DEFLATE, body };
  }
  return { tag: RAW, body: bytes };
}

/** @throws {RangeError} when the tag is unknown; zlib's own error when the bytes are damaged. */
export function unpack(bytes: Uint8Array): Uint8Array {
  const body = bytes.subarray(1);
  switch (bytes[0]) {
    case RAW:
      return body;
    case ZSTD:
      return zlib.zstdDecompressSync(body);
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
