/**
 * Which payloads are already on disk, within a bound.
 *
 * @module
 */

import { text, utf8Bytes } from "./_bytes.ts";

/** A durable record that holds a payload. */
export interface PayloadRef {
  /** `urn:uuid:…` */
  readonly recordId: string;
  /** Unix ms, whole seconds. */
  readonly date: number;
  readonly url: string;
}

/** Bytes before the URL: length 4, digest 20, UUID 16, seconds 4. */
const FIXED = 44;
/** A payload at a longer URL is not remembered. */
const MAX_URL = 4096;
/** Ring bytes for one entry: most URLs are shorter than this leaves room for. */
const ENTRY = 128;

/**
 * One entry packed: total length (uint32, little endian, a multiple of 4), the SHA-1, the UUID of
 * the record, its date in seconds (uint32), the URL in UTF-8 padded with zeros.
 *
 * @returns The entry, or nothing when it cannot be remembered.
 */
export function packEntry(digest: Uint8Array, ref: PayloadRef): Uint8Array | undefined {
  const url = utf8Bytes(ref.url);
  const uuid = uuidBytes(ref.recordId);
  if (url.length > MAX_URL || uuid === undefined) return undefined;
  const entry = new Uint8Array((FIXED + url.length + 3) & ~3);
  const view = new DataView(entry.buffer);
  view.setUint32(0, entry.length, true);
  entry.set(digest, 4);
  entry.set(uuid, 24);
  view.setUint32(40, ref.date / 1000, true);
  entry.set(url, FIXED);
  return entry;
}

/**
 * Payload digests and where they are stored: a ring of packed entries, the oldest overwritten,
 * and an open-addressed index of it. A payload that is met again moves to the young end.
 */
export class DedupMemory {
  readonly #max: number;
  readonly #ring: Uint8Array;
  readonly #view: DataView;
  /** Ring position / 4 + 1, or 0. */
  readonly #index: Uint32Array;
  readonly #mask: number;
  // Secret, since a site chooses its payloads and could make them meet in one place of the index.
  readonly #seed: Uint32Array = crypto.getRandomValues(new Uint32Array(3));
  #count = 0;
  #head = 0; // logical: never wraps
  #tail = 0;

