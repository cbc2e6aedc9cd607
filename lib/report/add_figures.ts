/**
 * Several passes of one process as one.
 *
 * @module
 */

import type {
  ExtractFigures,
  HeldQueueFigures,
  RecrawlFigures,
  RobotsFigures,
  UnclassifiedFigures,
} from "./types.ts";

/**
 * The figures of a pass with those of the passes before it: what was counted is summed, the most that
 * was held is the most of all, and what is there now is the last one's.
 */
export function addFigures(before: RecrawlFigures, last: RecrawlFigures): RecrawlFigures {
  const parquetFiles = maybe(before.parquetFiles, last.parquetFiles, (a, b) => a + b);
  const warcFiles = maybe(before.warcFiles, last.warcFiles, (a, b) => a + b);
  const robots = maybe(before.robots, last.robots, addRobots);
  const extract = maybe(before.extract, last.extract, addExtract);
  const unclassified = maybe(before.unclassified, last.unclassified, addUnclassified);
  return {
    ...last,
    elapsedMs: before.elapsedMs + last.elapsedMs,
    fetched: before.fetched + last.fetched,
    failures: sums(before.failures, last.failures),
    disallowed: before.disallowed + last.disallowed,
    bytes: before.bytes + last.bytes,
    dns: {
      ...sums(before.dns, last.dns),
      peak: Math.max(before.dns.peak, last.dns.peak),
      bound: last.dns.bound,
    },
    workerTimes: sums(before.workerTimes, last.workerTimes),
    writerBusyMs: before.writerBusyMs + last.writerBusyMs,
    queue: peakOf(before.queue, last.queue),
    rowsDone: before.rowsDone + last.rowsDone,
    unchanged: before.unchanged + last.unchanged,
    feeder: sums(before.feeder, last.feeder),
    ...(parquetFiles === undefined ? {} : { parquetFiles }),
    ...(warcFiles === undefined ? {} : { warcFiles }),
    ...(robots === undefined ? {} : { robots }),
    ...(extract === undefined ? {} : { extract }),
    ...(unclassified === undefined ? {} : { unclassified }),
  };
}

function addRobots(a: RobotsFigures, b: RobotsFigures): RobotsFigures {
  const { failures, ...counts } = a, { failures: more, ...others } = b;
  return { ...sums(counts, others), failures: sums(failures, more) };
}

function addExtract(a: ExtractFigures, b: ExtractFigures): ExtractFigures {
  return {
    width: b.width,
    renderingMs: a.renderingMs + b.renderingMs,
    sinkMs: a.sinkMs + b.sinkMs,
    queue: peakOf(a.queue, b.queue),
  };
}

function addUnclassified(a: UnclassifiedFigures, b: UnclassifiedFigures): UnclassifiedFigures {
  const counts = new Map<string, number>();
  for (const { shape, count } of [...a.top, ...b.top]) {
    counts.set(shape, (counts.get(shape) ?? 0) + count);
  }
  const top = [...counts].map(([shape, count]) => ({ shape, count }))
    .sort((x, y) => y.count - x.count);
  // As few as one pass tells of, however many passes there are.
  return { top: top.slice(0, Math.max(a.top.length, b.top.length)), total: a.total + b.total };
}

function peakOf(a: HeldQueueFigures, b: HeldQueueFigures): HeldQueueFigures {
  return { ...b, peakBytes: Math.max(a.peakBytes, b.peakBytes) };
}

function maybe<T>(a: T | undefined, b: T | undefined, both: (a: T, b: T) => T): T | undefined {
  return a === undefined ? b : b === undefined ? a : both(a, b);
}

/** Each count of one with the same of the other. */
function sums<T extends { readonly [K in keyof T]: number }>(a: T, b: T): T {
  return Object.fromEntries(
    (Object.keys(a) as (keyof T)[]).map((name) => [name, a[name] + b[name]]),
  ) as T;
}
