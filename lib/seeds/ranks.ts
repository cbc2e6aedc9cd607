/**
 * Rows of a rank table.
 *
 * A table is lines of columns that white space splits: position and value of harmonic centrality,
 * position and value of PageRank, the host with its labels reversed (`com.example.www`), and in a
 * domain's table a count of hosts. Lines that begin with `#` are headers. Tables of a whole web have
 * hundreds of millions of rows, so rows are places in the bytes that were read, not objects.
 *
 * @module
 */

/** Rows that stand in `bytes`. They last until the next are asked for. */
export interface RankRows {
  /** What was read. */
  readonly bytes: Uint8Array;
  /** How many rows. */
  readonly count: number;
  /** Position of each row by harmonic centrality, from 1. */
  readonly positions: Float64Array;
  /** Where each row's harmonic value stands: a decimal number. */
  readonly valueStarts: Int32Array;
  /** Where each value ends. */
  readonly valueEnds: Int32Array;
  /** Where each row's reversed host stands. */
  readonly hostStarts: Int32Array;
  /** Where each host ends. */
  readonly hostEnds: Int32Array;
}

/** What was met while reading. */
export interface RankStats {
  /** Rows that are well-formed. */
  rows: number;
  /** Lines that are no row: too few columns, a number that is none, a host that cannot be. */
  malformed: number;
  /** The first of them, cut to 200 characters, with its number. */
  firstMalformed: { readonly line: number; readonly text: string } | undefined;
  /** Unpacked bytes. */
  bytes: number;
  /** Whether every row's position was no lower than the one before. */
  ordered: boolean;
}

/** New counts. */
export function rankStats(): RankStats {
  return { rows: 0, malformed: 0, firstMalformed: undefined, bytes: 0, ordered: true };
}

const MAX_LINE = 16 << 10;
const PIECE = 256 << 10;
/** RFC 1035 section 2.3.4, without the trailing dot. */
const MAX_HOST = 253;
const MAX_VALUE = 40;

const LF = 10;
const OTHER = 0;
const LETTER = 1;
const DOT = 2;
const CAPITAL = 3;
/** What splits columns; kinds below it are of columns, and above it is the end of a line alone. */
const GAP = 4;
const END = 5;
const KINDS = new Uint8Array(256).fill(OTHER);
for (const c of "abcdefghijklmnopqrstuvwxyz0123456789_-") KINDS[c.charCodeAt(0)] = LETTER;
for (const c of "ABCDEFGHIJKLMNOPQRSTUVWXYZ") KINDS[c.charCodeAt(0)] = CAPITAL;
for (const c of " \t\r\v\f") KINDS[c.charCodeAt(0)] = GAP;
KINDS[0x2e] = DOT;
KINDS[LF] = END;

/**
 * Reads a table's rows, some thousands at a time. A line that is no row is counted and passed over.
 *
 * @param source The table, unpacked.
 * @param stats Counts, kept up to date.
 */
export async function* readRanks(
  source: AsyncIterable<Uint8Array>,
  stats: RankStats = rankStats(),
): AsyncGenerator<RankRows, void, unknown> {
  const parser = new Parser(stats);
  for await (const chunk of source) {
    stats.bytes += chunk.length;
    for (let at = 0; at < chunk.length; at += PIECE) {
      const rows = parser.take(chunk.subarray(at, at + PIECE));
      if (rows.count > 0) yield rows;
    }
  }
  // The last line of a table may have no end.
  const rows = parser.take(Uint8Array.of(LF));
  if (rows.count > 0) yield rows;
}

class Parser implements RankRows {
  readonly bytes = new Uint8Array(MAX_LINE + PIECE);
  count = 0;
  positions = new Float64Array(8192);
  valueStarts = new Int32Array(8192);
  valueEnds = new Int32Array(8192);
  hostStarts = new Int32Array(8192);
  hostEnds = new Int32Array(8192);
  readonly #stats: RankStats;
  /** What is left of the last chunk: the beginning of a line. */
  #from = 0;
  #kept = 0;
  #line = 0;
  #last = 0;
  /** Inside a line that is too long. */
  #skipping = false;

  constructor(stats: RankStats) {
    this.#stats = stats;
  }

