/**
 * What a recrawl counts.
 *
 * @module
 */

import type { CheckpointFigures, RecrawlFigures } from "../report/mod.ts";
import type { RenderPoolFigures } from "../render/mod.ts";
import type { WriterPoolFigures } from "../capture/mod.ts";
import type { ArchiveTotals } from "./archiver.ts";
import type { FilledRecrawlOptions } from "./recrawl_options.ts";
import { type OtherRunFigures, RunStatistics } from "./_run_statistics.ts";

/** Figures that other rooms keep. */
export interface OtherRecrawlFigures extends OtherRunFigures {
  readonly options: FilledRecrawlOptions;
  readonly position: { readonly part: number; readonly row: number };
  readonly archive: ArchiveTotals | undefined;
  readonly pool: RenderPoolFigures | undefined;
  readonly writers: WriterPoolFigures | undefined;
  readonly lag: CheckpointFigures | undefined;
  /** Rows in hand that no worker has yet. */
  readonly queued: number;
}

/** The counters of one run over a work list. */
export class RecrawlStatistics extends RunStatistics {
  unchanged = 0;
  parquetFiles = 0;
  /** Durable rows, over the life of the state. */
  rowsDone = 0;
  readonly feeder = {
    begun: performance.now(),
    ended: undefined as number | undefined,
    readingMs: 0,
    rows: 0,
  };

  /** The run's figures at this moment. */
  figures(other: OtherRecrawlFigures): RecrawlFigures {
    const { options, archive, pool, writers, lag } = other;
    const { feeder } = this;
    const aliveMs = (feeder.ended ?? this.at) - feeder.begun;
    const readingMs = Math.min(feeder.readingMs, aliveMs);
    const half = options.queueBytes / 2;
    return {
      ...this.shared(other),
      position: other.position,
      rowsDone: this.rowsDone,
      unchanged: this.unchanged,
      ...(lag === undefined ? {} : { checkpoint: checkpointFigures(lag, writers !== undefined) }),
      ...(writers === undefined ? {} : { parquetFiles: this.parquetFiles }),
      ...(archive === undefined ? {} : { warcFiles: archive.files }),
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
      activeHosts: this.inFlight,
    };
  }
}

/** Without parts there is nothing to publish. */
function checkpointFigures(lag: CheckpointFigures, parts: boolean): CheckpointFigures {
  const { ageMs, rowsAhead } = lag;
  return parts ? lag : { ageMs, rowsAhead };
}
