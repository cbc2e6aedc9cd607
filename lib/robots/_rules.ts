/**
 * The rules of one group, packed: a few bytes a rule beside its pattern, and matched in bounded time
 * however they are written.
 */

import { Octets, patternText, urlOctets, WILDCARD } from "./_octets.ts";

const ALLOW = 1;
const ANCHORED = 2;
const WILD = 4;
/** Holds a raw `?`: held against the spelling of a URL whose query is decoded. */
const QUERY = 8;

/** One rule as the parser found it. */
export interface ParsedRule {
  readonly allow: boolean;
  /** Ended in `$`. */
  readonly anchored: boolean;
  /** In the one spelling, wildcards as {@linkcode WILDCARD}. */
  readonly pattern: Uint8Array;
  /** Mask of its octets. */
  readonly mask: number;
  /** Line of the file, from 1. */
  readonly line: number;
}

/**
 * Most steps of matching a check may take (some 4 ms). A file written to be slow (tens of thousands of
 * wildcards against a URL of thousands of characters) runs out of them, and the URL is then refused.
 */
export const MAX_STEPS = 2_000_000;

/** Segments longer than this are searched for by Knuth, Morris and Pratt's way. */
const SHORT = 8;

let steps = 0;

/** Steps that the last match took; what tests hold the bound by. */
export function stepsTaken(): number {
  return steps;
}

let failure = new Uint32Array(1024);

/** First place at or after `from` where pattern[start, end) stands in text[0, length), or -1. */
function find(
  text: Uint8Array,
  length: number,
  from: number,
  pattern: Uint8Array,
  start: number,
  end: number,
): number {
  const size = end - start;
  const last = length - size;
  if (from > last) return -1;
  if (size <= SHORT) {
    const first = pattern[start]!;
    for (let i = from; i <= last; i++) {
      if (text[i] !== first) continue;
      let k = 1;
      while (k < size && text[i + k] === pattern[start + k]) k++;
      steps += k;
      if (k === size) {
        steps += i - from;
        return i;
      }
    }
    steps += last - from + 1;
    return -1;
  }
  if (failure.length < size) failure = new Uint32Array(size * 2);
  failure[0] = 0;
  for (let i = 1, k = 0; i < size; i++) {
    while (k > 0 && pattern[start + i] !== pattern[start + k]) k = failure[k - 1]!;
    if (pattern[start + i] === pattern[start + k]) k++;
    failure[i] = k;
  }
  steps += size;
  for (let i = from, k = 0; i < length; i++) {
    while (k > 0 && text[i] !== pattern[start + k]) k = failure[k - 1]!;
    if (text[i] === pattern[start + k]) k++;
    if (k === size) {
      steps += i - from + 1;
      return i - size + 1;
    }
  }
  steps += length - from;
  return -1;
}

/** Whether pattern[start, end) stands in text at `at`. */
function standsAt(
  text: Uint8Array,
  at: number,
  pattern: Uint8Array,
  start: number,
  end: number,
): boolean {
  for (let i = start; i < end; i++, at++) {
    if (text[at] !== pattern[i]) {
      steps += i - start + 1;
      return false;
    }
  }
  steps += end - start + 1;
  return true;
}

const plainScratch = new Octets(4096);
const decodedScratch = new Octets(4096);

/** What a match says: the index of the rule that decides, or one of these. */
export const NO_RULE = -1;
/** The steps ran out before a rule could be found. */
export const UNDECIDED = -2;

const EMPTY = new Uint8Array();

/** Bytes of a rule beside its pattern: where the pattern ends, its mask, line (24 bits) and flags. */
const RULE_BYTES = 12;

/**
 * Rules of one group, the most specific first. All in one array: a cache holds hundreds of thousands
 * of these, and five typed arrays each would be most of it.
 */
export class RuleSet {
  /** Longest of the group's Crawl-delay lines in seconds; undefined when it has none. */
  readonly crawlDelay: number | undefined;
  readonly size: number;
  /** The rules' numbers, then their patterns. */
  readonly #packed: Uint8Array;

