/**
 * Whole pieces through one engine, one after the other: `zstdCompressSync` and its kin take four times
 * as long for a few kilobytes.
 *
 * @module
 */

import { Engine } from "./engine.ts";

/** Compresses or decompresses a piece. The result is good until the next call of any coder. */
export type Coder = (bytes: Uint8Array) => Uint8Array;

/** The flush of zstd's compressor that ends a frame. */
export const ZSTD_END = 2;

/** What comes out goes here first; what does not fit goes the documented way. */
const ROOM = 512 << 10;
let scratch: Uint8Array | undefined;

/**
 * Makes a coder that uses the engine inside `stream` again and again, if that does on trial pieces what
 * `plain` does; otherwise the coder is `plain`, which also gets what is too large or damaged, so that
 * errors are its own.
 *
 * @param stream Made by `createDeflateRaw` and the like.
 * @param flush What ends a stream of this kind, or for a decompressor asks for everything.
 * @param plain The documented way to the same result.
 * @param trials Pieces to try on.
 * @param same Whether a result of the engine's, given first, is as good as that of `plain`.
 * @param room Where results go that fit with a byte to spare. @default 512 KiB that all coders share
 */
export function reusing(
  stream: object,
  flush: number,
  plain: Coder,
  trials: readonly Uint8Array[],
  same: (result: Uint8Array, expected: Uint8Array) => boolean = equal,
  room?: Uint8Array,
): Coder {
  const engine = Engine.inside(stream);
  if (engine === undefined) return plain;
  const fast = (bytes: Uint8Array): Uint8Array => run(engine, flush, bytes, room) ?? plain(bytes);
  try {
    for (const trial of trials) {
      const result = run(engine, flush, trial, room);
      if (result === undefined || !same(result, plain(trial))) return plain;
    }
    return fast;
  } catch {
    // Whatever a strange engine throws, the plain way is there for it.
    return plain;
  }
}

function run(
  engine: Engine,
  flush: number,
  bytes: Uint8Array,
  room: Uint8Array | undefined,
): Uint8Array | undefined {
  const out = room ?? (scratch ??= new Uint8Array(ROOM));
  engine.reset();
  if (!engine.work(flush, bytes, 0, out, 0)) return undefined;
  if (engine.inLeft !== 0 || engine.outLeft === 0) return undefined;
  return out.subarray(0, out.length - engine.outLeft);
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
