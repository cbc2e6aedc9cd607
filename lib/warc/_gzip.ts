/**
 * Gzip members made one at a time, thousands a second.
 *
 * @module
 */

import { crc32, createDeflateRaw, gzipSync, inflateRawSync } from "node:zlib";
import { Buffer } from "node:buffer";

/** ID, deflate, no flags, no time, no extra flags, Unix. RFC 1952 section 2.3. */
const HEADER = new Uint8Array([31, 139, 8, 0, 0, 0, 0, 0, 0, 3]);

/** What this file uses of the engine inside a zlib stream object. */
interface Engine {
  reset(): void;
  writeSync(
    flush: number,
    input: Uint8Array,
    inputAt: number,
    inputLength: number,
    output: Uint8Array,
    outputAt: number,
    outputLength: number,
  ): void;
}

/**
 * Makes a function that compresses bytes into one gzip member.
 *
 * `gzipSync` sets up and tears down an engine for every call, which costs more than compressing a
 * small record; the engine inside a stream object is reset instead. That object's insides are not
 * documented, so it is used only after it has shown that it does what is expected of it.
 *
 * @param level Compression level, 0 to 9.
 * @returns A compressor. Its result is valid until its next call but one.
 */
export function memberMaker(level: number): (bytes: Uint8Array) => Uint8Array {
  const plain = (bytes: Uint8Array): Uint8Array => gzipSync(bytes, { level });
  const stream = createDeflateRaw({ level }) as unknown as {
    _handle?: Partial<Engine> | null;
    _writeState?: unknown;
  };
  const state = stream._writeState;
  if (
    typeof stream._handle?.reset !== "function" ||
    typeof stream._handle.writeSync !== "function" ||
    !(state instanceof Uint32Array) || state.length < 2
  ) return plain;
  const fast = reusing(stream as { _handle: Engine }, state, plain);
  return works(fast) ? fast : plain;
}

function reusing(
  stream: { readonly _handle: Engine },
  state: Uint32Array,
  plain: (bytes: Uint8Array) => Uint8Array,
): (bytes: Uint8Array) => Uint8Array {
  const KEEP = 1 << 20;
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
    const space = out.length - 18;
    stream._handle.reset();
    stream._handle.writeSync(4, bytes, 0, bytes.length, out, 10, space); // 4 is Z_FINISH
    const outLeft = state[0]!, inLeft = state[1]!;
    if (inLeft !== 0 || outLeft === 0) return plain(bytes);
    const end = 10 + space - outLeft;
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
