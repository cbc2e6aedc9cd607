/**
 * What a run's figures were, in memory that is bounded however long it runs.
 *
 * @module
 */

/** Numbers of one moment; the first is the time, in ms since the run began. */
export type HistoryPoint = readonly number[];

/** The last of the points, all of them as far as they reach. */
export class RecentHistory {
  readonly #size: number;
  readonly #points: HistoryPoint[] = [];

  /** Keeps `size` points. */
  constructor(size: number) {
    this.#size = size;
  }

  /** What is kept, oldest first. */
  get points(): readonly HistoryPoint[] {
    return this.#points;
  }

  /** Adds a point; the oldest gives way. */
  add(point: HistoryPoint): void {
    this.#points.push(point);
    if (this.#points.length > this.#size) this.#points.shift();
  }
}

/**
 * Points of a whole run, evenly spaced. When there are too many every second one is dropped, and from
 * then on half as many are kept.
 */
export class WholeHistory {
  readonly #size: number;
  #points: HistoryPoint[] = [];
  #every = 1;
  #seen = 0;

  /** Keeps `size` points at the most, and half of that at the least. */
  constructor(size: number) {
    this.#size = size;
  }

  /** What is kept, oldest first. */
  get points(): readonly HistoryPoint[] {
    return this.#points;
  }

  /** Adds a point, or passes it over where it lies too close to the one before. */
  add(point: HistoryPoint): void {
    if (this.#seen++ % this.#every !== 0) return;
    this.#points.push(point);
    if (this.#points.length < this.#size) return;
    this.#points = this.#points.filter((_, i) => i % 2 === 0);
    this.#every *= 2;
  }
}
