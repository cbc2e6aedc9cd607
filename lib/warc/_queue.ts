/**
 * Bytes on their way from a source to a parser.
 *
 * @module
 */

import { concat, NONE } from "./_bytes.ts";

/**
 * A window onto a stream of bytes. Views given out stay valid: a window that must grow is copied,
 * never overwritten.
 */
export class ByteQueue {
  readonly #pull: () => Promise<Uint8Array | undefined>;
  /** The bytes at hand are `buf` from `start` to `end`. */
  buf: Uint8Array;
  start = 0;
  end: number;
  /** Position in the stream of the byte at `start`. */
  offset: number;
  /** Nothing follows what is at hand. */
  ended = false;

  /**
   * @param pull Gives the next bytes, or nothing at the end.
   * @param offset Position in the stream of the first byte.
   * @param first Bytes at hand from the start.
   */
  constructor(
    pull: () => Promise<Uint8Array | undefined>,
    offset = 0,
    first: Uint8Array = NONE,
  ) {
    this.#pull = pull;
    this.offset = offset;
    this.buf = first;
    this.end = first.length;
  }

  /** A queue of bytes that are all there. */
  static of(bytes: Uint8Array): ByteQueue {
    const queue = new ByteQueue(() => Promise.resolve(undefined), 0, bytes);
    queue.ended = true;
    return queue;
  }

  /** Bytes at hand. */
  get size(): number {
    return this.end - this.start;
  }

  /** The bytes at hand. */
  get view(): Uint8Array {
    return this.buf.subarray(this.start, this.end);
  }

  /** Pulls until at least `n` bytes are at hand; false if the stream ends before. */
  async fill(n: number): Promise<boolean> {
    if (this.size >= n) return true;
    if (this.ended) return false;
    const parts = this.size > 0 ? [this.view] : [];
    let size = this.size;
    while (size < n) {
      const bytes = await this.#pull();
      if (bytes === undefined) {
        this.ended = true;
        break;
      }
      if (bytes.length === 0) continue;
      parts.push(bytes);
      size += bytes.length;
    }
    this.buf = parts.length === 0 ? NONE : concat(parts);
    this.start = 0;
    this.end = size;
    return size >= n;
  }

  /** Takes bytes that are at hand. */
  take(n: number): Uint8Array {
    const bytes = this.buf.subarray(this.start, this.start + n);
    this.skip(n);
    return bytes;
  }

  /** Passes over bytes that are at hand. */
  skip(n: number): void {
    this.start += n;
    this.offset += n;
  }

  /** Puts bytes back that were just taken. */
  unread(bytes: Uint8Array): void {
    this.buf = this.size === 0 ? bytes : concat([bytes, this.view]);
    this.start = 0;
    this.end = this.buf.length;
    this.offset -= bytes.length;
  }
}
