/**
 * The progress line.
 *
 * @module
 */

import { failedTotal } from "./_summary_lines.ts";
import { counted, formatBytes, formatElapsed, percent } from "./format.ts";
import type {
  CrawlFigures,
  HeldQueueFigures,
  PublishFigures,
  RecrawlFigures,
  RunFigures,
} from "./types.ts";

/** What the rate of late is computed from. */
interface Mark {
  readonly elapsedMs: number;
  readonly count: number;
}

/** How far back "now" reaches. */
const WINDOW_MS = 15_000;

/** Tells the rate of the last quarter of a minute from that of the whole run. */
export class RateWindow {
  #marks: Mark[] = [];

  /** Add a sample, and give what there was a second of late. */
  add(elapsedMs: number, count: number): number {
    this.#marks.push({ elapsedMs, count });
    // Keep one mark older than the window, so that it is spanned whole.
    while (this.#marks.length > 2 && elapsedMs - this.#marks[1]!.elapsedMs >= WINDOW_MS) {
      this.#marks.shift();
    }
    const first = this.#marks[0]!;
    const from = first.elapsedMs === elapsedMs ? { elapsedMs: 0, count: 0 } : first;
    const span = elapsedMs - from.elapsedMs;
    return span > 0 ? ((count - from.count) * 1000) / span : 0;
  }
}

/** Progress lines of one run, of which each is about what has happened since earlier ones. */
export type ProgressLines<F> = (figures: F) => string;

/** Progress lines of a crawl. */
export function crawlProgress(): ProgressLines<CrawlFigures> {
  const pages = new RateWindow();
  return (figures) => formatCrawlProgress(figures, pages.add(figures.elapsedMs, figures.fetched));
}

/** Progress lines of a pass over a work list. */
export function recrawlProgress(): ProgressLines<RecrawlFigures> {
  const pages = new RateWindow();
  const rows = new RateWindow();
  return (figures) =>
    formatRecrawlProgress(
      figures,
      pages.add(figures.elapsedMs, figures.fetched),
      rows.add(figures.elapsedMs, ended(figures)),
    );
}

/** Progress lines of publishing. */
export function publishProgress(): ProgressLines<PublishFigures> {
  const bytes = new RateWindow();
  return (figures) =>
    formatPublishProgress(figures, bytes.add(figures.elapsedMs, figures.sentBytes));
}

/** `12 published, 1.2 GB, 3 waiting, sending a.parquet 40% at 12.0 MB/s, 3m 12s`. */
export function formatPublishProgress(figures: PublishFigures, rate: number): string {
  const { published, bytes, waiting, sending, elapsedMs } = figures;
  const now = sending === undefined
    ? ""
    : `sending ${sending.part} ${percent(sending.sent, sending.bytes)}% at ${
      formatBytes(rate)
    }/s, `;
  return `${published} published, ${formatBytes(bytes)}, ${waiting} waiting, ${now}` +
    formatElapsed(elapsedMs);
}

/** Rows that have ended in this run, one way or the other. */
function ended(f: RunFigures): number {
  return f.fetched + failedTotal(f.failures) + f.disallowed;
}

/**
 * `1234 pages, 33.3/s, 5021 queued, 64 in flight, 310 hosts, 12 failed, 3m 12s, 1m 40s left`; a crawl
 * that comes back also tells of its revisits, and how many pages wait for theirs. The time left is given where the pages still to come are known.
 */
export function formatCrawlProgress(figures: CrawlFigures, rate: number): string {
  const failed = failedTotal(figures.failures);
  const { revisits } = figures;
  const again = revisits === undefined
    ? ""
    : `${revisits.changed} changed, ${revisits.unchanged} unchanged, ${revisits.waiting} waiting, `;
  return `${counted(figures.fetched, "page")}, ${rate.toFixed(1)}/s, ${figures.queued} queued, ` +
    `${figures.inFlight} in flight, ${
      counted(figures.activeHosts, "host")
    }, ${failed} failed, ${again}` +
    formatElapsed(figures.elapsedMs) + timeLeft([[figures.remaining, rate]]);
}

/**
 * `1234 pages, 33.3/s, part 1 row 20000, 64 in flight, 12 failed, extract queue 12.4 MB (18%), write
 * queue 20.1 MB (30%), 3m 12s, 1m 40s left`. The time left is that until the first of the limits that
 * are known: pages at `rate` a second, rows at `rowRate`, for many a row never becomes a page.
 */
export function formatRecrawlProgress(
  figures: RecrawlFigures,
  rate: number,
  rowRate: number,
): string {
  const f = figures;
  const { part, row } = f.position;
  const extract = f.extract === undefined ? "" : `extract ${heldText(f.extract.queue)}, `;
  return `${counted(f.fetched, "page")}, ${rate.toFixed(1)}/s, part ${part} row ${row}, ` +
    `${f.inFlight} in flight, ${failedTotal(f.failures)} failed, ` +
    `${extract}write ${heldText(f.queue)}, ${formatElapsed(f.elapsedMs)}` +
    timeLeft([[f.remaining, rate], [f.remainingRows, rowRate]]);
}

function heldText({ heldBytes, boundBytes }: HeldQueueFigures): string {
  return `queue ${formatBytes(heldBytes)} (${percent(heldBytes, boundBytes)}%)`;
}

/** The soonest of the ends that are known; nothing where none is. */
function timeLeft(
  ends: readonly (readonly [remaining: number | undefined, rate: number])[],
): string {
  let soonest = Infinity;
  for (const [remaining, rate] of ends) {
    if (remaining !== undefined && remaining > 0 && rate > 0) {
      soonest = Math.min(soonest, (remaining * 1000) / rate);
    }
  }
  return soonest === Infinity ? "" : `, ${formatElapsed(soonest)} left`;
}
