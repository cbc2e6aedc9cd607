/**
 * Names of releases and which of them is the newest.
 *
 * @module
 */

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/**
 * Month a release ends with, counted from year 0 (year · 12 + month, January 0), so that releases can
 * be put in order. An id is `cc-main-YYYY-mmm-mmm-mmm`; one that spans years is named for both
 * (`cc-main-2024-25-dec-jan-feb`), and its last month is in the last of them.
 *
 * @returns `undefined` when `id` is no such id.
 */
export function releaseMonth(id: string): number | undefined {
  const pieces = id.split("-");
  if (pieces.length < 4 || pieces.length > 17 || pieces[0] !== "cc" || pieces[1] !== "main") {
    return undefined;
  }
  const first = pieces[2]!;
  if (!isDigits(first, 4)) return undefined;
  let year = Number(first);
  let next = 3;
  if (isDigits(pieces[3]!, 2) || isDigits(pieces[3]!, 4)) {
    const last = Number(pieces[3]!.length === 4 ? pieces[3] : first.slice(0, 2) + pieces[3]);
    // Two digits below the first year's own are of the next century.
    year = last < year ? last + 100 : last;
    if (year - Number(first) > 10) return undefined;
    next = 4;
  }
  if (next >= pieces.length) return undefined;
  let month = -1;
  for (; next < pieces.length; next++) {
    month = MONTHS.indexOf(pieces[next]!);
    if (month < 0) return undefined;
  }
  return year * 12 + month;
}

/**
 * Ids in order, the newest first: by the date of the last month, and two of one month by name so that
 * the order never depends on the input's. What is no id is left out.
 */
export function newestFirst(ids: Iterable<string>): string[] {
  const dated: [id: string, month: number][] = [];
  for (const id of new Set(ids)) {
    const month = releaseMonth(id);
    if (month !== undefined) dated.push([id, month]);
  }
  dated.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? 1 : -1));
  return dated.map(([id]) => id);
}

function isDigits(text: string, length: number): boolean {
  if (text.length !== length) return false;
  for (let i = 0; i < length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x30 || c > 0x39) return false;
  }
  return true;
}
