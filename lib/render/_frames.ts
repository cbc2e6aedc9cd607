/**
 * Messages between a process and its child: a 32-bit length, little-endian, and as many bytes of JSON.
 *
 * @module
 */

/** Longest message; a longer one is a fault. */
const LONGEST = 256 * 1024 * 1024;

/** One message as bytes. */
export function encodeFrame(message: unknown): Uint8Array<ArrayBuffer> {
  const body = new TextEncoder().encode(JSON.stringify(message));
  const frame = new Uint8Array(4 + body.length);
  new DataView(frame.buffer).setUint32(0, body.length, true);
  frame.set(body, 4);
  return frame;
}

/**
 * The messages of a stream, one after the other; ends with the stream.
 *
 * @throws {RangeError} When a length is beyond what any message has.
 */
export async function* decodeFrames(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  let parts: Uint8Array[] = [], held = 0;
  let needed = 4, inBody = false;
  const take = (): Uint8Array => {
    const joined = new Uint8Array(held);
    let at = 0;
    for (const part of parts) {
      joined.set(part, at);
      at += part.length;
    }
    const taken = joined.subarray(0, needed);
    parts = [joined.subarray(needed)];
    held -= needed;
    return taken;
  };
  for await (const chunk of stream) {
    parts.push(chunk);
    held += chunk.length;
    while (held >= needed) {
      const bytes = take();
      if (inBody) {
        yield JSON.parse(new TextDecoder().decode(bytes));
        needed = 4;
      } else {
        needed = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
        if (needed > LONGEST) {
          throw new RangeError(`Cannot read a message: ${needed} bytes is too long`);
        }
      }
      inBody = !inBody;
    }
  }
}