  constructor(rules: readonly ParsedRule[], crawlDelay: number | undefined) {
    this.crawlDelay = crawlDelay;
    this.size = rules.length;
    const octets = (rule: ParsedRule): number => rule.pattern.length + (rule.anchored ? 1 : 0);
    // Most octets first, allow before disallow: the first that matches decides (RFC 9309, 2.2.2).
    const order = [...rules].sort((a, b) =>
      octets(b) - octets(a) || Number(b.allow) - Number(a.allow) || a.line - b.line
    );
    let at = order.length * RULE_BYTES;
    let total = at;
    for (const rule of order) total += rule.pattern.length;
    this.#packed = total === 0 ? EMPTY : new Uint8Array(total);
    order.forEach((rule, i) => {
      this.#packed.set(rule.pattern, at);
      at += rule.pattern.length;
      this.#write(i * RULE_BYTES, at);
      this.#write(i * RULE_BYTES + 4, rule.mask);
      const flags = (rule.allow ? ALLOW : 0) | (rule.anchored ? ANCHORED : 0) |
        (rule.pattern.includes(WILDCARD) ? WILD : 0) | (rule.pattern.includes(0x3f) ? QUERY : 0);
      this.#write(i * RULE_BYTES + 8, rule.line << 8 | flags);
    });
  }

  #write(at: number, value: number): void {
    this.#packed[at] = value;
    this.#packed[at + 1] = value >> 8;
    this.#packed[at + 2] = value >> 16;
    this.#packed[at + 3] = value >> 24;
  }

  #read(at: number): number {
    const p = this.#packed;
    return p[at]! | p[at + 1]! << 8 | p[at + 2]! << 16 | p[at + 3]! << 24;
  }

  /** Memory held, roughly, in bytes. */
  get byteLength(): number {
    return this.size === 0 ? 50 : 250 + this.#packed.length;
  }

  /** Whether rule `index` is an Allow. */
  isAllow(index: number): boolean {
    return (this.#packed[index * RULE_BYTES + 8]! & ALLOW) !== 0;
  }

  line(index: number): number {
    return this.#read(index * RULE_BYTES + 8) >>> 8;
  }

  text(index: number): string {
    const start = index === 0 ? this.size * RULE_BYTES : this.#read((index - 1) * RULE_BYTES);
    const pattern = this.#packed.subarray(start, this.#read(index * RULE_BYTES));
    return (this.isAllow(index) ? "Allow: " : "Disallow: ") +
      patternText(pattern, (this.#packed[index * RULE_BYTES + 8]! & ANCHORED) !== 0);
  }

  /**
   * The rule that decides about a path with its query: its index, {@linkcode NO_RULE} when none
   * matches, {@linkcode UNDECIDED} when {@linkcode MAX_STEPS} ran out.
   */
  match(target: string): number {
    steps = 0;
    const count = this.size;
    if (count === 0) return NO_RULE;
    const plain = plainScratch;
    const decoded = urlOctets(target, plain, decodedScratch);
    const missing = ~(plain.mask | decoded.mask);
    let start = count * RULE_BYTES;
    for (let i = 0; i < count; i++) {
      const end = this.#read(i * RULE_BYTES);
      // A rule with an octet that the URL lacks cannot match.
      if ((this.#read(i * RULE_BYTES + 4) & missing) === 0) {
        const flags = this.#packed[i * RULE_BYTES + 8]!;
        const url = (flags & QUERY) !== 0 ? decoded : plain;
        const hit = (flags & WILD) === 0
          ? this.#matchPlain(url, start, end, (flags & ANCHORED) !== 0)
          : this.#matchWild(url, start, end, (flags & ANCHORED) !== 0);
        if (hit) return i;
        if (steps > MAX_STEPS) return UNDECIDED;
      }
      start = end;
    }
    return NO_RULE;
  }

  #matchPlain(url: Octets, start: number, end: number, anchored: boolean): boolean {
    const size = end - start;
    if (anchored ? size !== url.length : size > url.length) return false;
    return standsAt(url.bytes, 0, this.#packed, start, end);
  }

  /** Each segment where it is first found: whatever matches at all matches so. */
  #matchWild(url: Octets, start: number, end: number, anchored: boolean): boolean {
    const octets = this.#packed;
    const text = url.bytes;
    let segment = start;
    let at = 0;
    let first = true;
    for (let i = start; i <= end; i++) {
      if (i < end && octets[i] !== WILDCARD) continue;
      const size = i - segment;
      const last = i === end;
      if (first) {
        if (size > url.length || !standsAt(text, 0, octets, segment, i)) return false;
        at = size;
        first = false;
      } else if (last && anchored) {
        // The last segment must end the URL; an empty one (`*$`) always does.
        return url.length - size >= at && standsAt(text, url.length - size, octets, segment, i);
      } else if (size > 0) {
        const found = find(text, url.length, at, octets, segment, i);
        if (found < 0) return false;
        at = found + size;
      }
      segment = i + 1;
    }
    return true;
  }
}
