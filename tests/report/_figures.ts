import type { CrawlFigures, RecrawlFigures } from "../../lib/report/types.ts";

/** Figures of a run that used everything. */
export function figures(more: Partial<CrawlFigures> = {}): CrawlFigures {
  return {
    elapsedMs: 100_000,
    fetched: 3330,
    failures: { dns: 5483, timeout: 1234, refused: 447, tls: 1444, skip: 0, other: 138 },
    disallowed: 16,
    bytes: 1_512_345_678,
    files: 4,
    unclassified: {
      top: [
        { shape: "eof", count: 124 },
        { shape: "http: server gave http response to https client", count: 9 },
        { shape: "unexpected eof", count: 3 },
        { shape: "never printed", count: 1 },
      ],
      total: 138,
    },
    robots: {
      hosts: 258,
      saved: 12,
      refused: 16,
      unreachable: 39,
      failures: { dns: 12, timeout: 61, refused: 18, serverError: 2, other: 0 },
    },
    dns: { lookedUp: 1607, cached: 141, unresolved: 56, nonexistent: 37, peak: 30, bound: 32 },
    workers: 256,
    workerTimes: { robots: 0, hostClock: 0, fetching: 15_616_000, queueing: 256_000 },
    writers: 1,
    writerBusyMs: 8_000,
    queue: { boundBytes: 128 * 1024 ** 2, peakBytes: 40_265_318 },
    peakMemoryBytes: 850_000_000,
    queued: 5021,
    inFlight: 64,
    activeHosts: 310,
    ...more,
  };
}

const MIB = 1024 ** 2;

/** Figures of a pass over a work list that rendered what it fetched. */
export function recrawlFigures(more: Partial<RecrawlFigures> = {}): RecrawlFigures {
  const { files: _files, ...run } = figures();
  return {
    ...run,
    fetched: 11_254,
    disallowed: 0,
    writers: 3,
    writerBusyMs: 183_000,
    position: { part: 1, row: 20_000 },
    parquetFiles: 4,
    rowsDone: 19_700,
    unchanged: 0,
    extract: {
      width: 6,
      renderingMs: 426_000,
      sinkMs: 24_000,
      queue: { boundBytes: 64 * MIB, peakBytes: 12_400_000, heldBytes: 6_710_886 },
    },
    queue: { boundBytes: 64 * MIB, peakBytes: 20_100_000, heldBytes: 0 },
    feeder: { aliveMs: 22_000, readingMs: 2_640, waitingMs: 19_360, rows: 400 },
    ...more,
  };
}
