/**
 * Sets of rows as ranges.
 *
 * @module
 */

/** Rows of a part from `start` up to, and without, `end`. */
export interface RowRange {
  /** Ordinal of the part. */
  readonly part: number;
  /** First row. */
  readonly start: number;
  /** Row behind the last one; {@linkcode PART_END} for the rest of the part, however long it is. */
  readonly end: number;
}

/** No part has a row of this number: as the end of a range it means the part's own. */
export const PART_END = 2 ** 33;

/** Parts a list may have. */
export const MAX_PARTS = 2 ** 19;

/** The same rows in order, as few ranges as they can be. */
export function normalRanges(ranges: Iterable<RowRange>): RowRange[] {
  const sorted = [...ranges].filter((r) => r.end > r.start)
    .sort((a, b) => a.part - b.part || a.start - b.start);
  const out: RowRange[] = [];
  for (const range of sorted) {
    const last = out.at(-1);
    if (last !== undefined && last.part === range.part && range.start <= last.end) {
      if (range.end > last.end) out[out.length - 1] = { ...last, end: range.end };
    } else out.push(range);
  }
  return out;
}

/** The rows of `from` that are not in `minus`, in order. */
export function subtractRanges(from: Iterable<RowRange>, minus: Iterable<RowRange>): RowRange[] {
  const cuts = normalRanges(minus);
  const out: RowRange[] = [];
  let i = 0;
  for (const range of normalRanges(from)) {
    const { part, end } = range;
    let start = range.start;
    while (
      i < cuts.length && (cuts[i]!.part < part || (cuts[i]!.part === part && cuts[i]!.end <= start))
    ) i++;
    let j = i;
    while (j < cuts.length && cuts[j]!.part === part && cuts[j]!.start < end) {
      if (cuts[j]!.start > start) out.push({ part, start, end: cuts[j]!.start });
      start = Math.max(start, cuts[j]!.end);
      j++;
    }
    if (start < end) out.push({ part, start, end });
  }
  return out;
}

/** Number of rows; a range to {@linkcode PART_END} counts as that long. */
export function countRows(ranges: Iterable<RowRange>): number {
  let count = 0;
  for (const { start, end } of normalRanges(ranges)) count += end - start;
  return count;
}

/**
 * Ranges as text, in order: `part:start+length,gap+length,…;part:…`, every number in base 36, a length
 * of 1 left out and an open end written `*`. A row that stands alone costs two to three characters,
 * so that the rows of a part fit in its footer.
 *
 * @throws {RangeError} If a number is no row or part.
 */
export function formatRanges(ranges: Iterable<RowRange>): string {
  let text = "";
  let part = -1;
  let at = 0;
  for (const range of normalRanges(ranges)) {
    checkRange(range);
    if (range.part !== part) {
      text += `${part < 0 ? "" : ";"}${range.part.toString(36)}:`;
      part = range.part;
      at = 0;
    } else text += ",";
    text += (range.start - at).toString(36);
    if (range.end === PART_END) text += "+*";
    else if (range.end - range.start > 1) text += `+${(range.end - range.start).toString(36)}`;
    at = range.end;
  }
  return text;
}

/**
 * Ranges that {@linkcode formatRanges} wrote.
 *
 * @throws {SyntaxError} If the text is nothing of that kind.
 */
export function parseRanges(text: string): RowRange[] {
  const out: RowRange[] = [];
  if (text === "") return out;
  for (const piece of text.split(";")) {
    const colon = piece.indexOf(":");
    const part = number36(piece.slice(0, Math.max(0, colon)));
    let at = 0;
    for (const item of piece.slice(colon + 1).split(",")) {
      const plus = item.indexOf("+");
      const start = at + number36(plus < 0 ? item : item.slice(0, plus));
      const length = plus < 0 ? "1" : item.slice(plus + 1);
      const end = length === "*" ? PART_END : start + number36(length);
      const range = { part, start, end };
      const last = out.at(-1);
      if (last !== undefined && (part < last.part || (part === last.part && start < last.end))) {
        throw new SyntaxError("Cannot read row ranges: they are out of order");
      }
      try {
        checkRange(range);
      } catch (cause) {
        throw new SyntaxError("Cannot read row ranges: a number is out of range", { cause });
      }
      out.push(range);
      at = end;
    }
  }
  return normalRanges(out);
}

function number36(text: string): number {
  let value = 0;
  for (let i = 0; i < text.length && i < 11; i++) {
    const c = text.charCodeAt(i);
    const digit = c >= 0x30 && c <= 0x39 ? c - 0x30 : c >= 0x61 && c <= 0x7a ? c - 0x57 : NaN;
    value = value * 36 + digit;
  }
  if (text.length === 0 || text.length > 10 || Number.isNaN(value)) {
    throw new SyntaxError(`Cannot read row ranges: "${text.slice(0, 20)}" is no number`);
  }
  return value;
}

function checkRange({ part, start, end }: RowRange): void {
  const whole = Number.isInteger(part) && Number.isInteger(start) && Number.isInteger(end);
  if (!whole || part < 0 || part >= MAX_PARTS || start < 0 || end <= start || end > PART_END) {
    throw new RangeError(`Cannot keep the rows ${start} to ${end} of part ${part}: out of range`);
  }
}
