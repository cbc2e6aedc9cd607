/**
 * A work list over parts: which rows to read, and batches of them.
 *
 * @module
 */

import type { Part, Wanted } from "./_part.ts";
import { normalRanges, PART_END } from "./ranges.ts";
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
    read: (options = {}) => readList(parts, stats, options),
  };
}

async function* readList(
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
  const take = (): WorkBatch => {
    const out = { rows, next: { part: nextPart, row: nextRow } };
    rows = [];
    return out;
  };
  for (let p = 0; p < parts.length; p++) {
    const wanted: Wanted[] = again.filter((range) => range.part === p);
    const rest = p < from.part ? undefined : p === from.part ? from.row : 0;
    if (rest !== undefined) wanted.push({ start: rest, end: PART_END });
    if (wanted.length === 0) continue;
    const reading = normalRanges(wanted.map((w) => ({ part: p, ...w })));
    for await (const { row: first, values } of parts[p]!.read(reading)) {
      signal?.throwIfAborted();
      stats.rows += values.length;
      for (let i = 0; i < values.length; i++) {
        const value = values[i];
        const row = first + i;
        if (p > nextPart || (p === nextPart && row >= nextRow)) {
          nextPart = p;
          nextRow = row + 1;
        }
        if (value === undefined || value === "") {
          stats.bad++;
          continue;
        }
        const url = value.includes("://") ? value : fromHost(value);
        const host = filter.ownHost(url);
        if (host === undefined) continue;
        rows.push({ part: p, row, url, host });
        if (rows.length === batch) yield take();
      }
    }
    signal?.throwIfAborted();
    if (rest !== undefined) {
      nextPart = p + 1;
      nextRow = 0;
    }
    if (rows.length > 0 || rest !== undefined) yield take();
  }
}

/** A URL from a host name, with a path or without. */
function fromHost(value: string): string {
  const name = value.startsWith("//") ? value.slice(2) : value;
  return name.includes("/") ? `https://${name}` : `https://${name}/`;
}
