/**
 * Texts as they are kept.
 *
 * @module
 */

import zlib from "node:zlib";
import { type Coder, reusing, ZSTD_END } from "../zlib/mod.ts";

/** Most bytes that a stored text may come to; a writer keeps 4 Mi characters. */
const MAX_STORED = 16 << 20;

const encoder = new TextEncoder();
let compress: Coder | undefined;

/** A text, compressed. Good until the next call. */
export function stored(text: string): Uint8Array {
  compress ??= reusing(
    zlib.createZstdCompress(),
    ZSTD_END,
    (bytes) => zlib.zstdCompressSync(bytes),
    [encoder.encode("a b c d e f g ".repeat(500)), encoder.encode("x")],
    (a, b) => zlib.zstdDecompressSync(a).equals(zlib.zstdDecompressSync(b)),
  );
  return compress(encoder.encode(text));
}

/** The text. */
export function restored(bytes: Uint8Array): string {
  return zlib.zstdDecompressSync(bytes, { maxOutputLength: MAX_STORED }).toString("utf8");
}
