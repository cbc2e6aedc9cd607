const LETTER = 1, OTHER = 2;
/** Per UTF-16 unit: unknown, letter or digit, other; filled as characters are met. */
const kinds = new Uint8Array(65_536);
const LETTER_OR_DIGIT = /[\p{L}\p{Nd}]/u;

/**
 * A 64-bit fingerprint for near duplicates: texts that share most of their word sequences differ in
 * few bits.
 *
 * Tokens are runs of letters (Unicode L) and decimal digits (Nd), each character in its simple lower
 * case. Features are the distinct shingles of three tokens joined by one space (the distinct tokens
 * themselves when there are fewer than three), hashed with FNV-1a 64 over their UTF-8 bytes. Every
 * feature votes once on each bit; a bit is set when more are for it than against. 0 for no tokens.
 *
 * @example Usage
 * ```ts
 * import { simhash } from "@ccrawl/cli/render";
 * import assert from "node:assert/strict";
 *
 * assert.equal(simhash("One, two: THREE."), simhash("one two three"));
 * assert.equal(simhash("…"), 0n);
 * ```
 */
export function simhash(text: string): bigint {
  const { bytes, starts, ends, tokens } = tokenize(text);
  if (tokens === 0) return 0n;
  const width = tokens < 3 ? 1 : 3;
  const features = tokens - width + 1;
  const seen = new HashSet(features);
  // How often each value occurs in each byte of the hashes: eight additions a feature, not sixty-four.
  occurrences.fill(0);
  for (let i = 0; i < features; i++) {
    const start = starts[i]!, end = ends[i + width - 1]!;
    // FNV-1a: xor, then multiply by 2^40 + 0x1b3, in two halves of 32 bits.
    let high = 0xcbf29ce4 | 0, low = 0x84222325 | 0;
    for (let at = start; at < end; at++) {
      low ^= bytes[at]!;
      const a = (low & 0xffff) * 0x1b3;
      const b = (low >>> 16) * 0x1b3 + (a >>> 16);
      high = (Math.imul(high, 0x1b3) + (b >>> 16) + (low << 8)) | 0;
      low = b << 16 | a & 0xffff;
    }
    if (!seen.add(high, low)) continue;
    for (let byte = 0; byte < 4; byte++) {
      occurrences[byte << 8 | low >>> (byte << 3) & 255]!++;
      occurrences[(byte + 4) << 8 | high >>> (byte << 3) & 255]!++;
    }
  }
  let hash = 0n;
  for (let bit = 0; bit < 64; bit++) {
    let votes = 0;
    const base = bit >> 3 << 8, mask = 1 << (bit & 7);
    for (let value = 0; value < 256; value++) {
      if ((value & mask) !== 0) votes += occurrences[base | value]!;
    }
    if (votes * 2 > seen.size) hash |= 1n << BigInt(bit);
  }
  return hash;
}

const occurrences = new Uint32Array(8 * 256);

/** Memory that is used again: fresh arrays for every text are work for the collector. */
class Scratch<T extends Uint8Array | Int32Array> {
  readonly #make: (length: number) => T;
  #array: T;

  constructor(make: (length: number) => T) {
    this.#make = make;
    this.#array = make(0);
  }

