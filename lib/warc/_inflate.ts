/**
 * Inflating streams that lie in memory, one after the other, thousands a second.
 *
 * @module
 */

import { createInflateRaw, deflateRawSync, inflateRawSync } from "node:zlib";
import type { Buffer } from "node:buffer";
import { plain } from "./_bytes.ts";
import { Engine } from "../zlib/engine.ts";

/** What a stream held, and how long it was. */
export interface Inflated {
  readonly bytes: Uint8Array;
  /** Bytes of the input that belong to the stream. */
  readonly consumed: number;
}

const SYNC_FLUSH = 2;
/** A scratch larger than this is not kept. */
const KEEP = 1 << 20;

/**
 * Inflates the deflate stream that begins `bytes`; other bytes must follow it.
 *
 * @param most Bytes that it may hold.
 * @returns Nothing when the stream does not end in `bytes`, holds more, or is broken.
 */
export function inflateWhole(bytes: Uint8Array, most: number): Inflated | undefined {
  inflate ??= choose();
  return inflate(bytes, most);
}

type Inflate = (bytes: Uint8Array, most: number) => Inflated | undefined;
let inflate: Inflate | undefined;

function choose(): Inflate {
  const engine = Engine.inside(createInflateRaw());
  if (engine === undefined) return plainly;
  const fast = reusing(engine);
  return works(fast) ? fast : plainly;
}

function reusing(engine: Engine): Inflate {
  let kept = new Uint8Array(1 << 17);
  return (bytes, most) => {
    let scratch = kept, at = 0, filled = 0;
    engine.reset();
    for (;;) {
      engine.work(SYNC_FLUSH, bytes, at, scratch, filled);
      if (engine.failed) return undefined;
      at = bytes.length - engine.inLeft;
      filled = scratch.length - engine.outLeft;
      if (filled < scratch.length) break;
      if (filled >= most) return undefined;
      const larger = new Uint8Array(scratch.length * 2);
      larger.set(scratch);
      scratch = larger;
      if (scratch.length <= KEEP) kept = scratch;
    }
    // Room and input are left only where the stream has ended.
    if (at >= bytes.length || filled > most) return undefined;
    return { bytes: scratch.slice(0, filled), consumed: at };
  };
}

/** The documented way. */
function plainly(bytes: Uint8Array, most: number): Inflated | undefined {
  try {
    const { buffer, engine } = inflateRawSync(
      bytes,
      { info: true, maxOutputLength: most } as object,
    ) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    return engine.bytesWritten < bytes.length
      ? { bytes: plain(buffer), consumed: engine.bytesWritten }
      : undefined;
  } catch {
    // Cut, too large or broken: the caller finds out which, piece by piece.
    return undefined;
  }
}

/** Whether a way of inflating agrees with the documented one on good, cut and broken streams. */
function works(way: Inflate): boolean {
  try {
    for (const n of [0, 1, 5000, 300_000, 1 << 17]) {
      const stream = deflateRawSync(new Uint8Array(n).map((_, i) => (i * i) >> 5));
      const followed = new Uint8Array(stream.length + 9).fill(0xff);
      followed.set(stream);
      const found = way(followed, 1 << 20);
      if (found?.consumed !== stream.length || found.bytes.length !== n) return false;
      if (found.bytes.some((byte, i) => byte !== ((i * i) >> 5 & 255))) return false;
      if (way(followed.subarray(0, stream.length - 1), 1 << 20) !== undefined) return false;
      if (way(new Uint8Array(50).fill(0xff), 1 << 20) !== undefined) return false;
    }
    return way(new Uint8Array(deflateRawSync(new Uint8Array(9000))), 8000) === undefined;
  } catch {
    // Whatever a strange engine throws, the documented way is there for it.
    return false;
  }
}

/** For tests: both ways. */
export const _ways = { plainly, reusing: () => reusing(Engine.inside(createInflateRaw())!) };
