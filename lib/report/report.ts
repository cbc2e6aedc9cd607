/**
 * What a run tells while it runs and when it ends: progress, messages, events, journal, metrics and
 * summary, from figures that the engine is asked for.
 *
 * @module
 */

import { VERSION } from "../version.ts";
import type { RunEvent } from "./events.ts";
import { Journal } from "./journal.ts";
import { peakMemory } from "./memory.ts";
import type { MetricsServer } from "./metrics.ts";
import { formatProgress, RateWindow } from "./progress.ts";
import { type MessageSink, StatusLine } from "./status_line.ts";
import { formatCrawlSummary } from "./summary.ts";
import type { CrawlFigures, ProgressMode } from "./types.ts";

/** Milliseconds between tick events. */
export const TICK_MS = 30_000;
/** Between redrawings of the live line. */
export const LIVE_MS = 500;
/** Between plain progress lines where there is no terminal. */
export const PLAIN_MS = 60_000;

/** Time, and something that comes back regularly. */
export interface ReportClock {
  /** Unix ms. */
  now(): number;
  /** Call `work` every `ms` until the returned function is called. */
  every(ms: number, work: () => void): () => void;
}

/** How a run reports. */
export interface ReportOptions {
  /** `crawl run`; begins every line and stands in every event. */
  readonly command: string;
  /** How progress is shown. */
  readonly progress: ProgressMode;
  /** No progress, messages or summary as text; warnings and errors stay. */
  readonly quiet: boolean;
  /** stderr. */
  readonly sink: MessageSink;
  /** Path of the journal. */
  readonly journal?: string | undefined;
  /** Where metrics are served. */
  readonly metrics?: { readonly host: string; readonly port: number } | undefined;
  /** Time of a test's own. @default the system's */
  readonly clock?: ReportClock;
}

const systemClock: ReportClock = {
  now: () => Date.now(),
  every(ms, work) {
    const id = setInterval(work, ms);
    return () => clearInterval(id);
  },
};

/** Distributes `Omit` over the members of a union. */
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The report of one run. */
export class RunReport {
  readonly #options: ReportOptions;
  readonly #clock: ReportClock;
  readonly #line: StatusLine;
  readonly #rate = new RateWindow();
  readonly #stops: (() => void)[] = [];
  #sample: (() => CrawlFigures) | undefined;
  #journal: Journal | undefined;
  #journalFailed = false;
  #metrics: MetricsServer | undefined;

  /** Nothing is opened or written before `start`. */
  constructor(options: ReportOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#line = new StatusLine(options.sink);
  }

  /**
   * Begin: opens the journal and the metrics address, tells `details` (state, output, shard …) as the
   * start event, and from here on asks `sample` for the figures, twice a second at the most.
   *
   * @throws {JournalError} when the journal cannot be opened.
   * @throws {MetricsError} when the metrics address cannot be bound.
   */
  async start(
    details: Readonly<Record<string, string | number | boolean>>,
    sample: () => CrawlFigures,
  ): Promise<void> {
    const { journal, metrics, progress, quiet } = this.#options;
    if (journal !== undefined) this.#journal = Journal.open(journal);
    if (metrics !== undefined) {
      const { serveMetrics } = await import("./metrics.ts");
      this.#metrics = serveMetrics(metrics, () => withMemory(sample()));
      const host = metrics.host.includes(":") ? `[${metrics.host}]` : metrics.host;
      this.message(`metrics at http://${host}:${this.#metrics.port}/metrics`);
    }
    this.#sample = sample;
    this.#emit({ event: "start", version: VERSION, details });
    this.#every(TICK_MS, () => this.#emit({ event: "tick", figures: this.#figures() }));
    if (quiet || progress === "none" || progress === "json") return;
    if (this.#line.live) this.#every(LIVE_MS, () => this.#line.show(this.#progress()));
    else this.#every(PLAIN_MS, () => this.#text(this.#progress()));
  }

  /** An output file is finished: closed, synced, under its final name. */
  seal(file: { readonly file: string; readonly bytes: number; readonly records: number }): void {
    this.#emit({ event: "seal", ...file });
  }

  /** Tell people something about the run; nothing with `-q`. */
  message(text: string): void {
    this.#emit({ event: "message", level: "info", text });
    if (!this.#options.quiet) this.#text(text);
  }

  /** Tell people something that should not be; with `-q` too. */
  warn(text: string): void {
    this.#emit({ event: "message", level: "warning", text });
    this.#text(text);
  }

  /**
   * The run is over. Prints the summary, and emits the end event with `outcome` (`finished`, or what
   * stopped it).
   */
  end(outcome: string): void {
    const figures = this.#figures();
    this.#stopTimers();
    this.#line.clear();
    this.#emit({ event: "end", outcome, figures });
    if (this.#options.quiet || this.#options.progress === "json") return;
    for (const line of formatCrawlSummary(figures, this.#options.command)) this.#line.print(line);
  }

  /** Let go of everything; after an error too. @throws {JournalError} */
  async close(): Promise<void> {
    this.#stopTimers();
    this.#line.clear();
    const journal = this.#journal;
    this.#journal = undefined;
    try {
      journal?.close();
    } finally {
      await this.#metrics?.close();
      this.#metrics = undefined;
    }
  }

  /** Take the live line away while something else writes to its terminal. */
  holdLine(): void {
    this.#line.hold();
  }

  /** Put it back. */
  releaseLine(): void {
    this.#line.release();
  }

  #every(ms: number, work: () => void): void {
    this.#stops.push(this.#clock.every(ms, work));
  }

  #stopTimers(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #figures(): CrawlFigures {
    if (this.#sample === undefined) throw new TypeError("Cannot report: the run has not started");
    return withMemory(this.#sample());
  }

  #progress(): string {
    const figures = this.#sample!();
    return formatProgress(figures, this.#rate.add(figures));
  }

  #text(text: string): void {
    if (this.#options.progress === "json") return;
    this.#line.print(`${this.#options.command}: ${text}`);
  }

  #emit(event: Without<RunEvent, "time" | "command">): void {
    const { command, progress } = this.#options;
    if (this.#journal === undefined && progress !== "json") return;
    const time = new Date(this.#clock.now()).toISOString();
    const { event: name, ...rest } = event;
    const whole = { event: name, time, command, ...rest } as RunEvent;
    if (progress === "json") this.#options.sink.write(`${JSON.stringify(whole)}\n`);
    if (this.#journal === undefined) return;
    try {
      this.#journal.write(whole);
      this.#journalFailed = false;
    } catch (error) {
      // A full disk under the journal must not end a crawl: it is told once, and tried again.
      if (!this.#journalFailed) {
        this.#options.sink.write(`${command}: ${(error as Error).message}\n`);
      }
      this.#journalFailed = true;
    }
  }
}

function withMemory(figures: CrawlFigures): CrawlFigures {
  return figures.peakMemoryBytes === undefined
    ? { ...figures, peakMemoryBytes: peakMemory() }
    : figures;
}
