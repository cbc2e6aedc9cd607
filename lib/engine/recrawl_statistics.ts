/**
 * What a recrawl counts.
 *
 * @module
 */

import { ErrorShapes, type FailureKind } from "../net/mod.ts";
import type {
  CheckpointFigures,
  DnsFigures,
  RecrawlFigures,
  RobotsFigures,
} from "../report/mod.ts";
import type { RenderPoolFigures } from "../render/mod.ts";
import type { WriterPoolFigures } from "../capture/mod.ts";
import type { ArchiveTotals } from "./archiver.ts";
import type { FilledRecrawlOptions } from "./recrawl_options.ts";

/** Figures that other rooms keep. */
export interface OtherRecrawlFigures {
  readonly options: FilledRecrawlOptions;
  readonly position: { readonly part: number; readonly row: number };
  readonly robots: Omit<RobotsFigures, "refused"> | undefined;
  readonly dns: DnsFigures;
  readonly archive: ArchiveTotals | undefined;
  readonly pool: RenderPoolFigures | undefined;
  readonly writers: WriterPoolFigures | undefined;
  readonly lag: CheckpointFigures | undefined;
  /** Rows in hand that no worker has yet. */
  readonly queued: number;
}

/** The counters of one run over a work list. */
export class RecrawlStatistics {
  #start = performance.now();
  #end: number | undefined;
  fetched = 0;
  unchanged = 0;
  disallowed = 0;
  bodyBytes = 0;
  inFlight = 0;
  workers = 0;
  parquetFiles = 0;
  /** Durable rows, over the life of the state. */
  rowsDone = 0;
  readonly failedBy: Record<FailureKind, number> = {
    dns: 0,
    timeout: 0,
    refused: 0,
    tls: 0,
    skip: 0,
    other: 0,
  };
  readonly workerMs = { robots: 0, hostClock: 0, fetching: 0, queueing: 0 };
  readonly feeder = {
    begun: performance.now(),
    ended: undefined as number | undefined,
    readingMs: 0,
    rows: 0,
  };
  readonly shapes = new ErrorShapes();

  /** The run is over: elapsed time stands still. */
  end(): void {
    this.#end ??= performance.now();
  }

  /** The run's figures at this moment. */
  figures(other: OtherRecrawlFigures): RecrawlFigures {
    const { options, archive, pool, writers, robots, lag } = other;
    const now = this.#end ?? performance.now();
    const { feeder } = this;
    const aliveMs = (feeder.ended ?? now) - feeder.begun;
    const readingMs = Math.min(feeder.readingMs, aliveMs);
    const half = options.queueBytes / 2;
    return {
      elapsedMs: now - this.#start,
      position: other.position,
      rowsDone: this.rowsDone,
      fetched: this.fetched,
      unchanged: this.unchanged,
      ...(lag === undefined ? {} : { checkpoint: checkpointFigures(lag, writers !== undefined) }),
      failures: { ...this.failedBy },
      disallowed: this.disallowed,
      bytes: this.bodyBytes,
      ...(writers === undefined ? {} : { parquetFiles: this.parquetFiles }),
      ...(archive === undefined ? {} : { warcFiles: archive.files }),
      ...(this.failedBy.other > 0
        ? { unclassified: { top: this.shapes.top(3), total: this.failedBy.other } }
        : {}),
      ...(robots === undefined ? {} : { robots: { ...robots, refused: this.disallowed } }),
      dns: other.dns,
      workers: this.workers,
      workerTimes: { ...this.workerMs },
      writers: options.writers,
      writerBusyMs: writers === undefined
        ? archive?.busyMs ?? 0
        : writers.writers.reduce((sum, { busyMs }) => sum + busyMs, 0),
      ...(pool === undefined || options.extractor === "none" ? {} : {
        extract: {
          width: pool.width,
          renderingMs: pool.renderingMs,
          sinkMs: pool.waitingMs,
          queue: { boundBytes: half, peakBytes: pool.queuePeak, heldBytes: pool.queueBytes },
        },
      }),
      queue: pool === undefined
        ? {
          boundBytes: options.queueBytes,
          peakBytes: archive?.peakBytes ?? 0,
          heldBytes: 0,
        }
        : {
          boundBytes: options.extractor === "none" ? options.queueBytes : half,
          peakBytes: pool.sinkPeak,
          heldBytes: pool.sinkBytes,
        },
      feeder: {
        aliveMs,
        readingMs,
        waitingMs: Math.max(0, aliveMs - readingMs),
        rows: feeder.rows,
      },
      queued: other.queued,
      inFlight: this.inFlight,
      activeHosts: this.inFlight,
    };
  }
}

/** Without parts there is nothing to publish. */
function checkpointFigures(lag: CheckpointFigures, parts: boolean): CheckpointFigures {
  const { ageMs, rowsAhead } = lag;
  return parts ? lag : { ageMs, rowsAhead };
}
