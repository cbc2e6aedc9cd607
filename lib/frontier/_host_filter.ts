/**
 * Which names are surely no host of the state: most hosts that come up are new, and asking the table
 * for each would be the dearest part of admitting it. A filter of fixed size may say "perhaps" too
 * often, which costs a look into the table; it never says "surely not" of a host that is there.
 *
 * @module
 */

import type { Host } from "./_host.ts";
import type { Store } from "./_store.ts";

/** Lines of sixteen words: 8 MB, seven bits a host at ten million. */
const LINE_BITS = 17, WORDS = 16;
/** Rows read in one slice. */
const SLICE = 4096;

/** A filter over the fingerprints of host names. */
export class HostFilter {
  readonly #words = new Uint32Array(WORDS << LINE_BITS);
  readonly #store: Store;
  /** Fingerprint up to which the table was read; undefined once it has been. */
  #readTo: number | undefined;

  /** `hosts` is how many the table has at most; 0 needs no reading. */
  constructor(store: Store, hosts: number) {
    this.#store = store;
    this.#readTo = hosts === 0 ? undefined : -1;
  }

  /** Notes a host. */
  add({ hashHigh, hashLow }: Host): void {
    this.#add(hashHigh, hashLow);
  }

  #add(high: number, low: number): void {
    const words = this.#words;
    const line = (high & ((1 << LINE_BITS) - 1)) * WORDS;
    // Fifteen bits are left of one half and sixteen of the other: three places of nine bits.
    const rest = (high >>> LINE_BITS) << 9 | low >>> 7, more = low & 511;
    words[line + (rest & 15)]! |= 1 << (rest >>> 4 & 31);
    words[line + (rest >>> 9 & 15)]! |= 1 << (rest >>> 13 & 31);
    words[line + (more & 15)]! |= 1 << (more >>> 4);
  }

  /** Whether the table may have a host of this fingerprint. */
  mayHave(high: number, low: number): boolean {
    if (this.#readTo !== undefined) return true;
    const words = this.#words;
    const line = (high & ((1 << LINE_BITS) - 1)) * WORDS;
    const rest = (high >>> LINE_BITS) << 9 | low >>> 7, more = low & 511;
    return (words[line + (rest & 15)]! >>> (rest >>> 4 & 31) & 1) !== 0 &&
      (words[line + (rest >>> 9 & 15)]! >>> (rest >>> 13 & 31) & 1) !== 0 &&
      (words[line + (more & 15)]! >>> (more >>> 4) & 1) !== 0;
  }

  /** Reads a slice of the table, after an opening; whether there was something to read. */
  work(): boolean {
    if (this.#readTo === undefined) return false;
    const hashes = this.#store.hostHashes(this.#readTo, SLICE);
    for (const hash of hashes) this.#add(Math.floor(hash / 65536) | 0, hash % 65536);
    // Hosts that share a fingerprint share its bits, so that going on behind the last one is right.
    this.#readTo = hashes.length < SLICE ? undefined : hashes.at(-1)!;
    return true;
  }
}