  /** @param entries Most payloads remembered; about 140 bytes each. */
  constructor(entries: number) {
    this.#max = Math.max(1, entries);
    const bytes = Math.min(Math.max(this.#max * ENTRY, 4 * (FIXED + MAX_URL)), 2 ** 32 - 4);
    this.#ring = new Uint8Array(bytes);
    this.#view = new DataView(this.#ring.buffer);
    const slots = 2 ** Math.ceil(Math.log2(this.#max * 2 + 2));
    this.#index = new Uint32Array(slots);
    this.#mask = slots - 1;
  }

  /** Payloads remembered. */
  get size(): number {
    return this.#count;
  }

  /** Remembers entries as {@linkcode packEntry} made them, one after the other. */
  learn(packed: Uint8Array): void {
    const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
    for (let at = 0; at + FIXED <= packed.length;) {
      const length = view.getUint32(at, true);
      if (length < FIXED || length % 4 !== 0 || at + length > packed.length) {
        throw new RangeError("Cannot learn payloads: the packed entries are cut or damaged");
      }
      this.#add(packed.subarray(at, at + length));
      at += length;
    }
  }

  /** The durable record that holds a payload, if remembered. */
  find(digest: Uint8Array): PayloadRef | undefined {
    const slot = this.#slotOf(digest, 0);
    if (slot < 0) return undefined;
    const at = (this.#index[slot]! - 1) * 4;
    const length = this.#view.getUint32(at, true);
    let end = at + length;
    while (end > at + FIXED && this.#ring[end - 1] === 0) end--;
    const found = {
      recordId: uuidText(this.#ring, at + 24),
      date: this.#view.getUint32(at + 40, true) * 1000,
      url: text(this.#ring.subarray(at + FIXED, end)),
    };
    const age = (this.#head - at + this.#ring.length) % this.#ring.length;
    if (age > (this.#head - this.#tail) / 2) this.#add(this.#ring.slice(at, at + length));
    return found;
  }

  #add(entry: Uint8Array): void {
    const size = this.#ring.length;
    let at = this.#head % size;
    if (at + entry.length > size) {
      // Entries lie in one piece; a zero length says that the rest of the lap is empty.
      this.#makeRoom(size - at);
      this.#view.setUint32(at, 0, true);
      this.#head += size - at;
      at = 0;
    }
    this.#makeRoom(entry.length);
    const digest = entry.subarray(4, 24);
    const known = this.#slotOf(digest, 0);
    if (known < 0) {
      while (this.#count >= this.#max) this.#dropOldest();
    }
    this.#ring.set(entry, at);
    this.#head += entry.length;
    if (known >= 0) {
      this.#index[known] = at / 4 + 1;
      return;
    }
    let slot = this.#home(this.#ring, at + 4);
    while (this.#index[slot] !== 0) slot = (slot + 1) & this.#mask;
    this.#index[slot] = at / 4 + 1;
    this.#count++;
  }

  #makeRoom(bytes: number): void {
    while (this.#head + bytes - this.#tail > this.#ring.length) this.#dropOldest();
  }

  #dropOldest(): void {
    const size = this.#ring.length;
    const at = this.#tail % size;
    const length = this.#view.getUint32(at, true);
    if (length === 0) {
      this.#tail += size - at;
      return;
    }
    const slot = this.#slotOf(this.#ring.subarray(at + 4, at + 24), at / 4 + 1);
    if (slot >= 0) this.#erase(slot);
    this.#tail += length;
  }

  /** Slot that holds the digest; with `place`, only if it points there. */
  #slotOf(digest: Uint8Array, place: number): number {
    let slot = this.#home(digest, 0);
    for (let pointer = this.#index[slot]!; pointer !== 0; pointer = this.#index[slot]!) {
      if (place === 0 ? this.#same(digest, (pointer - 1) * 4 + 4) : pointer === place) return slot;
      slot = (slot + 1) & this.#mask;
    }
    return -1;
  }

  #same(digest: Uint8Array, at: number): boolean {
    for (let i = 0; i < 20; i++) if (digest[i] !== this.#ring[at + i]) return false;
    return true;
  }

  /** Empties a slot and moves up those behind it that would no longer be found. */
  #erase(slot: number): void {
    this.#count--;
    let hole = slot;
    for (let at = (slot + 1) & this.#mask;; at = (at + 1) & this.#mask) {
      const pointer = this.#index[at]!;
      if (pointer === 0) break;
      const home = this.#home(this.#ring, (pointer - 1) * 4 + 4);
      if (((at - home) & this.#mask) >= ((at - hole) & this.#mask)) {
        this.#index[hole] = pointer;
        hole = at;
      }
    }
    this.#index[hole] = 0;
  }

  #home(bytes: Uint8Array, at: number): number {
    const word = (i: number) =>
      bytes[at + i]! | bytes[at + i + 1]! << 8 | bytes[at + i + 2]! << 16 |
      bytes[at + i + 3]! << 24;
    let h = Math.imul(word(0) ^ this.#seed[0]!, 0x9e3779b1);
    h = Math.imul((h ^ h >>> 15) + (word(4) ^ this.#seed[1]!), 0x85ebca6b);
    h = Math.imul((h ^ h >>> 13) + (word(8) ^ this.#seed[2]!), 0xc2b2ae35);
    return (h ^ h >>> 16) & this.#mask;
  }
}

/** The 16 bytes of `urn:uuid:` and a UUID, or nothing where it is none. */
function uuidBytes(recordId: string): Uint8Array | undefined {
  if (recordId.length !== 45 || !recordId.startsWith("urn:uuid:")) return undefined;
  const bytes = new Uint8Array(16);
  for (let i = 0, at = 9; i < 16; i++, at += 2) {
    if (recordId.charCodeAt(at) === 45) at++;
    const high = HEX[recordId.charCodeAt(at)]!, low = HEX[recordId.charCodeAt(at + 1)]!;
    if (!((high | low) < 16)) return undefined;
    bytes[i] = high << 4 | low;
  }
  return bytes;
}

/** Value of a lower-case hexadecimal digit by its code; 255 for others. */
const HEX = new Uint8Array(128).fill(255);
for (let i = 0; i < 16; i++) HEX[i.toString(16).charCodeAt(0)] = i;

function uuidText(bytes: Uint8Array, at: number): string {
  let hex = "";
  for (let i = 0; i < 16; i++) hex += bytes[at + i]!.toString(16).padStart(2, "0");
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-` +
    `${hex.slice(16, 20)}-${hex.slice(20)}`;
}
