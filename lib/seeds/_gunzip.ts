/**
 * Unpacking gzip of any length without leaving garbage behind.
 *
 * @module
 */

import { createGunzip, gzipSync } from "node:zlib";
import { Readable } from "node:stream";
import { Engine } from "../zlib/mod.ts";
import { RankTableError } from "./errors.ts";

const NO_FLUSH = 0;
const FINISH = 4;
const UNPACKED = 256 << 10;

/**
 * Unpacks gzip, of one member or many (RFC 1952 section 2.2), and passes on what is not packed. Zeros
 * behind the last member are no damage.
 *
 * @param source Pieces that last until the next is asked for.
 * @returns Pieces, each of which lasts until the next is asked for.
 * @throws {RankTableError} If it is damaged or cut.
 */
export async function* unpacked(
  name: string,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, unknown> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    let head: Uint8Array = new Uint8Array(0);
    while (head.length < 2) {
      const { done, value } = await iterator.next();
      if (done) break;
      if (head.length === 0) head = value.length < 2 ? value.slice() : value;
      else {
        const longer = new Uint8Array(head.length + value.length);
        longer.set(head);
        longer.set(value, head.length);
        head = longer;
      }
    }
    const whole = async function* () {
      if (head.length > 0) yield head;
      for (;;) {
        const { done, value } = await iterator.next();
        if (done) return;
        yield value;
      }
    };
    if (head[0] !== 0x1f || head[1] !== 0x8b) yield* whole();
    else yield* (gunzip ??= works() ? reusing : plainly)(name, whole());
  } finally {
    await iterator.return?.();
  }
}

type Gunzip = (
  name: string,
  source: AsyncIterable<Uint8Array>,
) => AsyncGenerator<Uint8Array, void, unknown>;
let gunzip: Gunzip | undefined;

/** By the engine inside a stream, into one buffer. */
async function* reusing(
  name: string,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, unknown> {
  const out = new Uint8Array(UNPACKED);
  const work = inflater();
  for await (const piece of source) {
    for (let at = 0;;) {
      const step = work(NO_FLUSH, piece, at, out);
      if (step === undefined) throw damaged(name, "it is no gzip from some byte on");
      if (step.written > 0) yield out.subarray(0, step.written);
      at = piece.length - step.left;
      // With room left it has taken what it takes: behind the last member it takes nothing.
      if (step.written < out.length) {
        if (at < piece.length) return;
        break;
      }
    }
  }
  const last = work(FINISH, new Uint8Array(0), 0, out);
  if (last === undefined) throw damaged(name, "it ends too soon");
  if (last.written > 0) yield out.subarray(0, last.written);
}

type Inflater = (
  flush: number,
  piece: Uint8Array,
  at: number,
  out: Uint8Array,
) => { written: number; left: number } | undefined;

function inflater(): Inflater {
  const engine = Engine.inside(createGunzip());
  if (engine === undefined) throw new TypeError("Cannot find the engine of a stream");
  return (flush, piece, at, out) =>
    engine.work(flush, piece, at, out, 0)
      ? { written: out.length - engine.outLeft, left: engine.inLeft }
      : undefined;
}

/** Whether the engine unpacks members one after the other, and tells of cuts and damage. */
function works(): boolean {
  try {
    const text = new Uint8Array(100_000).map((_, i) => (i * i) >> 6);
    const packed = gzipSync(text);
    const two = new Uint8Array(packed.length * 2);
    two.set(packed);
    two.set(packed, packed.length);
    const out = new Uint8Array(text.length * 2 + 1);
    const work = inflater();
    const found = work(NO_FLUSH, two, 0, out);
    if (found?.written !== text.length * 2 || found.left !== 0) return false;
    if (text.some((byte, i) => out[i] !== byte || out[text.length + i] !== byte)) return false;
    if (work(FINISH, new Uint8Array(0), 0, out)?.written !== 0) return false;
    const cut = inflater();
    cut(NO_FLUSH, two.subarray(0, packed.length - 9), 0, out);
    if (cut(FINISH, new Uint8Array(0), 0, out) !== undefined) return false;
    return inflater()(NO_FLUSH, new Uint8Array(50).fill(0xff), 0, out) === undefined;
  } catch {
    // Whatever a strange engine throws, the documented way is there for it.
    return false;
  }
}

/** The documented way. */
async function* plainly(
  name: string,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, unknown> {
  let failed: unknown;
  const packed = Readable.from(
    copies(source, (error) => failed = error),
    { objectMode: false, highWaterMark: 1 },
  );
  const stream = packed.pipe(createGunzip({ chunkSize: UNPACKED }));
  // An error of the source does not pass through a pipe by itself.
  packed.on("error", (error) => stream.destroy(error));
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (cause) {
    if (failed !== undefined) throw failed;
    throw damaged(name, cause instanceof Error ? cause.message : String(cause), cause);
  } finally {
    packed.destroy();
    stream.destroy();
  }
}

/** Pieces that last; and tells of what the source threw, so that it is not taken for damage. */
async function* copies(
  source: AsyncIterable<Uint8Array>,
  onError: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of source) yield piece.slice();
  } catch (error) {
    onError(error);
    throw error;
  }
}

function damaged(name: string, why: string, cause?: unknown): RankTableError {
  return new RankTableError(
    name,
    `it is damaged or cut: ${why}`,
    cause === undefined ? undefined : { cause },
  );
}

/** For tests: both ways. */
export const _ways: Readonly<Record<string, Gunzip>> = { reusing, plainly };
