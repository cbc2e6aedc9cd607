import type { CrawlFigures } from "../../lib/report/types.ts";

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
