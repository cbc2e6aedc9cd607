/**
 * What the page about a run is given: the figures of the moment, and how they came to be.
 *
 * @module
 */

import { VERSION } from "../version.ts";
import type { StartDetails } from "./events.ts";
import { type HistoryPoint, RecentHistory, WholeHistory } from "./history.ts";
import { failedTotal } from "./_summary_lines.ts";
import type { AnyFigures, WorkerTimes } from "./types.ts";

/** How often the figures are looked at, in ms. */
export const SAMPLE_MS = 2000;
/** Points of the last quarter of an hour, and of the whole run at the most. */
const RECENT = 15 * 60_000 / SAMPLE_MS;
const WHOLE = 600;
/** What the rate of the moment is an average over, and the worker time of late. */
const RATE_MS = 15_000;
const MINUTE_MS = 60_000;

/** What the workers, the writers and the renderers did in the last minute. */
export interface MinuteFigures {
  /** Milliseconds that it is about: less than a minute where the run has just begun. */
  readonly ms: number;
  /** Milliseconds, summed over the workers. */
  readonly workerTimes: WorkerTimes;
  /** Milliseconds, summed over the writers. */
  readonly writerBusyMs: number;
  /** Milliseconds, summed over the pool; 0 where nothing is rendered. */
  readonly renderingMs: number;
}

/** The page's figures. */
export interface PageFigures {
  /** `crawl run`. */
  readonly command: string;
  /** Of ccrawl. */
  readonly version: string;
  /** Unix ms. */
  readonly now: number;
  /** What the run said about itself when it began. */
  readonly details: StartDetails;
  /** Everything known of this moment. */
  readonly figures: AnyFigures;
  /** Resident bytes now. */
  readonly memory: number;
  /** Pages a second of late, and the milliseconds that this is an average over. */
  readonly rate: number;
  readonly rateMs: number;
  readonly minute: MinuteFigures;
  /** `[elapsed ms, fetched, failed, resident bytes]` of the last quarter of an hour. */
  readonly recent: readonly HistoryPoint[];
  /** The same of the whole run. */
  readonly whole: readonly HistoryPoint[];
}

/** Looks at the figures now and then, and gives them to the page. */
export class PageSource {
  readonly #command: string;
  readonly #details: StartDetails;
  readonly #sample: () => AnyFigures;
  readonly #memory: () => number;
  readonly #recent = new RecentHistory(RECENT);
  readonly #whole = new WholeHistory(WHOLE);
  readonly #times = new RecentHistory(MINUTE_MS / SAMPLE_MS + 1);

  /** @param memory Resident bytes now. */
  constructor(
    command: string,
    details: StartDetails,
    sample: () => AnyFigures,
    memory: () => number = () => Deno.memoryUsage().rss,
  ) {
    this.#command = command;
    this.#details = details;
    this.#sample = sample;
    this.#memory = memory;
  }

  /** Looks at the figures; called every {@linkcode SAMPLE_MS}. */
  look(): void {
    const f = this.#sample();
    const point = pointOf(f, this.#memory());
    this.#recent.add(point);
    this.#whole.add(point);
    this.#times.add(timesOf(f));
  }

  /** The figures of now. `time` is unix ms. */
  figures(time: number): PageFigures {
    const figures = this.#sample();
    const memory = this.#memory();
    const point = pointOf(figures, memory);
    const recent = [...this.#recent.points, point];
    const before = recent.find(([t]) => figures.elapsedMs - t! <= RATE_MS) ?? point;
    const [from, fetched] = before === point || recent[0] === before ? [0, 0] : before;
    const rateMs = Math.min(figures.elapsedMs - from!, figures.elapsedMs);
    return {
      command: this.#command,
      version: VERSION,
      now: time,
      details: this.#details,
      figures,
      memory,
      rate: rateMs > 0 ? (figures.fetched - fetched!) * 1000 / rateMs : 0,
      rateMs,
      minute: this.#minute(figures),
      recent,
      whole: [...this.#whole.points, point],
    };
  }

  #minute(figures: AnyFigures): MinuteFigures {
    const now = timesOf(figures);
    const zero = now.map(() => 0);
    const first = this.#times.points[0];
    // Until a minute has gone by it is the run so far.
    const from = first === undefined || now[0]! < MINUTE_MS ? zero : first;
    const [ms, robots, hostClock, fetching, queueing, writerBusyMs, renderingMs] = now.map(
      (value, i) => value - from[i]!,
    ) as [number, number, number, number, number, number, number];
    const workerTimes = { robots, hostClock, fetching, queueing };
    return { ms, workerTimes, writerBusyMs, renderingMs };
  }
}

function pointOf(f: AnyFigures, memory: number): HistoryPoint {
  return [Math.round(f.elapsedMs), f.fetched, failedTotal(f.failures), memory];
}

function timesOf(f: AnyFigures): HistoryPoint {
  const { robots, hostClock, fetching, queueing } = f.workerTimes;
  const rendering = "extract" in f ? f.extract?.renderingMs ?? 0 : 0;
  return [f.elapsedMs, robots, hostClock, fetching, queueing, f.writerBusyMs, rendering];
}
