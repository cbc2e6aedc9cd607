/**
 * Gzip members made one at a time, thousands a second.
 *
 * @module
 */

import { crc32, createDeflateRaw, gzipSync, inflateRawSync } from "node:zlib";
import { Buffer } from "node:buffer";
import { Engine } from "../zlib/engine.ts";

/** ID, deflate, no flags, no time, no extra flags, Unix. RFC 1952 section 2.3. */
const HEADER = new Uint8Array([31, 139, 8, 0, 0, 0, 0, 0, 0, 3]);
const FINISH = 4;
/** An output buffer larger than this is not kept. */
const KEEP = 1 << 20;

/**
 * Makes a function that compresses bytes into one gzip member.
 *
 * @param level Compression level, 0 to 9.
 * @returns A compressor. Its result is valid until its next call but one.
 */
export function memberMaker(level: number): (bytes: Uint8Array) => Uint8Array {
  const plain = (bytes: Uint8Array): Uint8Array => gzipSync(bytes, { level });
  const engine = Engine.inside(createDeflateRaw({ level }));
  if (engine === undefined) return plain;
  const fast = reusing(engine, plain);
  return works(fast) ? fast : plain;
}

function reusing(
  engine: Engine,
  plain: (bytes: Uint8Array) => Uint8Array,
): (bytes: Uint8Array) => Uint8Array {
  const outputs: [Uint8Array, Uint8Array] = [new Uint8Array(1 << 16), new Uint8Array(1 << 16)];
  let turn: 0 | 1 = 0;
  return (bytes) => {
    // Incompressible bytes become stored blocks: five bytes for each few thousand.
    const room = bytes.length + (bytes.length >> 8) + 128;
    turn = turn === 0 ? 1 : 0;
    let out = outputs[turn];
    if (out.length < room) {
      out = new Uint8Array(room + (room >> 1));
      if (out.length <= KEEP) outputs[turn] = out;
    }
    out.set(HEADER);
    engine.reset();
    engine.work(FINISH, bytes, 0, out, HEADER.length);
    const end = out.length - engine.outLeft;
    if (engine.failed || engine.inLeft !== 0 || out.length - end < 8) return plain(bytes);
    putUint32(out, end, crc32(bytes as Buffer));
    putUint32(out, end + 4, bytes.length);
    return out.subarray(0, end + 8);
  };
}

/** Whether a compressor's members, made one after the other, inflate to what went in. */
function works(make: (bytes: Uint8Array) => Uint8Array): boolean {
  try {
    for (const n of [0, 1, 5000, 70_000]) {
      const bytes = new Uint8Array(n).map((_, i) => (i * i) >> 5);
      const member = make(bytes);
      if (!Buffer.from(bytes).equals(inflateRawSync(member.subarray(10, -8)))) return false;
    }
    return true;
  } catch {
    // Whatever a strange engine throws, the plain way is there for it.
    return false;
  }
}

function putUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}