  /** At least so long; its content is arbitrary. */
  take(length: number): T {
    if (length <= this.#array.length) return this.#array;
    const array = this.#make(2 ** Math.ceil(Math.log2(length)));
    if (array.byteLength <= MOST_SCRATCH) this.#array = array;
    return array;
  }
}
const MOST_SCRATCH = 1 << 20;

const byteScratch = new Scratch((length) => new Uint8Array(length));
const startScratch = new Scratch((length) => new Int32Array(length));
const endScratch = new Scratch((length) => new Int32Array(length));
const slotScratch = new Scratch((length) => new Int32Array(length));
const usedScratch = new Scratch((length) => new Uint8Array(length));

/** The tokens as UTF-8, a space after each, so that a shingle is a range. */
function tokenize(
  text: string,
): { bytes: Uint8Array; starts: Int32Array; ends: Int32Array; tokens: number } {
  // A unit becomes three bytes at most; a space never follows more than one unit's worth.
  const bytes = byteScratch.take(text.length * 3 + text.length);
  const most = (text.length >> 1) + 1;
  const starts = startScratch.take(most), ends = endScratch.take(most);
  let at = 0, tokens = 0, inside = false;
  for (let i = 0; i < text.length; i++) {
    let c = text.charCodeAt(i);
    let letter: boolean;
    if (c < 128) letter = c >= 97 && c <= 122 || c >= 48 && c <= 57 || c >= 65 && c <= 90;
    else {
      if (c >= 0xd800 && c <= 0xdbff) {
        c = text.codePointAt(i)!;
        if (c > 0xffff) i++;
      }
      letter = c > 0xffff ? LETTER_OR_DIGIT.test(String.fromCodePoint(c)) : kindOf(c) === LETTER;
    }
    if (!letter) {
      if (inside) {
        ends[tokens++] = at;
        bytes[at++] = 32;
        inside = false;
      }
      continue;
    }
    if (!inside) {
      starts[tokens] = at;
      inside = true;
    }
    if (c < 128) bytes[at++] = c >= 65 && c <= 90 ? c + 32 : c;
    else at = encode(lower(c), bytes, at);
  }
  if (inside) ends[tokens++] = at;
  return { bytes, starts, ends, tokens };
}

function kindOf(unit: number): number {
  let kind = kinds[unit]!;
  if (kind === 0) {
    kind = LETTER_OR_DIGIT.test(String.fromCharCode(unit)) ? LETTER : OTHER;
    kinds[unit] = kind;
  }
  return kind;
}

const lowered = new Uint16Array(65_536);

/** Simple lower case: one character for one (U+0130 has two in full lower case, the first is it). */
function lower(point: number): number {
  if (point > 0xffff) return String.fromCodePoint(point).toLowerCase().codePointAt(0)!;
  let c = lowered[point]!;
  if (c === 0) {
    c = String.fromCharCode(point).toLowerCase().charCodeAt(0);
    lowered[point] = c;
  }
  return c;
}

function encode(c: number, bytes: Uint8Array, at: number): number {
  if (c < 0x80) bytes[at++] = c;
  else if (c < 0x800) {
    bytes[at++] = 0xc0 | c >> 6;
    bytes[at++] = 0x80 | c & 63;
  } else {
    if (c < 0x10000) bytes[at++] = 0xe0 | c >> 12;
    else {
      bytes[at++] = 0xf0 | c >> 18;
      bytes[at++] = 0x80 | c >> 12 & 63;
    }
    bytes[at++] = 0x80 | c >> 6 & 63;
    bytes[at++] = 0x80 | c & 63;
  }
  return at;
}

/** Distinct 64-bit values, open addressing. */
class HashSet {
  size = 0;
  readonly #slots: Int32Array;
  readonly #used: Uint8Array;
  readonly #mask: number;

  constructor(most: number) {
    const capacity = 1 << 32 - Math.clz32(Math.max(8, most * 2 - 1));
    this.#slots = slotScratch.take(capacity * 2);
    this.#used = usedScratch.take(capacity);
    this.#used.fill(0, 0, capacity);
    this.#mask = capacity - 1;
  }

  /** Whether the value is new. */
  add(high: number, low: number): boolean {
    let slot = (low ^ high >>> 15) & this.#mask;
    while (this.#used[slot] === 1) {
      if (this.#slots[slot * 2] === high && this.#slots[slot * 2 + 1] === low) return false;
      slot = slot + 1 & this.#mask;
    }
    this.#used[slot] = 1;
    this.#slots[slot * 2] = high;
    this.#slots[slot * 2 + 1] = low;
    this.size++;
    return true;
  }
}
