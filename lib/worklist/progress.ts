/**
 * How far a run over a work list has come, as a checkpoint needs it.
 *
 * @module
 */

import type { RowRange } from "../capture/mod.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { WorkListError } from "./errors.ts";
import { FlightSet } from "./flight.ts";
import { normalRanges } from "./ranges.ts";
import type { ReadOptions, ReadPosition, WorkBatch, WorkList } from "./types.ts";

/** What a checkpoint keeps of the reading of a list. */
export type ReadState = Pick<Checkpoint, "part" | "partName" | "lastPart" | "row" | "pending">;

/**
 * Keeps together what a checkpoint must hold of reading: the position, the rows that were read and are not
 * durable, and those of an earlier run that are still to be read again. Its memory follows the rows in
 * flight.
 *
 * @example A run that reads, works and checkpoints
 * ```ts ignore
 * const progress = new WorkProgress(list, checkpoint.state);
 * const buffer = new ReorderBuffer(list.read(progress.readOptions()), {
 *   workers: 64,
 *   onBatch: (batch) => progress.read(batch),
 * });
 * for (let row; (row = await buffer.next()) !== undefined;) {
 *   // fetch it, write it; when its part is sealed:
 *   progress.retire(rowsOfThePart);
 *   checkpoint.save({ ...progress.state(), sealed });
 * }
 * ```
 */
export class WorkProgress {
  readonly #list: WorkList;
  readonly #flight = new FlightSet();
  readonly #start: ReadState;
  #position: ReadPosition;
  #unread: readonly RowRange[];

  /**
   * Begins where `from` left off.
   *
   * @throws {WorkListError} If the list has other parts than the one `from` was made with.
   */
  constructor(list: WorkList, from: ReadState) {
    checkPart(list, from.part, from.partName);
    // a part that came in front of those that were read would be taken for one of them
    if (from.partName === "") checkPart(list, from.part - 1, from.lastPart ?? "");
    this.#list = list;
    this.#start = from;
    this.#position = from;
    this.#unread = from.pending;
  }

  /** Rows that have been read and are not durable. */
  get inFlight(): number {
    return this.#flight.size;
  }

  /** What {@linkcode WorkList.read} is to be given to go on from there. */
  readOptions(): Pick<ReadOptions, "from" | "pending"> {
    const { part, row, pending } = this.#start;
    return { from: { part, row }, pending };
  }

  /**
   * Takes note of a batch, before any of its rows can be retired.
   *
   * @throws {RangeError} If one of its rows is in flight already.
   */
  read(batch: WorkBatch): void {
    for (const { part, row } of batch.rows) this.#flight.add(part, row);
    this.#position = batch.next;
    this.#unread = batch.unread;
  }

  /**
   * Takes note of rows that are durable.
   *
   * @returns How many of them were in flight.
   */
  retire(rows: Iterable<{ readonly part: number; readonly row: number }>): number {
    return this.#flight.retire(rows);
  }

  /** What a checkpoint made now has to hold. */
  state(): ReadState {
    const { part, row } = this.#position;
    const { parts } = this.#list;
    return {
      part,
      partName: parts[part]?.name ?? "",
      ...(part > 0 && part === parts.length ? { lastPart: parts[part - 1]!.name } : {}),
      row,
      pending: normalRanges([...this.#flight.pending(), ...this.#unread]),
    };
  }
}

/** Throws where part number `part` had a name, and has another. */
function checkPart(list: WorkList, part: number, had: string): void {
  const name = list.parts[part]?.name ?? "";
  if (had === "" || had === name) return;
  throw new WorkListError(
    `Cannot go on with the work list ${list.source}: its part number ${part} was "${had}" and is ` +
      `now ${
        name === "" ? "missing" : `"${name}"`
      }. Its files have changed: give it the files it ` +
      "was begun with, or begin a new state.",
  );
}
