/**
 * What a crawl counts.
 *
 * @module
 */

import type { CrawlFigures } from "../report/mod.ts";
import type { VisitVerdict } from "../tiers/revisit.ts";
import type { ArchiveTotals } from "./archiver.ts";
import { type OtherRunFigures, RunStatistics } from "./_run_statistics.ts";

/** Figures that other rooms keep, as {@linkcode CrawlStatistics.figures} takes them in. */
export interface OtherFigures extends OtherRunFigures {
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
export class CrawlStatistics extends RunStatistics {
  /** Records ready to be yielded. */
  records = 0;
  /** Answered page fetches over the life of the state. */
  answered = 0;
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
  seeds = 0;
  badSeeds = 0;
  /** Of another shard, or excluded. */
  seedsOutside = 0;

  /** A page was visited again, and answered. */
  revisited(status: number, verdict: VisitVerdict): void {
    if (verdict === "changed") this.revisits.changed++;
    else if (verdict === "unknown") this.revisits.failing++;
    else {
      this.revisits.unchanged++;
      if (status === 304) this.revisits.notModified++;
    }
  }

  /** The run's figures at this moment, with what other rooms count beside ours. */
  figures(other: OtherFigures): CrawlFigures {
    const { archive } = other;
    const remaining = other.follows ? undefined : Math.min(
      this.queued + this.inFlight,
      other.maxPages > 0 ? other.maxPages - this.answered : Infinity,
    );
    return {
      ...this.shared(other),
      files: archive.files,
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
      writers: other.writers,
      writerBusyMs: archive.busyMs,
      queue: { boundBytes: other.queueBytes, peakBytes: archive.peakBytes },
      queued: this.queued,
      activeHosts: this.activeHosts,
      ...(remaining === undefined ? {} : { remaining }),
    };
  }
}
