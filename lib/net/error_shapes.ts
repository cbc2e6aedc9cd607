/**
 * What the failures are that no class recognises.
 *
 * @module
 */
import { shapeOf } from "./_shape.ts";

/** One shape of message and how many failures were seen to have it. */
export interface ErrorShape {
  /** The message in lower case, every URL, host, address, port and number replaced by `N`. */
  readonly shape: string;
  /** How often it was counted; never more than it happened. */
  readonly count: number;
}

/** Most shapes kept at a time. */
const MAX_SHAPES = 64;

/**
 * Counts unclassified failures by the shape of their message. At most 64 shapes are kept: past that a new
 * one takes the place of the least counted, so that the tail is dropped and the head is not, however many
 * different things servers say. A count may be too small, then, but never too large.
 *
 * @example
 * ```ts
 * import { ErrorShapes } from "./error_shapes.ts";
 *
 * const shapes = new ErrorShapes();
 * shapes.add("dial 192.0.2.1:443: EOF");
 * shapes.line(); // "the unclassified failures are mostly: dial N eof 1, which is 1 of 1"
 * ```
 */
export class ErrorShapes {
  readonly #counts = new Map<string, number>();
  #total = 0;

  /** Failures added so far. */
  get total(): number {
    return this.#total;
  }

  /** Shapes kept now, at most 64. */
  get size(): number {
    return this.#counts.size;
  }

  /** Counts one failure by its message. */
  add(message: string): void {
    this.#total++;
    const shape = shapeOf(message) || "(no message)";
    const seen = this.#counts.get(shape);
    if (seen !== undefined) {
      this.#counts.set(shape, seen + 1);
      return;
    }
    if (this.#counts.size >= MAX_SHAPES) this.#dropLeast();
    this.#counts.set(shape, 1);
  }

  /** Drops the oldest of the least counted: what happens often is counted again before its turn comes. */
  #dropLeast(): void {
    let least = "";
    let count = Infinity;
    for (const [shape, n] of this.#counts) {
      if (n < count) {
        least = shape;
        count = n;
      }
    }
    this.#counts.delete(least);
  }

  /** The most frequent shapes, the most frequent first; ties in the order of their text. */
  top(n: number): ErrorShape[] {
    return [...this.#counts]
      .map(([shape, count]) => ({ shape, count }))
      .sort((a, b) => b.count - a.count || (a.shape < b.shape ? -1 : 1))
      .slice(0, n);
  }

  /** The line for a run's summary, with the share that the top three explain; `""` if nothing was added. */
  line(): string {
    const top = this.top(3);
    if (top.length === 0) return "";
    const explained = top.reduce((sum, t) => sum + t.count, 0);
    const listed = top.map((t) => `${t.shape} ${t.count}`).join(", ");
    return `the unclassified failures are mostly: ${listed}, which is ${explained} of ${this.#total}`;
  }
}
