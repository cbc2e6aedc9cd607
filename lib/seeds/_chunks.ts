/**
 * The bytes of a table, front to back, unpacked where they are packed.
 *
 * @module
 */

import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { ByteSource } from "../worklist/mod.ts";
import { RankTableError } from "./errors.ts";

const FIRST = 256 << 10;
const MOST = 8 << 20;
const UNPACKED = 256 << 10;

/**
 * A file from its beginning on, in pieces that grow, each asked for while the one before is used. Who
 * stops soon has asked for little.
 */
export async function* frontToBack(source: ByteSource): AsyncGenerator<Uint8Array, void, unknown> {
  const { size } = source;
  let next = FIRST;
  let at = 0;
  let ahead: { bytes: Uint8Array; done: Promise<unknown> } | undefined;
  const ask = () => {
    const bytes = new Uint8Array(Math.min(next, size - at));
    if (bytes.length === 0) return undefined;
    // A failure is thrown to whoever needs these bytes, and to nobody when reading ends before.
    const done = source.read(at, bytes).then(() => undefined, (error) => error as unknown);
    at += bytes.length;
    next = Math.min(next * 2, MOST);
    return { bytes, done };
  };
  try {
    ahead = ask();
    while (ahead !== undefined) {
      const { bytes, done } = ahead;
      const failed = await done;
      if (failed !== undefined) throw failed;
      ahead = ask();
      yield bytes;
    }
  } finally {
    await ahead?.done;
  }
}

/**
 * Unpacks gzip, of one member or many (RFC 1952 section 2.2), and passes on what is not packed.
 *
 * @throws {RankTableError} If it is damaged or cut.
 */
export async function* unpacked(
  name: string,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, unknown> {
  const iterator = source[Symbol.asyncIterator]();
  let head = new Uint8Array(0);
  const pieces: Uint8Array[] = [];
  try {
    while (head.length < 2) {
      const { done, value } = await iterator.next();
      if (done) break;
      pieces.push(value);
      head = new Uint8Array([...head, ...value.subarray(0, 2)]);
    }
    const whole = async function* () {
      yield* pieces;
      for (;;) {
        const { done, value } = await iterator.next();
        if (done) return;
        yield value;
      }
    };
    if (head[0] !== 0x1f || head[1] !== 0x8b) {
      yield* whole();
      return;
    }
    let failed: unknown;
    const packed = Readable.from(guarded(whole(), (error) => failed = error), {
      objectMode: false,
      highWaterMark: 1,
    });
    const gunzip = packed.pipe(createGunzip({ chunkSize: UNPACKED }));
    // An error of the source does not pass through a pipe by itself.
    packed.on("error", (error) => gunzip.destroy(error));
    try {
      for await (const chunk of gunzip) yield chunk as Uint8Array;
    } catch (cause) {
      if (failed !== undefined) throw failed;
      throw new RankTableError(
        name,
        `it is damaged or cut: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause },
      );
    } finally {
      packed.destroy();
      gunzip.destroy();
    }
  } finally {
    await iterator.return?.();
  }
}

/** Tells of what the source threw, so that it is not taken for damage of the stream. */
async function* guarded(
  source: AsyncIterable<Uint8Array>,
  onError: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    onError(error);
    throw error;
  }
}