  /** The rows that end in `chunk`. */
  take(chunk: Uint8Array): RankRows {
    const { bytes } = this;
    this.count = 0;
    bytes.copyWithin(0, this.#from, this.#from + this.#kept);
    bytes.set(chunk, this.#kept);
    const end = this.#kept + chunk.length;
    const lastLine = chunk.lastIndexOf(LF);
    let from = 0;
    if (lastLine >= 0) {
      const behind = this.#kept + lastLine + 1;
      if (this.#skipping) {
        this.#skipping = false;
        this.#line++;
        this.#malformed(0, 0);
        from = bytes.indexOf(LF) + 1;
      }
      while (from < behind) {
        this.#line++;
        let stop = this.#row(from);
        if (stop < 0) {
          stop = bytes.indexOf(LF, from);
          this.#malformed(from, stop);
        }
        from = stop + 1;
      }
    }
    this.#kept = end - from;
    this.#from = from;
    if (this.#skipping || this.#kept > MAX_LINE) {
      this.#skipping = true;
      this.#kept = 0;
    }
    return this;
  }

  /** Takes a line in, which has an end. Returns where that is, and -1 when the line is malformed. */
  #row(start: number): number {
    const { bytes } = this;
    let i = start;
    while (KINDS[bytes[i]!] === GAP) i++;
    if (bytes[i] === LF || bytes[i] === 0x23) return bytes.indexOf(LF, i);
    let position = 0;
    const first = i;
    let c = bytes[i]!;
    for (; c >= 0x30 && c <= 0x39; c = bytes[++i]!) position = position * 10 + c - 0x30;
    if (i === first || i - first > 15 || position < 1 || KINDS[c] !== GAP) return -1;
    do i++; while (KINDS[bytes[i]!] === GAP);
    const valueStart = i;
    i = afterNumber(bytes, i);
    const valueEnd = i;
    if (i < 0 || i - valueStart > MAX_VALUE || KINDS[bytes[i]!] !== GAP) return -1;
    // The columns of PageRank are passed over.
    do i++; while (KINDS[bytes[i]!] === GAP);
    while (KINDS[bytes[i]!]! < GAP) i++;
    while (KINDS[bytes[i]!] === GAP) i++;
    while (KINDS[bytes[i]!]! < GAP) i++;
    while (KINDS[bytes[i]!] === GAP) i++;
    const hostStart = i;
    // A name whose last label is a number is no name but an address, and addresses have no place here.
    if (bytes[i]! <= 0x39 && bytes[i]! >= 0x30) return -1;
    let label = i;
    for (;; i++) {
      const kind = KINDS[bytes[i]!]!;
      if (kind === LETTER) continue;
      if (kind === CAPITAL) bytes[i]! |= 0x20;
      else if (kind === DOT && i > label) label = i + 1;
      else break;
    }
    const hostEnd = i;
    if (i === label || i - hostStart > MAX_HOST || KINDS[bytes[i]!]! < GAP) return -1;
    const n = this.count;
    if (n === this.positions.length) this.#grow();
    this.positions[n] = position;
    this.valueStarts[n] = valueStart;
    this.valueEnds[n] = valueEnd;
    this.hostStarts[n] = hostStart;
    this.hostEnds[n] = hostEnd;
    this.count = n + 1;
    const stats = this.#stats;
    stats.rows++;
    if (position < this.#last) stats.ordered = false;
    this.#last = position;
    return bytes[i] === LF ? i : bytes.indexOf(LF, i);
  }

  #malformed(start: number, end: number): void {
    this.#stats.malformed++;
    this.#stats.firstMalformed ??= {
      line: this.#line,
      text: end === 0
        ? `(over ${MAX_LINE} bytes)`
        : new TextDecoder().decode(this.bytes.subarray(start, Math.min(end, start + 200))),
    };
  }

  #grow(): void {
    const size = this.positions.length * 2;
    const larger = (from: Int32Array) => {
      const to = new Int32Array(size);
      to.set(from);
      return to;
    };
    const positions = new Float64Array(size);
    positions.set(this.positions);
    this.positions = positions;
    this.valueStarts = larger(this.valueStarts);
    this.valueEnds = larger(this.valueEnds);
    this.hostStarts = larger(this.hostStarts);
    this.hostEnds = larger(this.hostEnds);
  }
}

