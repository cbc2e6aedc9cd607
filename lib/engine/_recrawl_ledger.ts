/**
 * What of the list is durable: rows are entered when they are read, struck out when a sealed file has
 * them, and what is left is written down with every seal.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { RowRange, SealedPart } from "../capture/mod.ts";
import type { CheckpointFigures } from "../report/mod.ts";
import { type CheckpointFile, FlightSet, type WorkBatch, WorkProgress } from "../worklist/mod.ts";
import type { ReadPosition, WorkList, WorkRow } from "../worklist/mod.ts";
import type { RecrawlStatistics } from "./recrawl_statistics.ts";

/** How often the folder is looked at for parts that a publisher has taken, in ms. */
const LOOK_EVERY = 10_000;

/** What a {@linkcode RecrawlLedger} is made of. */
export interface RecrawlLedgerOptions {
  readonly list: WorkList;
  /** Absent where nothing is kept. */
  readonly checkpoint: CheckpointFile | undefined;
  /** Folder of the files. */
  readonly out: string;
  readonly statistics: RecrawlStatistics;
}

/** Keeps the checkpoint. */
export class RecrawlLedger {
  /** Whether reading began with the list's first row. */
  readonly fromStart: boolean;
  #options: RecrawlLedgerOptions;
  #progress: WorkProgress;
  /** Of the rows in flight, those that were answered. */
  #answered = new FlightSet();
  #position: ReadPosition;
  /** Rows struck out since the last time it was written, and those of them that were answered. */
  #retired = 0;
  #retiredAnswered = 0;
  #ended = 0;
  #kept = 0;
  #savedAt = performance.now();
  #waiting: { count: number; at: number } | undefined;

  constructor(options: RecrawlLedgerOptions) {
    this.#options = options;
    const start = options.checkpoint?.state ?? { part: 0, partName: "", row: 0, pending: [] };
    this.#progress = new WorkProgress(options.list, start);
    this.#position = start;
    this.fromStart = start.part === 0 && start.row === 0 && start.pending.length === 0;
  }

  /** Where reading stands. */
  get position(): ReadPosition {
    return this.#position;
  }

  /** Rows that have come to an end, and are to be in a file. */
  get ended(): number {
    return this.#ended;
  }

  /** Of them, those that are. */
  get kept(): number {
    return this.#kept;
  }

  /** How far what is durable lags behind; undefined where nothing is kept. */
  get lag(): CheckpointFigures | undefined {
    const { checkpoint, out } = this.#options;
    if (checkpoint === undefined) return undefined;
    const now = performance.now();
    if (this.#waiting === undefined || now - this.#waiting.at > LOOK_EVERY) {
      const here = new Set(existsSync(out) ? readdirSync(out) : []);
      const count = checkpoint.state.sealed.filter((file) => here.has(file)).length;
      this.#waiting = { count, at: now };
    }
    return {
      ageMs: now - this.#savedAt,
      rowsAhead: this.#ended - this.#kept,
      partsWaiting: this.#waiting.count,
    };
  }

  /** What is to be read. */
  readOptions(): ReturnType<WorkProgress["readOptions"]> {
    return this.#progress.readOptions();
  }

  /** Enters a batch. */
  read(batch: WorkBatch): void {
    this.#progress.read(batch);
    this.#position = batch.next;
  }

  /** A row has come to its end. */
  end({ part, row }: WorkRow, answered: boolean): void {
    this.#ended++;
    if (answered) this.#answered.add(part, row);
  }

  /** Strikes out a row whose record is durable, or that has none. */
  retire(row: WorkRow): void {
    this.#strike([row]);
  }

  /**
   * Writes down how things stand, with these parts among the sealed ones.
   *
   * @param listEnded Whether the list has been read to its end.
   * @throws {CheckpointError} When it cannot be written.
   */
  save(parts: readonly SealedPart[], listEnded: boolean): void {
    for (const { ranges } of parts) this.#strike([...rowsOf(ranges)]);
    const { checkpoint, out, statistics } = this.#options;
    const rows = this.#retired, fetched = this.#retiredAnswered;
    this.#retired = this.#retiredAnswered = 0;
    this.#kept += rows;
    statistics.rowsDone += rows;
    if (checkpoint === undefined) return;
    this.#savedAt = performance.now();
    this.#waiting = undefined;
    const { state } = checkpoint;
    // what a publisher has taken away is no longer ours to name
    const known = state.sealed.filter((file) => existsSync(join(out, file)));
    checkpoint.save({
      ...this.#progress.state(),
      sealed: [...known, ...parts.map(({ file }) => file)],
      highestPart: Math.max(state.highestPart, ...parts.map(({ number }) => number)),
      done: listEnded && this.#progress.inFlight === 0,
      fetched: state.fetched + fetched,
      rows: state.rows + rows,
    });
  }

  #strike(rows: readonly { readonly part: number; readonly row: number }[]): void {
    this.#retired += this.#progress.retire(rows);
    this.#retiredAnswered += this.#answered.retire(rows);
  }
}

function* rowsOf(ranges: readonly RowRange[]): Generator<{ part: number; row: number }> {
  for (const { part, first, last } of ranges) {
    for (let row = first; row <= last; row++) yield { part, row };
  }
}
