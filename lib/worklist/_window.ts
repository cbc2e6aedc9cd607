/**
 * Reading a file front to back through a window that grows.
 *
 * @module
 */

import type { ByteSource } from "./_source.ts";
import { PartFormatError } from "./errors.ts";

const FIRST = 256 << 10;
const MOST = 1 << 20;

/**
 * Bytes from a place on. The first window behind a jump is small, so that a jump to a few rows costs
 * little; each after it is twice as large, up to 1 MiB, and is fetched while the one before is used.
 */
export class Window {
  readonly #source: ByteSource;
  #buf: Uint8Array = new Uint8Array(0);
  /** Offset in the file of `#buf`'s first byte, and the bytes of it that are filled. */
  #start = 0;
  #filled = 0;
  #offset = 0;
  #limit = 0;
  #next = FIRST;
  #ahead: { start: number; size: number; bytes: Uint8Array; done: Promise<unknown> } | undefined;
  /** Buffers to use again: large ones are collected late. */
  #spare: Uint8Array[] = [];

  /** Reads `source`, at nothing yet: {@linkcode jump} first. */
  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Offset in the file of the next byte. */
  get offset(): number {
    return this.#offset;
  }

  /** Goes to an offset. Nothing from `limit` on is fetched. */
  jump(offset: number, limit: number): void {
    this.#offset = offset;
    this.#limit = limit;
    const held = offset >= this.#start && offset <= this.#start + this.#filled;
    const coming = this.#ahead !== undefined && offset >= this.#ahead.start &&
      offset < this.#ahead.start + this.#ahead.size;
    if (!held && !coming) this.#next = FIRST;
  }

  /** Passes over bytes. */
  skip(count: number): void {
    this.jump(this.#offset + count, this.#limit);
  }

  /**
   * The next `count` bytes, which it does not pass over: a view that lasts until the next call.
   *
   * @throws {PartFormatError} If the limit comes before.
   */
  async need(count: number): Promise<Uint8Array> {
    if (this.#offset + count > this.#limit) {
      throw new PartFormatError(
        this.#source.name,
        `what stands at byte ${this.#offset} is cut short`,
      );
    }
    return await this.upTo(count);
  }

  /** As {@linkcode need}, but fewer bytes where the limit comes before. */
  async upTo(count: number): Promise<Uint8Array> {
    count = Math.max(0, Math.min(count, this.#limit - this.#offset));
    let at = this.#offset - this.#start;
    if (at < 0 || at + count > this.#filled) {
      await this.#move(count);
      at = this.#offset - this.#start;
    }
    return this.#buf.subarray(at, at + count);
  }

  /** Waits for what is under way, so that the source can be closed. */
  async settle(): Promise<void> {
    await this.#ahead?.done;
    this.#ahead = undefined;
  }

  /** Makes the window begin at the offset and hold `count` bytes at least. */
  async #move(count: number): Promise<void> {
    const offset = this.#offset;
    const ahead = this.#ahead;
    this.#ahead = undefined;
    const failed = await ahead?.done;
    const at = offset - this.#start;
    const kept = at >= 0 && at < this.#filled ? this.#filled - at : 0;
    const reach = offset + kept;
    const usable = ahead !== undefined && reach >= ahead.start && reach < ahead.start + ahead.size;
    if (usable && failed !== undefined) throw failed;
    const fresh = usable ? ahead.start + ahead.size - reach : 0;
    // The next window begins where this one ends, plus what is missing of `count`.
    const missing = Math.max(0, count - kept - fresh);
    const more = missing === 0
      ? 0
      : Math.min(Math.max(missing, this.#next), this.#limit - offset - kept - fresh);
    const need = kept + fresh + more;
    const into = this.#take(need);
    if (kept > 0) into.set(this.#buf.subarray(at, this.#filled));
    if (usable) into.set(ahead.bytes.subarray(reach - ahead.start, ahead.size), kept);
    if (ahead !== undefined) this.#spare.push(ahead.bytes);
    if (more > 0) {
      await this.#source.read(offset + kept + fresh, into.subarray(kept + fresh, need));
      this.#next = Math.min(this.#next * 2, MOST);
    }
    if (this.#buf.length > 0) this.#spare.push(this.#buf);
    this.#buf = into;
    this.#start = offset;
    this.#filled = need;
    if (this.#next > FIRST * 2 || usable) this.#prefetch();
  }

  #prefetch(): void {
    const start = this.#start + this.#filled;
    const size = Math.min(this.#next, this.#limit - start);
    if (size <= 0) return;
    this.#next = Math.min(this.#next * 2, MOST);
    const bytes = this.#take(size);
    // A failure is thrown to whoever needs these bytes, and to nobody when they are jumped over.
    const done = this.#source.read(start, bytes.subarray(0, size))
      .then(() => undefined, (error) => error as unknown);
    this.#ahead = { start, size, bytes, done };
  }

  #take(size: number): Uint8Array {
    for (;;) {
      const spare = this.#spare.pop();
      if (spare === undefined) {
        // Pages are of about one size: what was made for one shall do for the next.
        const rounded = size > MOST ? (size >> 20) + 1 << 20 : size;
        return new Uint8Array(Math.max(rounded, Math.min(this.#next, MOST)));
      }
      if (spare.length >= size) return spare;
    }
  }
}
