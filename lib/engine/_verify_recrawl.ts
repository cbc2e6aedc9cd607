/**
 * What a recrawl's checkpoint says against the parts on disk.
 */

import { basename } from "node:path";
import { readPartInfo } from "../capture/mod.ts";
import { type Checkpoint, countRows, type RowRange, subtractRanges } from "../worklist/mod.ts";
import type { Fault } from "./verify.ts";

/** What is checked of a recrawl's state, and where it stands. */
export interface RecrawlState {
  readonly path: string;
  readonly checkpoint: Checkpoint;
}

/**
 * Checks the parts that a checkpoint names: each is of its run, and what it holds has been read and is
 * not to be fetched again. A part that is not there has been published.
 *
 * @param captures Paths of the parts that are there.
 * @param onGone Told of the names of parts that are not.
 */
export async function* verifyCheckpoint(
  { path, checkpoint }: RecrawlState,
  captures: readonly string[],
  onGone: (names: readonly string[]) => void,
): AsyncGenerator<Fault, void, void> {
  const paths = new Map(captures.map((file) => [basename(file), file]));
  const gone: string[] = [];
  let rows = 0;
  for (const name of checkpoint.sealed) {
    const file = paths.get(name);
    const info = file === undefined ? undefined : await infoOf(file);
    if (file === undefined || info === "gone") gone.push(name);
    if (file === undefined || info === undefined || info === "gone") continue;
    const fault = (detail: string): Fault => ({ file, offset: 0, fault: "state-part", detail });
    if (info.run !== checkpoint.run) {
      yield fault(`the state ${path} names it, and it is of another run`);
      continue;
    }
    rows += countRows(info.ranges);
    const again = overlap(info.ranges, checkpoint.pending);
    if (again > 0) yield fault(`${again} of its rows are still to be fetched by the state ${path}`);
    const unread = beyond(info.ranges, checkpoint);
    if (unread > 0) {
      yield fault(`${unread} of its rows have not been read yet by the state ${path}`);
    }
  }
  if (rows > checkpoint.rows) {
    const detail = `its parts hold ${rows} rows, it counts ${checkpoint.rows}`;
    yield { file: path, offset: 0, fault: "state-rows", detail };
  }
  if (gone.length > 0) onGone(gone);
}

/** What a footer says; nothing where it is damaged, which is told of the file itself. */
async function infoOf(
  file: string,
): Promise<{ run: string; ranges: readonly RowRange[] } | "gone" | undefined> {
  try {
    return await readPartInfo(file);
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return "gone";
    if ((error as Error).name !== "CaptureFormatError") throw error;
    return undefined;
  }
}

function overlap(ranges: readonly RowRange[], others: readonly RowRange[]): number {
  return countRows(ranges) - countRows(subtractRanges(ranges, others));
}

/** Rows that reading has not come to. */
function beyond(ranges: readonly RowRange[], { part, row }: Checkpoint): number {
  let count = 0;
  for (const range of ranges) {
    if (range.part > part) count += range.last - range.first + 1;
    else if (range.part === part) count += Math.max(0, range.last - Math.max(range.first, row) + 1);
  }
  return count;
}
