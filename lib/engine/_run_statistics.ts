/** What every run counts, be it a crawl or a pass over a work list. */

import { ErrorShapes, type FailureKind } from "../net/mod.ts";
import type { DnsFigures, RobotsFigures, RunFigures } from "../report/mod.ts";
import type { Phase } from "./_workers.ts";

/** Figures of every run that other rooms keep. */
export interface OtherRunFigures {
  /** Undefined where robots.txt is not asked for. */
  readonly robots: Omit<RobotsFigures, "refused"> | undefined;
  readonly dns: DnsFigures;
}

/** The figures that come of {@linkcode OtherRunFigures} and of what every run counts. */
type SharedFigures = Omit<
  RunFigures,
  "writers" | "writerBusyMs" | "queue" | "queued" | "activeHosts" | "remaining"
>;

/** The counters of every run. */
export class RunStatistics {
  readonly #begun = performance.now();
  #ended: number | undefined;
  #accountedAt = performance.now();
  /** Pages that were answered. */
  fetched = 0;
  /** Pages that robots.txt, or its silence, kept us from. */
  disallowed = 0;
  bodyBytes = 0;
  inFlight = 0;
  /** Fetches there can be at once. */
  workers = 0;
  readonly #failedBy: Record<FailureKind, number> = {
    dns: 0,
    timeout: 0,
    refused: 0,
    tls: 0,
    skip: 0,
    other: 0,
  };
  readonly #shapes = new ErrorShapes();
  /** Worker-milliseconds by what the worker did; what is left of workers × elapsed is idle. */
  readonly #workerMs = { robots: 0, hostClock: 0, fetching: 0, queueing: 0 };

  /** The run is over: elapsed time stands still. */
  end(): void {
    this.#ended ??= performance.now();
  }

  /** A page was given up unanswered. */
  failed(kind: FailureKind, message: string): void {
    this.#failedBy[kind]++;
    if (kind === "other") this.#shapes.add(message);
  }

  /**
   * Books worker time since the last call to what the workers in `active` did, and that of the others to
   * what kept them idle, where anything did.
   */
  account(
    now: number,
    active: Readonly<Record<Phase, number>>,
    idleBy: "queueing" | "hostClock" | undefined,
  ): void {
    const passed = now - this.#accountedAt;
    this.#accountedAt = now;
    const { robots, fetching } = active;
    this.#workerMs.robots += passed * robots;
    this.#workerMs.fetching += passed * fetching;
    if (idleBy === undefined) return;
    this.#workerMs[idleBy] += passed * Math.max(0, this.workers - robots - fetching);
  }

  /** `performance.now()` of the figures: of now, or of the run's end. */
  protected get at(): number {
    return this.#ended ?? performance.now();
  }

  /** What every run tells of itself at this moment. */
  protected shared({ robots, dns }: OtherRunFigures): SharedFigures {
    const { other } = this.#failedBy;
    return {
      elapsedMs: this.at - this.#begun,
      fetched: this.fetched,
      failures: { ...this.#failedBy },
      disallowed: this.disallowed,
      bytes: this.bodyBytes,
      ...(other > 0 ? { unclassified: { top: this.#shapes.top(3), total: other } } : {}),
      ...(robots === undefined ? {} : { robots: { ...robots, refused: this.disallowed } }),
      dns,
      workers: this.workers,
      workerTimes: { ...this.#workerMs },
      inFlight: this.inFlight,
    };
  }
}
