/**
 * Which rows of a work list a part holds.
 *
 * @module
 */

/** Where a row stands in its work list. */
export interface RowPosition {
  /** Number of the work list's part. */
  readonly part: number;
  /** Number of the row in that part, from 0. */
  readonly row: number;
}

/** Rows `first` to `last`, both included, of one part of a work list. */
export interface RowRange {
  /** Number of the work list's part. */
  readonly part: number;
  /** First row. */
  readonly first: number;
  /** Last row. */
  readonly last: number;
}

/** Collects positions in any order, eight bytes each. */
export class RowSet {
  #parts = new Map<number, { rows: Float64Array; count: number }>();
  #size = 0;

  /** Positions added, repeats included. */
  get size(): number {
    return this.#size;
  }

  /** Bytes held. */
  get byteLength(): number {
    let bytes = 0;
    for (const { rows } of this.#parts.values()) bytes += rows.byteLength;
    return bytes;
  }

  /** Adds a position. */
  add(part: number, row: number): void {
    let held = this.#parts.get(part);
    if (held === undefined) this.#parts.set(part, held = { rows: new Float64Array(256), count: 0 });
    if (held.count === held.rows.length) {
      const wider = new Float64Array(held.rows.length * 2);
      wider.set(held.rows);
      held.rows = wider;
    }
    held.rows[held.count++] = row;
    this.#size++;
  }

  /** What was added, as ranges in the order of the work list. */
  ranges(): RowRange[] {
    const out: RowRange[] = [];
    for (const part of [...this.#parts.keys()].sort((a, b) => a - b)) {
      const { rows, count } = this.#parts.get(part)!;
      const sorted = rows.slice(0, count).sort();
      for (let i = 0; i < count;) {
        const first = sorted[i]!;
        let last = first;
        while (++i < count && sorted[i]! <= last + 1) last = sorted[i]!;
        out.push({ part, first, last });
      }
    }
    return out;
  }
}

/**
 * Ranges as text, for a footer: `<part>:<item>,<item>;<part>:…`, an item being the count of rows
 * left out since the last one of that part and, unless it is one row, `+` and the count of its
 * rows. `0:100+50,3` are rows 100 to 149 and row 153 of part 0.
 *
 * @param ranges In order, none touching another, as {@linkcode RowSet.ranges} gives them.
 */
export function formatRanges(ranges: readonly RowRange[]): string {
  let out = "";
  let part = -1;
  let next = 0;
  for (const range of ranges) {
    if (range.part !== part) {
      out += `${part < 0 ? "" : ";"}${range.part}:`;
      part = range.part;
      next = 0;
    } else {
      out += ",";
    }
    const count = range.last - range.first + 1;
    out += count === 1 ? String(range.first - next) : `${range.first - next}+${count}`;
    next = range.last + 1;
  }
  return out;
}

/**
 * Reads what {@linkcode formatRanges} wrote, one range after the other.
 *
 * @throws {SyntaxError} If the text is none of it.
 */
export function* parseRanges(text: string): Generator<RowRange, void, undefined> {
  if (text === "") return;
  let at = 0;
  const number = (): number => {
    const start = at;
    let value = 0;
    for (let c = text.charCodeAt(at); c >= 48 && c <= 57; c = text.charCodeAt(++at)) {
      value = value * 10 + c - 48;
    }
    if (at === start || value > Number.MAX_SAFE_INTEGER) fail(text, start);
    return value;
  };
  let before = -1;
  while (true) {
    const part = number();
    if (text[at++] !== ":" || part <= before) fail(text, at - 1);
    before = part;
    let next = 0;
    let separator: string | undefined = ",";
    for (let items = 0; separator === ","; items++) {
      const first = next + number();
      // A gap of nothing would continue the range before it.
      if (items > 0 && first === next) fail(text, at - 1);
      const count = text[at] === "+" ? (at++, number()) : 1;
      next = first + count;
      if (count < 1 || next > Number.MAX_SAFE_INTEGER) fail(text, at - 1);
      yield { part, first, last: next - 1 };
      separator = text[at++];
    }
    if (separator === undefined) return;
    if (separator !== ";") fail(text, at - 1);
  }
}

function fail(text: string, at: number): never {
  throw new SyntaxError(
    `Cannot read row ranges: ${JSON.stringify(text.slice(at, at + 20))} at character ${at}`,
  );
}
