/** Most bytes set aside on a peer's word alone, before they have come. */
const FIRST = 64 * 1024;

/** What is set aside first when nothing is known of the length. */
const UNKNOWN = 16 * 1024;

const EMPTY = new Uint8Array(0);

/**
 * Bytes gathered in one buffer that grows as they come and never trusts an announced length. A buffer that
 * was outgrown is given up at once: left to the collector, which does not see what lies outside its heap
 * for what it is, large bodies take four times their size.
 */
export class ByteSink {
  #bytes: Uint8Array<ArrayBuffer> = EMPTY;
  #length = 0;
  #expected = UNKNOWN;

  /** How many bytes are held. */
  get length(): number {
    return this.#length;
  }

  /** Says how many bytes are to come in all, so that an honest peer costs one allocation. */
  expect(total: number): void {
    this.#expected = total;
  }

  /** Takes in `from.subarray(start, end)`. */
  append(from: Uint8Array, start: number, end: number): void {
    const need = this.#length + end - start;
    if (need > this.#bytes.length) this.#grow(need);
    const whole = start === 0 && end === from.length;
    this.#bytes.set(whole ? from : from.subarray(start, end), this.#length);
    this.#length = need;
  }

  /** Takes in one byte. */
  push(byte: number): void {
    if (this.#length === this.#bytes.length) this.#grow(this.#length + 1);
    this.#bytes[this.#length++] = byte;
  }

  /** Gives what is held in a buffer of just its size, and is empty afterwards. */
  take(): Uint8Array<ArrayBuffer> {
    const out = this.#length === this.#bytes.length
      ? this.#bytes
      : new Uint8Array(this.#bytes.buffer.transfer(this.#length));
    this.clear();
    return out;
  }

  /** Forgets what is held. */
  clear(): void {
    this.#bytes = EMPTY;
    this.#length = 0;
    this.#expected = UNKNOWN;
  }

  #grow(need: number): void {
    let size = this.#bytes.length === 0 ? Math.min(this.#expected, FIRST) : this.#bytes.length * 2;
    // The last step goes to the announced size instead of past it.
    if (size > this.#expected && need <= this.#expected) size = this.#expected;
    size = Math.max(size, need);
    // All empty ones share a buffer.
    this.#bytes = this.#bytes.length === 0
      ? new Uint8Array(size)
      : new Uint8Array(this.#bytes.buffer.transfer(size));
  }
}
