/**
 * The figures of a run, as plain data that an engine fills and a report reads.
 *
 * @module
 */

/** Failures by class, in the order they are printed. */
export interface FailureCounts {
  /** No such name, no address, a resolver that did not answer. */
  readonly dns: number;
  /** A deadline ran out. */
  readonly timeout: number;
  /** Refused, reset, unreachable. */
  readonly refused: number;
  /** Handshake or certificate. */
  readonly tls: number;
  /** Our own refusal: a private address, a port that is not for the web. */
  readonly skip: number;
  /** None of these. */
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
    /** 5xx, and 429. */
    readonly serverError: number;
    readonly other: number;
  };
}

/** What resolving names did. */
export interface DnsFigures {
  /** Hosts that servers were asked about. */
  readonly lookedUp: number;
  /** Lookups that the cache answered. */
  readonly cached: number;
  /** Hosts without an address in the end. */
  readonly unresolved: number;
  /** Of `unresolved`, those that every server said do not exist. */
  readonly nonexistent: number;
  /** Most lookups open at once. */
  readonly peak: number;
  /** The bound on it. */
  readonly bound: number;
}

/** A queue bounded by bytes. */
export interface QueueFigures {
  /** Most it may hold. */
  readonly boundBytes: number;
  /** Most it has held. */
  readonly peakBytes: number;
}

/** What the workers spent their time on: milliseconds, summed over all of them. What is left is idle. */
export interface WorkerTimes {
  /** Waiting for robots.txt. */
  readonly robots: number;
  /** Waiting for a host's clock. */
  readonly hostClock: number;
  /** Connecting, sending, reading. */
  readonly fetching: number;
  /** Waiting for the queue before the writers to take a page. */
  readonly queueing: number;
}

/** What every kind of run tells at one moment. Counts are of this run unless said otherwise. */
export interface RunFigures {
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
  /** Absent when there is nothing in `failures.other`. */
  readonly unclassified?: UnclassifiedFigures;
  /** Absent when robots.txt is not asked for. */
  readonly robots?: RobotsFigures;
  /** Lookups of names. */
  readonly dns: DnsFigures;
  /** Fetches there can be at once. */
  readonly workers: number;
  /** What they spent their time on. */
  readonly workerTimes: WorkerTimes;
  /** Output files written at once. */
  readonly writers: number;
  /** Milliseconds that the writers were at work, summed over them. */
  readonly writerBusyMs: number;
  /** The queue before the writers. */
  readonly queue: QueueFigures;
  /** The most memory the process has had, in bytes. Filled by the report where left out. */
  readonly peakMemoryBytes?: number;
  /** URLs in the queue now; of a work list, rows read and not handed out yet. */
  readonly queued: number;
  /** Fetches in flight now. */
  readonly inFlight: number;
  /** Hosts with something queued or in flight. */
  readonly activeHosts: number;
  /** Pages still to come, where that can be known (`--max-pages`, no outlinks followed). */
  readonly remaining?: number;
}

/** What visiting pages again did. */
export interface RevisitFigures {
  /** Those that had changed. */
  readonly changed: number;
  /** Those that had not. */
  readonly unchanged: number;
  /** Of `unchanged`, the answers 304 Not Modified. */
  readonly notModified: number;
  /** Those whose server was only not well (429, 5xx). */
  readonly failing: number;
  /** Pages that wait for their next visit. */
  readonly waiting: number;
  /** Those whose time has come: queued, or in flight. */
  readonly due: number;
}

/** Everything known about a crawl at one moment. */
export interface CrawlFigures extends RunFigures {
  /** WARC files finished. */
  readonly files: number;
  /** Sitemaps among the answers, and the URLs that they list. Absent where they are not looked for. */
  readonly sitemaps?: { readonly read: number; readonly listed: number };
  /** Pages that were visited again. Absent where a crawl does not come back. */
  readonly revisits?: RevisitFigures;
}

/** A queue bounded by bytes, with what is in it now. */
export interface HeldQueueFigures extends QueueFigures {
  /** What it holds now. */
  readonly heldBytes: number;
}