/**
 * Where the number at `i` ends: digits, a fraction, an exponent, as JSON has them (RFC 8259 section 6)
 * and no sign. -1 where there is none, or where it is beyond what a double holds. Something that is no
 * digit must follow.
 */
function afterNumber(bytes: Uint8Array, i: number): number {
  const start = i;
  let c = bytes[i]!;
  while (c >= 0x30 && c <= 0x39) c = bytes[++i]!;
  if (i === start || i - start > 1 && bytes[start] === 0x30) return -1;
  if (c === 0x2e) {
    const fraction = i + 1;
    do c = bytes[++i]!; while (c >= 0x30 && c <= 0x39);
    if (i === fraction) return -1;
  }
  if ((c | 0x20) !== 0x65) return i;
  c = bytes[++i]!;
  if (c === 0x2b || c === 0x2d) c = bytes[++i]!;
  const exponent = i;
  let value = 0;
  for (; isDigit(c); c = bytes[++i]!) value = Math.min(value * 10 + c - 0x30, 1000);
  return i === exponent || value > 250 ? -1 : i;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** The host of a row, its labels in their usual order. */
export function hostAt(rows: RankRows, i: number): string {
  let text = "";
  for (let at = rows.hostStarts[i]!; at < rows.hostEnds[i]!; at++) {
    text += String.fromCharCode(rows.bytes[at]!);
  }
  return text.split(".").reverse().join(".");
}

/** The harmonic value of a row. */
export function valueAt(rows: RankRows, i: number): number {
  let text = "";
  for (let at = rows.valueStarts[i]!; at < rows.valueEnds[i]!; at++) {
    text += String.fromCharCode(rows.bytes[at]!);
  }
  return Number(text);
}

/**
 * Copies the host of a row, its labels in their usual order.
 *
 * @returns Where it ends in `into`.
 */
export function copyHost(rows: RankRows, i: number, into: Uint8Array, at: number): number {
  const { bytes } = rows;
  const start = rows.hostStarts[i]!;
  for (let end = rows.hostEnds[i]!;;) {
    let label = end;
    while (label > start && bytes[label - 1] !== 0x2e) label--;
    for (let from = label; from < end; from++) into[at++] = bytes[from]!;
    if (label === start) return at;
    into[at++] = 0x2e;
    end = label - 1;
  }
}

/**
 * Copies the value of a row as JSON has numbers: without an exponent where it is a small one, and
 * without zeros at the end of its fraction.
 *
 * @returns Where it ends in `into`.
 */
export function copyValue(rows: RankRows, i: number, into: Uint8Array, at: number): number {
  const { bytes } = rows;
  const start = rows.valueStarts[i]!;
  const end = rows.valueEnds[i]!;
  let dot = end;
  let e = end;
  for (let k = start; k < end; k++) {
    if (bytes[k] === 0x2e) dot = k;
    else if ((bytes[k]! | 0x20) === 0x65) e = k;
  }
  if (dot > e) dot = e;
  let shift = 0;
  if (e < end) {
    shift = -1;
    if (isDigit(bytes[e + 1]!) && end - e <= 3) {
      shift = end - e === 2
        ? bytes[e + 1]! - 0x30
        : (bytes[e + 1]! - 0x30) * 10 + bytes[e + 2]! - 0x30;
    }
    if (shift < 0 || shift > 20 || start === dot || bytes[start] === 0x30) {
      const text = String(valueAt(rows, i));
      for (let k = 0; k < text.length; k++) into[at++] = text.charCodeAt(k);
      return at;
    }
  }
  for (let k = start; k < dot; k++) into[at++] = bytes[k]!;
  let k = dot + 1;
  for (; shift > 0; shift--) into[at++] = k < e ? bytes[k++]! : 0x30;
  let last = e;
  while (last > k && bytes[last - 1] === 0x30) last--;
  if (last > k) {
    into[at++] = 0x2e;
    while (k < last) into[at++] = bytes[k++]!;
  }
  return at;
}
