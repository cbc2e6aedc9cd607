/**
 * The hosts in memory, found by the fingerprint of their names, so that looking one up takes no text.
 *
 * @module
 */

import type { Host } from "./_host.ts";

/** A hash table of hosts in open addressing. */
export class HostTable {
  /** Hosts held. */
  size = 0;
  #slots: (Host | undefined)[] = new Array(1024).fill(undefined);
  #mask = 1023;
  /** What is left of a fingerprint's first half after this shift is a host's place. */
  #shift = 22;

  /** The host of that fingerprint for which `matches` holds. */
  find(high: number, low: number, matches: (host: Host) => boolean): Host | undefined {
    for (let at = high >>> this.#shift;; at = (at + 1) & this.#mask) {
      const host = this.#slots[at];
      if (host === undefined) return undefined;
      if (host.hashHigh === high && host.hashLow === low && matches(host)) return host;
    }
  }

  /** Puts in a host that is not held. */
  add(host: Host): void {
    if (++this.size * 2 > this.#slots.length) this.#grow();
    this.#place(host);
  }

  #place(host: Host): void {
    let at = host.hashHigh >>> this.#shift;
    while (this.#slots[at] !== undefined) at = (at + 1) & this.#mask;
    this.#slots[at] = host;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Array(old.length * 2).fill(undefined);
    this.#mask = this.#slots.length - 1;
    this.#shift--;
    for (const host of old) if (host !== undefined) this.#place(host);
  }

  /** Takes out a host that is held. */
  delete(host: Host): void {
    const slots = this.#slots, mask = this.#mask;
    let at = host.hashHigh >>> this.#shift;
    while (slots[at] !== host) {
      if (slots[at] === undefined) throw new RangeError(`the host ${host.name} is not in memory`);
      at = (at + 1) & mask;
    }
    this.size--;
    // Those behind it move up where the gap would hide them.
    for (let next = (at + 1) & mask;; next = (next + 1) & mask) {
      const other = slots[next];
      if (other === undefined) break;
      const home = other.hashHigh >>> this.#shift;
      if (((next - home) & mask) < ((next - at) & mask)) continue;
      slots[at] = other;
      at = next;
    }
    slots[at] = undefined;
  }
}
