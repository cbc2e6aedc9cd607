/**
 * Lines that the summary of every run has, without its prefix.
 *
 * @module
 */

import { counted, formatBytes, formatElapsed, formatRate, percent, shares } from "./format.ts";
import type { FailureCounts, QueueFigures, RobotsFigures, RunFigures } from "./types.ts";

/** Every page that failed, our own refusals among them. */
export function failedTotal(failures: FailureCounts): number {
  const { dns, timeout, refused, tls, skip, other } = failures;
  return dns + timeout + refused + tls + skip + other;
}

/** The first line: what became of the pages. `files` are words for the files that hold them. */
export function pagesLine(f: RunFigures, files: string): string {
  return `${f.fetched} fetched, ${failedTotal(f.failures)} failed, ${f.disallowed} disallowed, ${
    formatBytes(f.bytes)
  }, ${files}`;
}

/** What the web cost: failures, robots.txt, names. Nothing is said of what did not happen. */
export function webLines(f: RunFigures): string[] {
  const lines: string[] = [];
  if (failedTotal(f.failures) > 0) lines.push(failureLine(f.failures));
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
    `dns: ${counted(f.dns.lookedUp, "host")} looked up, ${f.dns.cached} answered from the cache, ` +
      `${f.dns.unresolved} unresolved of which ${f.dns.nonexistent} do not exist, ` +
      `${f.dns.peak} open at the busiest of ${f.dns.bound} allowed`,
  );
  return lines;
}

/** `1 warc file`, `4 parquet files`. */
export function filesText(count: number, kind: string): string {
  return counted(count, `${kind} file`);
}

function failureLine(f: FailureCounts): string {
  return `failures by class: dns ${f.dns}, timeout ${f.timeout}, refused ${f.refused}, ` +
    `tls ${f.tls}, skipped ${f.skip}, other ${f.other}`;
}

function robotsLines(robots: RobotsFigures): string[] {
  const lines = [
    `robots: ${counted(robots.hosts, "host")} fetched, ${robots.saved} saved by the cache, ` +
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

/** What the workers spent their time on, in shares that add up to 100, and how busy the writers were. */
export function workerLine(f: RunFigures): string {
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

/**
 * `write queue: 67.1 MB bound, 20.1 MB at its highest, 30% of the bound`. It is over 100 % where the bodies
 * that were under way when the bound was reached came on top.
 */
export function queueText(name: string, queue: QueueFigures): string {
  return `${name}: ${formatBytes(queue.boundBytes)} bound, ` +
    `${formatBytes(queue.peakBytes)} at its highest, ` +
    `${Math.round(queue.peakBytes * 100 / Math.max(1, queue.boundBytes))}% of the bound`;
}

/** How long, how fast, how much memory. */
export function endLine(f: RunFigures): string {
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
