/** Pieces that are joined at a time. */
const FEW = 4096;

/**
 * Joins a text's many pieces, a few thousand at a time: strings that are added up, or all pieces at once, take
 * many times the length of a text that a page fills with what splits it.
 */
export class Joined {
  readonly #by: string;
  readonly #done: string[] = [];
  #few: string[] = [];

  /** @param by What comes between two pieces. */
  constructor(by: string) {
    this.#by = by;
  }

  /** Takes one more. */
  add(piece: string): void {
    if (this.#few.push(piece) < FEW) return;
    this.#done.push(this.#few.join(this.#by));
    this.#few = [];
  }

  /** The text, with its last piece. */
  end(piece: string): string {
    this.#few.push(piece);
    const rest = this.#few.join(this.#by);
    if (this.#done.length === 0) return rest;
    this.#done.push(rest);
    return this.#done.join(this.#by);
  }
}
