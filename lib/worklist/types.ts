/**
 * What a work list is made of.
 *
 * @module
 */

import type { RowRange } from "../capture/mod.ts";

/** One row that is this shard's. */
export interface WorkRow {
  /** Ordinal of the part in the list, from 0. */
  readonly part: number;
  /** Row in the part, from 0, counted before the shard filter. */
  readonly row: number;
  /** Absolute URL, as the list has it; a bare host name stands as `https://<host>/`. */
  readonly url: string;
  /** Host of the URL; empty when it has none or cannot be parsed. */
  readonly host: string;
}

/** A place in a work list: the next row to read. */
export interface ReadPosition {
  /** Ordinal of the part; the number of parts when the list has been read to its end. */
  readonly part: number;
  /** Row in the part, counted before the shard filter. */
  readonly row: number;
}

/** Rows read together. */
export interface WorkBatch {
  /** This shard's rows in the list's order; may be empty at the end of a part. */
  readonly rows: readonly WorkRow[];
  /** Where reading stands behind this batch. A checkpoint keeps it, */
  readonly next: ReadPosition;
  /**
   * and with it, beside the rows in flight, those before `next` that were to be read again and have
   * not been yet. Empty once that is over.
   */
  readonly unread: readonly RowRange[];
}

/** One file of a work list. */
export interface WorkPart {
  /** Path in the repo, or path on disk; `-` for standard input. */
  readonly name: string;
}

/** What has been read so far. */
export interface WorkListStats {
  /** Rows read, other shards' included. */
  rows: number;
  /** Rows that hold no URL: empty, null, no JSON, too long. Blank and comment lines are not counted. */
  bad: number;
  /** Bytes read from files and received from the hub. */
  bytes: number;
  /** Requests sent to the hub and the hosts it names. */
  requests: number;
  /** Answers 429 and 5xx, and connections that failed, after which the same was asked again. */
  retries: number;
}

/** Options of {@linkcode WorkList.read}. */
export interface ReadOptions {
  /** Next row to read. @default the first row */
  readonly from?: ReadPosition;
  /** Rows before `from` to read again: those a stopped run had read and not made durable. */
  readonly pending?: readonly RowRange[];
  /** This machine's shard. @default 0 */
  readonly shard?: number;
  /** Number of shards. @default 1 */
  readonly shards?: number;
  /** Rows of this shard in a batch. @default 2000 */
  readonly batch?: number;
  /** Ends reading with its reason. */
  readonly signal?: AbortSignal;
}

/** A list of URLs to be fetched, in files that are read in order. */
export interface WorkList {
  /** What is read, as the checkpoint names it: repo and column, absolute path, or `-`. */
  readonly source: string;
  /** Release that was picked; empty where a source has none. */
  readonly release: string;
  /** The files, in reading order. */
  readonly parts: readonly WorkPart[];
  /** Counts, as of now. */
  readonly stats: Readonly<WorkListStats>;
  /**
   * Reads the list from a position on, with the rows before it that are to be read again, in the
   * list's order and in one pass. The sequence depends on nothing but the list and these options.
   *
   * @throws {WorkListError} If a part cannot be read; of its kinds a {@linkcode HubError} tells that
   * the hub did not give it, and a {@linkcode PartFormatError} that it is damaged.
   * @throws {RangeError} If an option is out of range.
   */
  read(options?: ReadOptions): AsyncGenerator<WorkBatch, void, unknown>;
}
