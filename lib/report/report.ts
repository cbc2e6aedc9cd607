/**
 * What a run tells while it runs and when it ends: progress, messages, events, journal, metrics and
 * summary, from figures that the engine is asked for.
 *
 * @module
 */

import { VERSION } from "../version.ts";
import type { Metric } from "./_exposition.ts";
import type { RunEvent, StartDetails } from "./events.ts";
import { Journal } from "./journal.ts";
import { peakMemory } from "./memory.ts";
import type { MetricsServer } from "./metrics.ts";
import { crawlKind, type RunKind } from "./run_kind.ts";
import { type MessageSink, StatusLine } from "./status_line.ts";
import type { AnyFigures, CrawlFigures, ProgressMode, ReportedFigures } from "./types.ts";

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
  readonly #stops: (() => void)[] = [];
  #run: BoundRun | undefined;
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
   * start event, and from here on asks `sample` for the figures, twice a second at the most. `kind`
   * says what run they are of; a crawl, where it is left out.
   *
   * @throws {JournalError} when the journal cannot be opened.
   * @throws {MetricsError} when the metrics address cannot be bound.
   */
  start(details: StartDetails, sample: () => CrawlFigures): Promise<void>;
  /** Begin, for a run of any kind. */
  start<F extends ReportedFigures>(
    details: StartDetails,
    sample: () => F,
    kind: RunKind<F>,
  ): Promise<void>;
  start(
    details: StartDetails,
    sample: () => CrawlFigures,
    kind: RunKind<CrawlFigures> = crawlKind,
  ): Promise<void> {
    return this.#start(details, bind(sample, kind));
  }

  async #start(details: StartDetails, run: BoundRun): Promise<void> {
    const { journal, metrics, progress, quiet } = this.#options;
    if (journal !== undefined) this.#journal = Journal.open(journal);
    if (metrics !== undefined) {
      const { serveMetrics } = await import("./metrics.ts");
      if (run.page === undefined) this.#metrics = serveMetrics(metrics, { metrics: run.metrics });
      else {
        const { PageSource, SAMPLE_MS } = await import("./page_figures.ts");
        const page = new PageSource(this.#options.command, details, run.page);
        this.#metrics = serveMetrics(metrics, {
          metrics: run.metrics,
          figures: () => page.figures(this.#clock.now()),
        });
        page.look();
        this.#every(SAMPLE_MS, () => page.look());
      }
    }
    this.#run = run;
    this.#emit({ event: "start", version: VERSION, details });
    if (metrics !== undefined) {
      const host = metrics.host.includes(":") ? `[${metrics.host}]` : metrics.host;
      const at = `http://${host}:${this.#metrics!.port}`;
      const page = run.page === undefined ? "" : `a page about this run is at ${at}/, `;
      this.message(`${page}metrics at ${at}/metrics`);
    }
    this.#every(TICK_MS, () => this.#emit({ event: "tick", figures: run.figures() }));
    if (quiet || progress === "none" || progress === "json") return;
    if (this.#line.live) this.#every(LIVE_MS, () => this.#line.show(run.progress()));
    else this.#every(PLAIN_MS, () => this.#text(run.progress()));
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
   * stopped it). A run that could not be opened has no workers, and nothing to sum up.
   */
  end(outcome: string): void {
    if (this.#run === undefined) throw new TypeError("Cannot report: the run has not started");
    const { figures, summary } = this.#run.last(this.#options.command);
    this.#stopTimers();
    this.#line.clear();
    this.#emit({ event: "end", outcome, figures });
    const opened = "workers" in figures ? figures.workers > 0 : figures.opened;
    if (this.#options.quiet || this.#options.progress === "json" || !opened) return;
    for (const line of summary) this.#line.print(line);
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

/** A run's figures with the words for them, whatever kind they are of. */
interface BoundRun {
  readonly figures: () => ReportedFigures;
  /** Those that the page shows; undefined where there is none. */
  readonly page: (() => AnyFigures) | undefined;
  readonly progress: () => string;
  readonly metrics: () => Metric[];
  /** The figures at the end, and the summary of the same. */
  readonly last: (prefix: string) => { figures: ReportedFigures; summary: string[] };
}

function bind<F extends ReportedFigures>(sample: () => F, kind: RunKind<F>): BoundRun {
  const figures = () => withMemory(sample());
  const line = kind.progress();
  return {
    figures,
    page: kind.page === undefined ? undefined : () => kind.page!(figures()),
    progress: () => line(sample()),
    metrics: () => kind.metrics(figures()),
    last(prefix) {
      const end = figures();
      return { figures: end, summary: kind.summary(end, prefix) };
    },
  };
}

function withMemory<F extends ReportedFigures>(figures: F): F {
  return figures.peakMemoryBytes === undefined
    ? { ...figures, peakMemoryBytes: peakMemory() }
    : figures;
}
