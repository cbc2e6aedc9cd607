/**
 * The bytes of a table, front to back.
 *
 * @module
 */

import type { ByteSource } from "../worklist/mod.ts";

const FIRST = 256 << 10;

/**
 * A file from its beginning on, in pieces that grow, each asked for while the one before is used. Who
 * stops soon has asked for little.
 *
 * @param most Bytes of a piece.
 * @returns Pieces, each of which lasts until the next is asked for.
 */
export async function* frontToBack(
  source: ByteSource,
  most: number,
): AsyncGenerator<Uint8Array, void, unknown> {
  const { size } = source;
  const buffers = [new Uint8Array(0), new Uint8Array(0)];
  let next = FIRST;
  let at = 0;
  const ask = () => {
    const length = Math.min(next, size - at);
    if (length === 0) return undefined;
    // Of two, the one that is not in use.
    let buffer = buffers.shift()!;
    if (buffer.length < length) buffer = new Uint8Array(length);
    buffers.push(buffer);
    const bytes = buffer.subarray(0, length);
    // A failure is thrown to whoever needs these bytes, and to nobody when reading ends before.
    const done = source.read(at, bytes).then(() => undefined, (error) => error as unknown);
    at += length;
    next = Math.min(next * 2, most);
    return { bytes, done };
  };
  let ahead = ask();
  try {
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
