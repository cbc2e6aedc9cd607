/**
 * What a crawl counts.
 *
 * @module
 */

import { ErrorShapes, type FailureKind } from "../net/mod.ts";
import type { CrawlFigures, DnsFigures, RobotsFigures } from "../report/mod.ts";
import type { VisitVerdict } from "../tiers/revisit.ts";
import type { ArchiveTotals } from "./archiver.ts";

/** Figures that other rooms keep, as {@linkcode CrawlStatistics.figures} takes them in. */
export interface OtherFigures {
  readonly robots: Omit<RobotsFigures, "refused"> | undefined;
  readonly dns: DnsFigures;
  readonly archive: ArchiveTotals;
  readonly writers: number;
  readonly queueBytes: number;
  /** Answered fetches after which the crawl ends; 0 for no bound. */
  readonly maxPages: number;
  /** Whether sitemaps are read. */
  readonly sitemaps: boolean;
  /** Whether pages are come back to. */
  readonly recrawl: boolean;
  /** Whether links are followed: if so, what is queued says little about what is to come. */
  readonly follows: boolean;
}

/** The counters of one run. */
export class CrawlStatistics {
  #start = performance.now();
  #end: number | undefined;
  /** Records ready to be yielded. */
  records = 0;
  /** Answered page fetches of this run, and over the life of the state. */
  fetched = 0;
  answered = 0;
  /** Pages that robots.txt, or its silence, kept us from. */
  disallowed = 0;
  bodyBytes = 0;
  retries = 0;
  /** Sitemaps among the answers, and the URLs in them. */
  readonly sitemaps = { read: 0, listed: 0 };
  /** Pages visited again, by what became of them. */
  readonly revisits = { changed: 0, unchanged: 0, notModified: 0, failing: 0 };
  /** The frontier's books of them, as last looked at. */
  visits: { readonly waiting: number; readonly due: number } | undefined;
  /** The frontier's books, as last looked at. */
  queued = 0;
  activeHosts = 0;
  inFlight = 0;
  seeds = 0;
  badSeeds = 0;
  /** Of another shard, or excluded. */
  seedsOutside = 0;
  workers = 0;
  readonly failedBy: Record<FailureKind, number> = {
    dns: 0,
    timeout: 0,
    refused: 0,
    tls: 0,
    skip: 0,
    other: 0,
  };
  /** Worker-milliseconds by what the worker did; what is left of workers × elapsed is idle. */
  readonly workerMs = { robots: 0, hostClock: 0, fetching: 0, queueing: 0 };
  readonly shapes = new ErrorShapes();

  /** A page was visited again, and answered. */
  revisited(status: number, verdict: VisitVerdict): void {
    if (verdict === "changed") this.revisits.changed++;
    else if (verdict === "unknown") this.revisits.failing++;
    else {
      this.revisits.unchanged++;
      if (status === 304) this.revisits.notModified++;
    }
  }

  /** The run is over: elapsed time stands still. */
  end(): void {
    this.#end ??= performance.now();
  }

  /** The run's figures at this moment, with what other rooms count beside ours. */
  figures(other: OtherFigures): CrawlFigures {
    const { archive, robots } = other;
    const remaining = other.follows ? undefined : Math.min(
      this.queued + this.inFlight,
      other.maxPages > 0 ? other.maxPages - this.answered : Infinity,
    );
    return {
      elapsedMs: (this.#end ?? performance.now()) - this.#start,
      fetched: this.fetched,
      failures: { ...this.failedBy },
      disallowed: this.disallowed,
      bytes: this.bodyBytes,
      files: archive.files,
      ...(this.failedBy.other > 0
        ? { unclassified: { top: this.shapes.top(3), total: this.failedBy.other } }
        : {}),
      ...(robots === undefined ? {} : { robots: { ...robots, refused: this.disallowed } }),
      ...(other.sitemaps ? { sitemaps: { ...this.sitemaps } } : {}),
      ...(other.recrawl
        ? {
          revisits: {
            ...this.revisits,
            waiting: this.visits?.waiting ?? 0,
            due: this.visits?.due ?? 0,
          },
        }
        : {}),
      dns: other.dns,
      workers: this.workers,
      workerTimes: { ...this.workerMs },
      writers: other.writers,
      writerBusyMs: archive.busyMs,
      queue: { boundBytes: other.queueBytes, peakBytes: archive.peakBytes },
      queued: this.queued,
      inFlight: this.inFlight,
      activeHosts: this.activeHosts,
      ...(remaining === undefined ? {} : { remaining }),
    };
  }
}
