/**
 * The figures of a run, as plain data that an engine fills and a report reads.
 *
 * @module
 */

/** Failures by class, in the order they are printed. */
export interface FailureCounts {
  readonly dns: number;
  readonly timeout: number;
  readonly refused: number;
  readonly tls: number;
  readonly skip: number;
  readonly other: number;
}

/** What the failures that no class names were. */
export interface UnclassifiedFigures {
  /** The commonest shapes, commonest first; three are printed. */
  readonly top: readonly { readonly shape: string; readonly count: number }[];
  /** How many there were in all. */
  readonly total: number;
}

/** What asking for robots.txt did. */
export interface RobotsFigures {
  /** Hosts whose robots.txt was asked for on the network. */
  readonly hosts: number;
  /** Checks that an answer in hand served. */
  readonly saved: number;
  /** Pages that rules refused. */
  readonly refused: number;
  /** Pages stopped because the host's robots.txt could not be had. */
  readonly unreachable: number;
  /** Why hosts could not be asked. */
  readonly failures: {
    readonly dns: number;
    readonly timeout: number;
    readonly refused: number;
    readonly serverError: number;
    readonly other: number;
  };
}

/** What resolving names did. */
export interface DnsFigures {
  readonly lookedUp: number;
  readonly cached: number;
  readonly unresolved: number;
  /** Of `unresolved`, those that every server said do not exist. */
  readonly nonexistent: number;
  /** Most lookups open at once, and the bound on it. */
  readonly peak: number;
  readonly bound: number;
}

/** A queue bounded by bytes. */
export interface QueueFigures {
  readonly boundBytes: number;
  readonly peakBytes: number;
}

/** What the workers spent their time on: milliseconds, summed over all of them. What is left is idle. */
export interface WorkerTimes {
  /** Waiting for robots.txt. */
  readonly robots: number;
  /** Waiting for a host's clock. */
  readonly hostClock: number;
  readonly fetching: number;
  /** Waiting for the queue before the writers to take a page. */
  readonly queueing: number;
}

/** Everything known about a crawl at one moment. Counts are of this run unless said otherwise. */
export interface CrawlFigures {
  /** Milliseconds since the run began. */
  readonly elapsedMs: number;
  /** Pages that were answered, whatever the status. */
  readonly fetched: number;
  /** Pages that were given up unanswered, by class; `skip` are our own refusals, robots not among them. */
  readonly failures: FailureCounts;
  /** Pages that robots.txt, or its silence, kept us from. */
  readonly disallowed: number;
  /** Body bytes taken off the wire. */
  readonly bytes: number;
  /** WARC files finished. */
  readonly files: number;
  /** Absent when there is nothing in `failures.other`. */
  readonly unclassified?: UnclassifiedFigures;
  /** Absent when robots.txt is not asked for. */
  readonly robots?: RobotsFigures;
  readonly dns: DnsFigures;
  readonly workers: number;
  readonly workerTimes: WorkerTimes;
  readonly writers: number;
  /** Milliseconds that the writers were at work, summed over them. */
  readonly writerBusyMs: number;
  readonly queue: QueueFigures;
  /** The most memory the process has had, in bytes. Filled by the report where left out. */
  readonly peakMemoryBytes?: number;
  /** Live figures, for the progress line. */
  readonly queued: number;
  readonly inFlight: number;
  /** Hosts with something queued or in flight. */
  readonly activeHosts: number;
  /** Pages still to come, where that can be known (`--max-pages`, no outlinks followed). */
  readonly remaining?: number;
}

/** How progress is shown. `auto`: a live line on a terminal, a plain line now and then elsewhere. */
export type ProgressMode = "auto" | "text" | "json" | "none";
