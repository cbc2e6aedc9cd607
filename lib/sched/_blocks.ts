/**
 * Rows of a snapshot as bytes.
 *
 * @module
 */

/** One column of some rows: row `i`'s value stands from `starts[at + i]` to before `ends[at + i]`. */
export interface BlockColumn {
  readonly bytes: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly at: number;
}

/** Rows that follow each other, by ascending key. They last until the next block is asked for. */
export interface RowBlock {
  readonly count: number;
  /** What rows are in the order of: the host's part first, up to {@linkcode endsHost}. */
  readonly key: BlockColumn;
  readonly url: BlockColumn;
  /** What the page's content is known by; rows without one are not compared. */
  readonly digest: BlockColumn;
}

/** Whether a byte ends the host's part of a key: `)` and `:` of a SURT, a tab of a sorted line. */
export function endsHost(byte: number): boolean {
  return byte === 0x29 || byte === 0x3a || byte === 9;
}

/** Order of two pieces of bytes, as `memcmp` has it. */
export function compareBytes(
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
): number {
  const length = Math.min(aEnd - aStart, bEnd - bStart);
  for (let i = 0; i < length; i++) {
    const difference = a[aStart + i]! - b[bStart + i]!;
    if (difference !== 0) return difference;
  }
  return aEnd - aStart - (bEnd - bStart);
}
