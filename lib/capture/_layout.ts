/**
 * Where each column lies in a row as it crosses threads.
 *
 * A row is, little endian: total bytes (uint32, a multiple of 8), work-list part or 0xffffffff
 * (uint32), work-list row (float64), the fixed-width columns, a uint32 length for each column of
 * bytes, those bytes one after the other, zeros up to a multiple of 8.
 *
 * @module
 */

import { CAPTURE_COLUMNS, type CaptureColumnName, type CaptureColumnType } from "./schema.ts";

/** A column and its place. */
export interface ColumnPlace {
  readonly name: CaptureColumnName;
  readonly type: CaptureColumnType;
  /** Place in the schema. */
  readonly index: number;
  /** Byte offset in the row: of the value, or for a column of bytes of its length. */
  readonly at: number;
  /** Bytes of the value in the row's fixed part. */
  readonly width: number;
}

/** Bytes before the first column: size, part, row. */
export const ROW_PREFIX = 16;
/** Part number that says that a row has no position. */
export const NO_POSITION = 0xffffffff;

const WIDTHS: Readonly<Record<CaptureColumnType, number>> = {
  int64: 8,
  uint64: 8,
  double: 8,
  int32: 4,
  boolean: 4,
  string: 4,
  bytes: 4,
};

/** Columns by their place in the row: eight bytes wide, four bytes wide, then lengths. */
const ORDER: Readonly<Record<CaptureColumnType, number>> = {
  int64: 0,
  uint64: 0,
  double: 0,
  int32: 1,
  boolean: 1,
  string: 2,
  bytes: 2,
};

/** Every column's place, in the order in which they lie in a row. */
export const PLACES: readonly ColumnPlace[] = places();

/** The columns whose values are bytes of any length, in the order in which those lie in a row. */
export const VARIABLE: readonly ColumnPlace[] = PLACES.filter(({ type }) => ORDER[type] === 2);

/** The columns of fixed width. */
export const FIXED: readonly ColumnPlace[] = PLACES.filter(({ type }) => ORDER[type] < 2);

const end = PLACES[PLACES.length - 1]!;
/** Bytes of a row before its values of any length. */
export const ROW_FIXED: number = (end.at + end.width + 7) & ~7;

/** The place of one column. */
export function placeOf(name: CaptureColumnName): ColumnPlace {
  return PLACES.find((place) => place.name === name)!;
}

function places(): ColumnPlace[] {
  let at = ROW_PREFIX;
  return CAPTURE_COLUMNS
    .map(({ name, type }, index) => ({ name, type, index, width: WIDTHS[type] }))
    .sort((a, b) => ORDER[a.type] - ORDER[b.type] || a.index - b.index)
    .map((column) => {
      const place = { ...column, at };
      at += column.width;
      return place;
    });
}
