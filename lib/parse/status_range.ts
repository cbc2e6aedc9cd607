/**
 * Ranges of statuses, as they are written on a command line, which loads this and nothing else to read them.
 *
 * @module
 */

import type { StatusRange } from "./types.ts";

/**
 * Reads `200`, `2xx` or `300-399`.
 *
 * @throws {RangeError} What is wrong with the text.
 */
export function parseStatusRange(text: string): StatusRange {
  const trimmed = text.trim().toLowerCase();
  const hundred = /^([1-9])xx$/.exec(trimmed)?.[1];
  if (hundred !== undefined) {
    return { first: Number(hundred) * 100, last: Number(hundred) * 100 + 99 };
  }
  const match = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(trimmed);
  if (match === null) throw new RangeError("not a status; write 200, 2xx or 300-399");
  const first = Number(match[1]), last = Number(match[2] ?? match[1]);
  if (last < first) throw new RangeError(`${first} is above ${last}`);
  return { first, last };
}
