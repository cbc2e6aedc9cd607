/**
 * Sets of rows as ranges.
 *
 * @module
 */

import type { RowRange } from "../capture/mod.ts";

/** Highest number a row can have; as the end of a range it means the part's own, however long it is. */
export const LAST_ROW: number = 2 ** 33 - 1;

/** Parts a list may have. */
export const MAX_PARTS: number = 2 ** 19;

/** The same rows in order, as few ranges as they can be. */
export function normalRanges(ranges: Iterable<RowRange>): RowRange[] {
  const sorted = [...ranges].filter((r) => r.last >= r.first)
    .sort((a, b) => a.part - b.part || a.first - b.first);
  const out: RowRange[] = [];
  for (const range of sorted) {
    const before = out.at(-1);
    if (before !== undefined && before.part === range.part && range.first <= before.last + 1) {
      if (range.last > before.last) out[out.length - 1] = { ...before, last: range.last };
    } else out.push(range);
  }
  return out;
}

/** The rows of `from` that are not in `minus`, in order. */
export function subtractRanges(from: Iterable<RowRange>, minus: Iterable<RowRange>): RowRange[] {
  const cuts = normalRanges(minus);
  const out: RowRange[] = [];
  let i = 0;
  for (const { part, first, last } of normalRanges(from)) {
    while (i < cuts.length && endsBefore(cuts[i]!, part, first)) i++;
    let start = first;
    // A cut may reach into the next range too, so `i` stays.
    for (let j = i; j < cuts.length && cuts[j]!.part === part && cuts[j]!.first <= last; j++) {
      if (cuts[j]!.first > start) out.push({ part, first: start, last: cuts[j]!.first - 1 });
      start = cuts[j]!.last + 1;
    }
    if (start <= last) out.push({ part, first: start, last });
  }
  return out;
}

/** Number of rows. */
export function countRows(ranges: Iterable<RowRange>): number {
  let count = 0;
  for (const { first, last } of normalRanges(ranges)) count += last - first + 1;
  return count;
}

/**
 * Refuses what can be no rows of a list.
 *
 * @throws {RangeError} If a number is out of range.
 */
export function checkRanges(ranges: Iterable<RowRange>): void {
  for (const { part, first, last } of ranges) {
    const whole = Number.isInteger(part) && Number.isInteger(first) && Number.isInteger(last);
    if (!whole || part < 0 || part >= MAX_PARTS || first < 0 || last < first || last > LAST_ROW) {
      throw new RangeError(`Cannot keep rows ${first} to ${last} of part ${part}: out of range`);
    }
  }
}

function endsBefore(range: RowRange, part: number, row: number): boolean {
  return range.part < part || (range.part === part && range.last < row);
}
