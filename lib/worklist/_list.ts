/**
 * A work list over parts: which rows to read, and batches of them.
 *
 * @module
 */

import type { RowRange } from "../capture/mod.ts";
import { WorkListError } from "./errors.ts";
import type { Part, Wanted } from "./_part.ts";
import { LAST_ROW, normalRanges } from "./ranges.ts";
import { ShardFilter } from "./shard_filter.ts";
import type { ReadOptions, WorkBatch, WorkList, WorkListStats, WorkRow } from "./types.ts";

/** Makes a work list of parts. */
export function workList(
  source: string,
  release: string,
  parts: readonly Part[],
  stats: WorkListStats,
): WorkList {
  return {
    source,
    release,
    parts: parts.map(({ name }) => ({ name })),
    stats,
    read: (options = {}) => readList(source, parts, stats, options),
  };
}

async function* readList(
  source: string,
  parts: readonly Part[],
  stats: WorkListStats,
  options: ReadOptions,
): AsyncGenerator<WorkBatch, void, unknown> {
  const { from = { part: 0, row: 0 }, pending = [], shard = 0, shards = 1, batch = 2000, signal } =
    options;
  if (!Number.isInteger(batch) || batch < 1) {
    throw new RangeError(`Cannot read batches of ${batch} rows: at least 1 is needed`);
  }
  const filter = new ShardFilter(shard, shards);
  const again = normalRanges(pending);
  let { part: nextPart, row: nextRow } = from;
  let rows: WorkRow[] = [];
  /** The ranges of `again` before this one have been read, as have rows before these. */
  let read = 0;
  let readPart = 0;
  let readRow = 0;
  const take = (): WorkBatch => {
    while (
      read < again.length && (again[read]!.part < readPart ||
        (again[read]!.part === readPart && again[read]!.last < readRow))
    ) read++;
    const unread = again.slice(read);
    const [first] = unread;
    if (first !== undefined && first.part === readPart && first.first < readRow) {
      unread[0] = { ...first, first: readRow };
    }
    const out = { rows, next: { part: nextPart, row: nextRow }, unread };
    rows = [];
    return out;
  };
  const last = again.at(-1);
  if (nextPart > parts.length || (last !== undefined && last.part >= parts.length)) {
    const had = Math.max(nextPart, (last?.part ?? 0) + 1);
    throw changed(`${source} has fewer files (${parts.length}) than an earlier run read (${had})`);
  }
  for (let p = 0; p < parts.length; p++) {
    const rest = p < from.part ? undefined : p === from.part ? from.row : 0;
    const wanted = again.filter((range) => range.part === p);
    if (rest !== undefined) wanted.push({ part: p, first: rest, last: LAST_ROW });
    if (wanted.length === 0) continue;
    const had = endOf(wanted);
    let end = 0;
    const reading: Wanted[] = normalRanges(wanted)
      .map(({ first, last }) => ({ start: first, end: last + 1 }));
    for await (const { row: first, values } of parts[p]!.read(reading)) {
      signal?.throwIfAborted();
      stats.rows += values.length;
      end = first + values.length;
      for (let i = 0; i < values.length; i++) {
        const value = values[i];
        const row = first + i;
        readPart = p;
        readRow = row + 1;
        if (p > nextPart || (p === nextPart && row >= nextRow)) {
          nextPart = p;
          nextRow = row + 1;
        }
        if (value === null) continue;
        if (value === undefined || value === "") {
          stats.bad++;
          continue;
        }
        const bare = isPlainHost(value);
        const url = bare ? `https://${value}/` : value.includes("://") ? value : fromHost(value);
        const host = bare ? filter.own(value) : filter.ownHost(url);
        if (host === undefined) continue;
        rows.push({ part: p, row, url, host });
        if (rows.length === batch) yield take();
      }
    }
    signal?.throwIfAborted();
    if (end < had) {
      throw changed(`${parts[p]!.name} has no row ${had - 1}, which an earlier run read`);
    }
    readPart = p + 1;
    readRow = 0;
    if (rest !== undefined) {
      nextPart = p + 1;
      nextRow = 0;
    }
    if (rows.length > 0 || rest !== undefined) yield take();
  }
}

/** Rows that a part had at the least when these were read of it; a range to the end of it says nothing. */
function endOf(ranges: readonly RowRange[]): number {
  let end = 0;
  for (const { last } of ranges) if (last !== LAST_ROW) end = Math.max(end, last + 1);
  return end;
}

function changed(how: string): WorkListError {
  return new WorkListError(
    `Cannot go on with the work list: ${how}. Give it the files it was begun with, or begin a new state.`,
  );
}

/** Whether a value is a host name, in the form that `hostOf` would give it. */
function isPlainHost(value: string): boolean {
  let label = 0;
  for (let i = 0; i < value.length; i++) {
    const c = value.charCodeAt(i);
    if (c === 0x2e) label = i + 1;
    else if (!(c >= 0x61 && c <= 0x7a || c >= 0x30 && c <= 0x39 || c === 0x2d)) return false;
  }
  // As the parser alone knows what a number or `xn--` stands for.
  return value.charCodeAt(label) >= 0x61 && value.charCodeAt(0) !== 0x2e && !value.includes("xn--");
}

/** A URL from a host name, with a path or without. */
function fromHost(value: string): string {
  const name = value.startsWith("//") ? value.slice(2) : value;
  return name.includes("/") ? `https://${name}` : `https://${name}/`;
}
