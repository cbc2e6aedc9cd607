/**
 * The progress line.
 *
 * @module
 */

import { formatElapsed } from "./format.ts";
import { failedTotal } from "./summary.ts";
import type { CrawlFigures } from "./types.ts";

/** What the rate of late is computed from. */
interface Mark {
  readonly elapsedMs: number;
  readonly fetched: number;
}

/** How far back "now" reaches. */
const WINDOW_MS = 15_000;

/** Tells the rate of the last quarter of a minute from that of the whole run. */
export class RateWindow {
  #marks: Mark[] = [];

  /** Add a sample, and give the pages a second of late. */
  add(figures: Mark): number {
    const { elapsedMs, fetched } = figures;
    this.#marks.push({ elapsedMs, fetched });
    // Keep one mark older than the window, so that it is spanned whole.
    while (this.#marks.length > 2 && elapsedMs - this.#marks[1]!.elapsedMs >= WINDOW_MS) {
      this.#marks.shift();
    }
    const first = this.#marks[0]!;
    const from = first.elapsedMs === elapsedMs ? { elapsedMs: 0, fetched: 0 } : first;
    const span = elapsedMs - from.elapsedMs;
    return span > 0 ? ((fetched - from.fetched) * 1000) / span : 0;
  }
}

/**
 * `1234 pages, 33.3/s, 5021 queued, 64 in flight, 310 hosts, 12 failed, 3m 12s, 1m 40s left`.
 * The time left is given where the pages still to come are known.
 */
export function formatProgress(figures: CrawlFigures, rate: number): string {
  const failed = failedTotal(figures.failures);
  let line = `${figures.fetched} pages, ${rate.toFixed(1)}/s, ${figures.queued} queued, ` +
    `${figures.inFlight} in flight, ${figures.activeHosts} hosts, ${failed} failed, ` +
    formatElapsed(figures.elapsedMs);
  if (figures.remaining !== undefined && figures.remaining > 0 && rate > 0) {
    line += `, ${formatElapsed((figures.remaining * 1000) / rate)} left`;
  }
  return line;
}
