/**
 * Gathers the few attributes of a start tag that rendering looks at.
 *
 * @module
 */

import { decodeHTMLAttribute } from "entities/decode";
import { type Attributes, NO_ATTRIBUTES } from "./_element.ts";

/** The attributes that are kept, and how much of each. */
const KEPT: ReadonlyMap<string, number> = new Map([
  ...["href", "src", "data-src", "data-original", "srcset", "data-srcset"].map((n) =>
    [n, 8_000] as const
  ),
  ...["alt", "style"].map((n) => [n, 1_000] as const),
  ...["class", "id", "itemprop", "role", "hidden", "aria-hidden"].map((n) => [n, 256] as const),
  ...["start", "colspan", "type", "data-lang", "data-language", "width", "height"].map((n) =>
    [n, 64] as const
  ),
]);
const MOST_ATTRIBUTES = 32;

/** By length of a name, the first letters of those that are kept, as bits: most attributes end here. */
const FIRST_LETTERS: readonly number[] = Array.from(
  { length: 1 + Math.max(...KEPT.keys().map((name) => name.length)) },
  (_, length) =>
    KEPT.keys().filter((name) => name.length === length)
      .reduce((bits, name) => bits | 1 << name.charCodeAt(0) - 97, 0),
);

/** Whether the attribute named there may be one that is kept. */
export function mayBeKept(source: string, start: number, end: number): boolean {
  const letters = FIRST_LETTERS[end - start] ?? 0;
  return (letters >> (source.charCodeAt(start) | 32) - 97 & 1) !== 0;
}

/** Most units of a value with character references that are looked at. */
const LONGEST_ENCODED = 64_000;

/** Gathers, bounded by the table above. */
export class AttributeReader {
  #kept: Record<string, string> | undefined;
  #count = 0;

  /** A new tag. */
  start(): void {
    this.#kept = undefined;
    this.#count = 0;
  }

  /** An attribute and where its value stands, character references not decoded. The first of a name counts. */
  add(name: string, source: string, start: number, end: number): void {
    const room = this.#count < MOST_ATTRIBUTES ? KEPT.get(name) : undefined;
    if (room === undefined) return;
    this.#count++;
    const raw = source.slice(start, Math.min(end, start + LONGEST_ENCODED));
    const value = raw.includes("&") ? decodeHTMLAttribute(raw) : raw;
    this.#kept ??= Object.create(null) as Record<string, string>;
    this.#kept[name] ??= value.length > room ? value.slice(0, room) : value;
  }

  /** What was kept of the tag. */
  take(): Attributes {
    return this.#kept ?? NO_ATTRIBUTES;
  }
}
