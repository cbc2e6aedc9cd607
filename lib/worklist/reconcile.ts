/**
 * Making a checkpoint and the parts that a stopped run left agree.
 *
 * @module
 */

import type { Checkpoint } from "./checkpoint.ts";
import type { RowRange } from "../capture/mod.ts";
import { checkRanges, countRows, LAST_ROW, subtractRanges } from "./ranges.ts";
import type { ReadPosition } from "./types.ts";

/** What a part's footer says of it, as far as it matters here. */
export interface PartRowsInfo {
  /** Id of the run that wrote it: {@linkcode Checkpoint.run}. */
  readonly run: string;
  /** Work list rows that it holds. */
  readonly ranges: readonly RowRange[];
  /** Pages in it that were fetched, failures left out. @default the number of its rows */
  readonly fetched?: number;
}

/** A part on disk under its final name. */
export interface PartOnDisk {
  /** Name, without its folder. */
  readonly name: string;
  /** Number in its name. */
  readonly number: number;
}

/** What {@linkcode reconcile} found, and the state to go on with. */
export interface Reconciled {
  /** What to save before anything is read or written. */
  readonly state: Pick<
    Checkpoint,
    | "part"
    | "partName"
    | "lastPart"
    | "row"
    | "pending"
    | "sealed"
    | "highestPart"
    | "fetched"
    | "rows"
    | "done"
  >;
  /** Parts sealed by this run that the checkpoint did not know: their rows are durable. */
  readonly adopted: readonly string[];
  /** Parts the checkpoint knew that are no longer there: published and deleted. */
  readonly gone: readonly string[];
  /** Parts of other runs; left alone. */
  readonly foreign: readonly string[];
  /** Parts whose footer cannot be read, with the reason; left alone, their rows are not counted as durable. */
  readonly damaged: readonly { readonly name: string; readonly reason: unknown }[];
}

/**
 * Compares the parts on disk with the checkpoint.
 *
 * A part is renamed to its final name when its bytes are on disk, and the checkpoint is written after
 * that. A kill between the two leaves a part that the checkpoint does not know, of which the publisher
 * takes none: it is taken in here by the run and the rows its footer names, and those rows are taken out of
 * what is to be read. So nothing is repeated, and nothing is lost. A part that the checkpoint knows and that
 * is gone was published; its name is dropped, its number never used again.
 *
 * @param readPartInfo Reads the footer of a part; what it throws makes the part a damaged one. Asked only
 * for parts that the checkpoint does not know.
 */
export async function reconcile(
  checkpoint: Checkpoint,
  parts: readonly PartOnDisk[],
  readPartInfo: (name: string) => Promise<PartRowsInfo> | PartRowsInfo,
): Promise<Reconciled> {
  const onDisk = new Set(parts.map((p) => p.name));
  const sealed = checkpoint.sealed.filter((name) => onDisk.has(name));
  const gone = checkpoint.sealed.filter((name) => !onDisk.has(name));
  const known = new Set(sealed);
  const adopted: string[] = [];
  const foreign: string[] = [];
  const damaged: { name: string; reason: unknown }[] = [];
  const durable: RowRange[] = [];
  let { highestPart, fetched } = checkpoint;
  for (const { name, number } of [...parts].sort((a, b) => a.number - b.number)) {
    highestPart = Math.max(highestPart, number);
    if (known.has(name)) continue;
    let info: PartRowsInfo;
    try {
      info = await readPartInfo(name);
      // Footers are input too: what cannot be rows is no footer of ours.
      checkRanges(info.ranges);
    } catch (reason) {
      damaged.push({ name, reason });
      continue;
    }
    if (info.run !== checkpoint.run) {
      foreign.push(name);
      continue;
    }
    adopted.push(name);
    sealed.push(name);
    durable.push(...info.ranges);
    fetched += info.fetched ?? countRows(info.ranges);
  }
  const at = furthest(checkpoint, durable);
  // Rows between the two positions were read after the checkpoint: all but the durable are to be read.
  const between: RowRange[] = [];
  for (let part = checkpoint.part; part <= at.part; part++) {
    const first = part === checkpoint.part ? checkpoint.row : 0;
    const last = part === at.part ? at.row - 1 : LAST_ROW;
    if (first <= last) between.push({ part, first, last });
  }
  const before = [...checkpoint.pending, ...between];
  const pending = subtractRanges(before, durable);
  const rows = checkpoint.rows + countRows(durable);
  return {
    state: {
      part: at.part,
      // The name of another part is not known here.
      ...(at.part === checkpoint.part
        ? { partName: checkpoint.partName }
        : { partName: "", lastPart: "" }),
      row: at.row,
      pending,
      sealed,
      highestPart,
      fetched,
      rows,
      done: checkpoint.done,
    },
    adopted,
    gone,
    foreign,
    damaged,
  };
}

/** The position, or the one behind the last durable row if that is further. */
function furthest(position: ReadPosition, durable: readonly RowRange[]): ReadPosition {
  let { part, row } = position;
  for (const range of durable) {
    if (range.part > part || (range.part === part && range.last >= row)) {
      part = range.part;
      row = range.last + 1;
    }
  }
  return { part, row };
}
