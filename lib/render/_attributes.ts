/**
 * Gathers the few attributes of a start tag that rendering looks at.
 *
 * @module
 */

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

/** Fed by the tokenizer's callbacks; everything is bounded by the table above. */
export class AttributeReader {
  #kept: Record<string, string> | undefined;
  #count = 0;
  #name = "";
  #value: string | undefined;
  #room = 0;

  /** A new tag. */
  start(): void {
    this.#kept = undefined;
    this.#count = 0;
  }

  /** A new attribute. */
  name(name: string): void {
    this.#value = undefined;
    const room = this.#count < MOST_ATTRIBUTES ? KEPT.get(name) : undefined;
    if (room === undefined) return;
    this.#name = name;
    this.#room = room;
    this.#value = "";
    this.#count++;
  }

  /** A range of the source that belongs to the value. */
  range(source: string, start: number, end: number): void {
    if (this.#value === undefined) return;
    if (this.#room > 0) this.data(source.slice(start, Math.min(end, start + this.#room)));
  }

  /** Text that belongs to the value. */
  data(text: string): void {
    if (this.#value === undefined || this.#room <= 0) return;
    this.#value += text;
    this.#room -= text.length;
  }

  /** The attribute is complete. The first of a name counts. */
  end(): void {
    if (this.#value === undefined) return;
    this.#kept ??= Object.create(null) as Record<string, string>;
    this.#kept[this.#name] ??= this.#value;
    this.#value = undefined;
  }

  /** What was kept of the tag. */
  take(): Attributes {
    return this.#kept ?? NO_ATTRIBUTES;
  }
}
