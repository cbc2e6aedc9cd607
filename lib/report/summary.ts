/**
 * The summary of a run: the lines that say what the web cost and what the machine cost, in the order
 * they are read in.
 *
 * @module
 */

import { formatBytes, formatElapsed, formatRate, percent, shares } from "./format.ts";
import type { CrawlFigures, FailureCounts, QueueFigures, RobotsFigures } from "./types.ts";

/** Every page that failed, our own refusals among them. */
export function failedTotal(failures: FailureCounts): number {
  const { dns, timeout, refused, tls, skip, other } = failures;
  return dns + timeout + refused + tls + skip + other;
}

/**
 * The summary of a crawl, one line a string, each beginning with `prefix` (`crawl run`).
 */
export function formatCrawlSummary(figures: CrawlFigures, prefix = "crawl run"): string[] {
  const f = figures;
  const failed = failedTotal(f.failures);
  const files = f.files === 1 ? "1 warc file" : `${f.files} warc files`;
  const lines = [
    `${f.fetched} fetched, ${failed} failed, ${f.disallowed} disallowed, ${
      formatBytes(f.bytes)
    }, ${files}`,
  ];
  if (failed > 0) lines.push(failureLine(f.failures));
  if (f.unclassified !== undefined && f.unclassified.total > 0) {
    const top = f.unclassified.top.slice(0, 3);
    const explained = top.reduce((sum, { count }) => sum + count, 0);
    const shapes = top.map(({ shape, count }) => `${printable(shape)} ${count}`).join(", ");
    lines.push(
      `the unclassified failures are mostly: ${shapes}, which is ${explained} of ${f.unclassified.total}`,
    );
  }
  if (f.robots !== undefined) lines.push(...robotsLines(f.robots));
  lines.push(
    `dns: ${f.dns.lookedUp} hosts looked up, ${f.dns.cached} answered from the cache, ` +
      `${f.dns.unresolved} unresolved of which ${f.dns.nonexistent} do not exist, ` +
      `${f.dns.peak} open at the busiest of ${f.dns.bound} allowed`,
    workerLine(f),
    queueLine("write queue", f.queue),
    endLine(f),
  );
  return lines.map((line) => `${prefix}: ${line}`);
}

function failureLine(f: FailureCounts): string {
  return `failures by class: dns ${f.dns}, timeout ${f.timeout}, refused ${f.refused}, ` +
    `tls ${f.tls}, skipped ${f.skip}, other ${f.other}`;
}

function robotsLines(robots: RobotsFigures): string[] {
  const lines = [
    `robots: ${robots.hosts} hosts fetched, ${robots.saved} saved by the cache, ` +
    `${robots.refused} refused, ${robots.unreachable} unreachable`,
  ];
  const f = robots.failures;
  const unasked = f.dns + f.timeout + f.refused + f.serverError + f.other;
  if (unasked > 0 || robots.unreachable > 0) {
    lines.push(
      `robots failures: dns ${f.dns}, timeout ${f.timeout}, refused ${f.refused}, ` +
        `5xx ${f.serverError}, other ${f.other} of ${unasked} unreachable`,
    );
  }
  return lines;
}

function workerLine(f: CrawlFigures): string {
  const { robots, hostClock, fetching, queueing } = f.workerTimes;
  const idle = f.workers * f.elapsedMs - robots - hostClock - fetching - queueing;
  const [r, h, fetch, queue, rest] = shares([robots, hostClock, fetching, queueing, idle]);
  const busy = percent(f.writerBusyMs, f.elapsedMs * f.writers);
  const writers = f.writers === 1
    ? `with the writer busy ${busy}% of the run`
    : `with the ${f.writers} writers busy ${busy}% of the run each`;
  return `worker time: robots ${r}%, host clock ${h}%, fetching ${fetch}%, ` +
    `queueing to write ${queue}%, idle ${rest}% of ${f.workers} workers, ${writers}`;
}

function queueLine(name: string, queue: QueueFigures): string {
  return `${name}: ${formatBytes(queue.boundBytes)} bound, ` +
    `${formatBytes(queue.peakBytes)} at its highest, ` +
    `${percent(queue.peakBytes, queue.boundBytes)}% of the bound`;
}

function endLine(f: CrawlFigures): string {
  const memory = f.peakMemoryBytes === undefined
    ? ""
    : `, ${formatBytes(f.peakMemoryBytes)} of memory at the peak`;
  return `${formatElapsed(f.elapsedMs)}, ${formatRate(f.fetched, f.elapsedMs)}${memory}`;
}

/** Shapes come off the wire: nothing in them may act on a terminal. */
function printable(shape: string): string {
  // deno-lint-ignore no-control-regex
  return shape.slice(0, 200).replace(/[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, "?");
}
