/**
 * A run's events, for `--progress json` and the journal.
 *
 * @module
 */

import type { CrawlFigures } from "./types.ts";

/** When, RFC 3339 UTC, and of which command. */
interface EventBase {
  readonly time: string;
  readonly command: string;
}

/** The run begins. */
export interface StartEvent extends EventBase {
  readonly event: "start";
  readonly version: string;
  /** What the engine tells about this run: state, output, shard, release … */
  readonly details: Readonly<Record<string, string | number | boolean>>;
}

/** Every 30 seconds. */
export interface TickEvent extends EventBase {
  readonly event: "tick";
  readonly figures: CrawlFigures;
}

/** An output file is finished: closed, synced, under its final name. */
export interface SealEvent extends EventBase {
  readonly event: "seal";
  readonly file: string;
  readonly bytes: number;
  readonly records: number;
}

/** The run is over. */
export interface EndEvent extends EventBase {
  readonly event: "end";
  /** `finished`, or why it stopped: `stopped`, `limit`, `disk floor`, … */
  readonly outcome: string;
  readonly figures: CrawlFigures;
}

/** Something a person should know. */
export interface MessageEvent extends EventBase {
  readonly event: "message";
  readonly level: "info" | "warning";
  readonly text: string;
}

/** Any of them. */
export type RunEvent = MessageEvent | StartEvent | TickEvent | SealEvent | EndEvent;