/** The pool that renders pages, and the queue before it. */
export interface ExtractFigures {
  /** Pages it can render at once. What is left of its width times the elapsed time is idle. */
  readonly width: number;
  /** Milliseconds spent rendering, summed over the pool. */
  readonly renderingMs: number;
  /** Milliseconds spent waiting for the write queue to take a page, summed over the pool. */
  readonly sinkMs: number;
  /** The queue between fetches and this pool. */
  readonly queue: HeldQueueFigures;
}

/** The one that reads the work list and hands its rows to the workers: its own clock, not the pool's. */
export interface FeederFigures {
  /** Milliseconds from its start to its end, or to now; it ends before the run does. */
  readonly aliveMs: number;
  /** Of them, those spent reading the next row. */
  readonly readingMs: number;
  /** Of them, those spent with a row in hand and no worker free for it. */
  readonly waitingMs: number;
  /** Rows handed out. */
  readonly rows: number;
}

/** How far what is durable lags behind what was fetched. */
export interface CheckpointFigures {
  /** Milliseconds since the checkpoint was written. */
  readonly ageMs: number;
  /** Rows that have ended and are in no sealed file yet: what a kill would have fetched again. */
  readonly rowsAhead: number;
  /** Sealed parts that are still on this disk; a publisher takes them away. Absent without parts. */
  readonly partsWaiting?: number;
}

/** Everything known about a pass over a work list at one moment. */
export interface RecrawlFigures extends RunFigures {
  /** Where reading stands: the next row, counted in its part before the shard filter. */
  readonly position: { readonly part: number; readonly row: number };
  /** Parquet files finished; absent where none are written. */
  readonly parquetFiles?: number;
  /** WARC files finished; absent where none are written. */
  readonly warcFiles?: number;
  /** Rows that are durable, over the life of the state. */
  readonly rowsDone: number;
  /** Of `fetched`, the answers 304 Not Modified. */
  readonly unchanged: number;
  /** Absent where no checkpoint is kept. */
  readonly checkpoint?: CheckpointFigures;
  /** Absent where nothing is rendered: then fetches go straight to the writers' queue. */
  readonly extract?: ExtractFigures;
  /** The queue before the writers. */
  readonly queue: HeldQueueFigures;
  /** What reading the list cost. */
  readonly feeder: FeederFigures;
  /** Rows of this shard still to end, one way or the other, where that can be known. */
  readonly remainingRows?: number;
}

/** Everything known about the publishing of a run's files at one moment. Counts are of this process. */
export interface PublishFigures {
  /** Whether it could begin: the hub was reached, and took the token. */
  readonly opened: boolean;
  /** Milliseconds since it began. */
  readonly elapsedMs: number;
  /** Parts that are on the hub now and were not. */
  readonly published: number;
  /** Their rows. */
  readonly rows: number;
  /** Their size. */
  readonly bytes: number;
  /** Parts that were there already. */
  readonly present: number;
  /** Commits made. */
  readonly commits: number;
  /** Parts on disk that are still to be published. */
  readonly waiting: number;
  /** Their size. */
  readonly waitingBytes: number;
  /** The part that is being sent, how much of it is there, and its size; absent between parts. */
  readonly sending?: { readonly part: string; readonly sent: number; readonly bytes: number };
  /** Bytes sent to the store, those that had to be sent again too. */
  readonly sentBytes: number;
  /** Requests to the hub that were sent again. */
  readonly retries: number;
  /** Whether the run is done and everything of it is published. */
  readonly complete: boolean;
  /** The most memory the process has had, in bytes. Filled by the report where left out. */
  readonly peakMemoryBytes?: number;
}

/** The figures of any kind of run that fetches. */
export type AnyFigures = CrawlFigures | RecrawlFigures;

/** The figures of whatever is reported on. */
export type ReportedFigures = AnyFigures | PublishFigures;

/** How progress is shown. `auto`: a live line on a terminal, a plain line now and then elsewhere. */
export type ProgressMode = "auto" | "text" | "json" | "none";
