/**
 * An element whose content is passed over.
 *
 * @module
 */

/** Knows what was opened inside, so that the end of something around it can be told from the rest. */
export class UnreadSpan {
  #name = "";
  readonly #open = new Map<string, number>();

  /** Whether content is being passed over. */
  get active(): boolean {
    return this.#name !== "";
  }

  begin(name: string): void {
    this.#name = name;
    this.#open.clear();
    this.#open.set(name, 1);
  }

  end(): void {
    this.#name = "";
  }

  /** A start tag inside. */
  open(name: string): void {
    this.#open.set(name, (this.#open.get(name) ?? 0) + 1);
  }

  /** An end tag; whether it belongs to the span. Its own ends it. */
  close(name: string): boolean {
    const inside = this.#open.get(name) ?? 0;
    if (inside === 0) return false;
    this.#open.set(name, inside - 1);
    if (name === this.#name && inside === 1) this.end();
    return true;
  }
}
