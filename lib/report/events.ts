/**
 * A run's events, for `--progress json` and the journal.
 *
 * @module
 */

import type { ReportedFigures } from "./types.ts";

/** What every event says. */
export interface EventBase {
  /** When, RFC 3339 UTC. */
  readonly time: string;
  /** `crawl run`. */
  readonly command: string;
}

/** What a run says about itself when it begins. */
export type StartDetails = Readonly<Record<string, string | number | boolean>>;

/** The run begins. */
export interface StartEvent extends EventBase {
  /** Tells the events apart. */
  readonly event: "start";
  /** Of ccrawl. */
  readonly version: string;
  /** What the engine tells about this run: state, output, shard, release … */
  readonly details: StartDetails;
}

/** Every 30 seconds. */
export interface TickEvent extends EventBase {
  /** Tells the events apart. */
  readonly event: "tick";
  /** The figures at that moment. */
  readonly figures: ReportedFigures;
}

/** An output file is finished: closed, synced, under its final name. */
export interface SealEvent extends EventBase {
  /** Tells the events apart. */
  readonly event: "seal";
  /** Its path. */
  readonly file: string;
  /** Its length. */
  readonly bytes: number;
  /** Records in it. */
  readonly records: number;
}

/** The run is over. */
export interface EndEvent extends EventBase {
  /** Tells the events apart. */
  readonly event: "end";
  /** `finished`, or why it stopped: `stopped`, `limit`, `disk floor`, … */
  readonly outcome: string;
  /** The figures at that moment. */
  readonly figures: ReportedFigures;
}

/** Something a person should know. */
export interface MessageEvent extends EventBase {
  /** Tells the events apart. */
  readonly event: "message";
  /** Whether something is amiss. */
  readonly level: "info" | "warning";
  /** What is to be known. */
  readonly text: string;
}

/** Any of them. */
export type RunEvent = MessageEvent | StartEvent | TickEvent | SealEvent | EndEvent;
