/**
 * Fingerprints of URLs and host names under the state's key.
 *
 * @module
 */

import { SipHash } from "./_siphash.ts";

const encoder = new TextEncoder();

/** Makes fingerprints; the last one stands in `hi` and `lo` (unsigned) and is never all zero. */
export class Fingerprints {
  hi = 0;
  lo = 0;
  readonly #hash: SipHash;
  readonly #scratch = new Uint8Array(1 << 14);

  /** `key` has 16 bytes. */
  constructor(key: Uint8Array) {
    this.#hash = new SipHash(key);
  }

  ofBytes(bytes: Uint8Array, start = 0, end = bytes.length): void {
    this.#hash.update(bytes, start, end);
    this.hi = this.#hash.hi;
    // The tables mark an empty place with zero.
    this.lo = this.#hash.lo === 0 && this.hi === 0 ? 1 : this.#hash.lo;
  }

  ofText(text: string): void {
    const { read, written } = encoder.encodeInto(text, this.#scratch);
    if (read === text.length) this.ofBytes(this.#scratch, 0, written);
    else this.ofBytes(encoder.encode(text));
  }
}
