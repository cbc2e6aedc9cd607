/**
 * A file of a work list, whatever its format.
 *
 * @module
 */

/** Rows from `start` up to, and without, `end`, which may lie beyond the part's last. */
export interface Wanted {
  readonly start: number;
  readonly end: number;
}

/** Rows that follow each other. */
export interface PartRows {
  /** The first one's number. */
  readonly row: number;
  /** What each holds; undefined where nothing could be a URL, null where the row is not asked for. */
  readonly values: readonly (string | undefined | null)[];
}

/** A file of a work list. */
export interface Part {
  readonly name: string;
  /** Reads the rows that are wanted, which are in order and do not overlap, in one pass. */
  read(wanted: readonly Wanted[]): AsyncGenerator<PartRows, void, unknown>;
}
