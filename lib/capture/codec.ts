/**
 * Capture rows as bytes, in which form they cross threads.
 *
 * @module
 */

import { FIXED, NO_POSITION, placeOf, ROW_FIXED, VARIABLE } from "./_layout.ts";
import type { RowPosition } from "./ranges.ts";
import { rowsIn, RowView } from "./row_view.ts";
import type { CaptureColumnName, CaptureRow } from "./schema.ts";

/** Columns whose value follows from another's, and which are filled by themselves. */
export type DerivedColumn = "body_length" | "markdown_length" | "text_length";

/**
 * A row to be written: a {@linkcode CaptureRow} without the lengths, which follow. A string may
 * also be given as bytes, which must be valid UTF-8; lone surrogates of a string become U+FFFD.
 */
export type NewCaptureRow =
  & {
    readonly [K in Exclude<CaptureColumnName, DerivedColumn>]: CaptureRow[K] extends string
      ? CaptureRow[K] | Uint8Array
      : CaptureRow[K];
  }
  & { readonly position?: RowPosition };

const BODY = placeOf("body"), MARKDOWN = placeOf("markdown"), TEXT = placeOf("text");
const LENGTHS = [
  [placeOf("body_length").at, BODY.at],
  [placeOf("markdown_length").at, MARKDOWN.at],
  [placeOf("text_length").at, TEXT.at],
] as const;
const DERIVED: ReadonlySet<string> = new Set(
  ["body_length", "markdown_length", "text_length"] satisfies DerivedColumn[],
);
const WRITTEN = FIXED.filter(({ name }) => !DERIVED.has(name));

/** Most bytes of a batch. */
const MAX_BATCH = 2 ** 31 - 8;
/** Strings up to this long are copied here while they are ASCII, which costs less than a call. */
const SHORT = 24;

const encoder = new TextEncoder();

/**
 * Rows one after the other in one growing buffer, which is given away whole.
 *
 * @example One row there and back
 * ```ts ignore
 * const batch = new RowBatch();
 * batch.add(row);
 * port.postMessage(batch.take());         // on the other side:
 * for (const view of decodeRows(bytes)) console.log(view.text("url"));
 * ```
 */
export class RowBatch {
  #buffer: ArrayBuffer;
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #length = 0;
  #rows = 0;

  /**
   * Begins a batch.
   *
   * @param buffer One to write into, such as came back from a reader; its content is overwritten.
   */
  constructor(buffer: ArrayBuffer = new ArrayBuffer(1 << 16)) {
    this.#buffer = buffer;
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
  }

  /** Bytes of the rows added. */
  get length(): number {
    return this.#length;
  }

  /** Rows added. */
  get rows(): number {
    return this.#rows;
  }

  /**
   * Adds a row.
   *
   * @throws {RangeError} If the batch would pass 2 GiB, or a number is no integer.
   */
  add(row: NewCaptureRow): void {
    const start = this.#length;
    this.#reserve(start, ROW_FIXED);
    this.#prefix(start, row.position);
    for (const { name, type, at } of WRITTEN) {
      const value = row[name as Exclude<typeof name, DerivedColumn>], view = this.#view;
      if (type === "uint64") view.setBigUint64(start + at, value as bigint, true);
      else if (type === "double") view.setFloat64(start + at, value as number, true);
      else if (type === "int64") setInt64(view, start + at, value as number, name);
      else view.setInt32(start + at, Number(value), true);
    }
    let end = start + ROW_FIXED;
    for (const { name, at } of VARIABLE) {
      const value = row[name as "url"];
      const length = value.length === 0 ? 0 : this.#put(value, end);
      this.#view.setUint32(start + at, length, true);
      end += length;
    }
    this.#finish(start, end);
  }

  /**
   * Adds a row that was decoded, with some of its values changed. What is not changed is copied as
   * it is.
   *
   * @throws {RangeError} As {@linkcode RowBatch.add}.
   */
  addView(row: RowView, changes: Partial<NewCaptureRow> = {}): void {
    if (Object.keys(changes).length === 0) {
      this.addPacked(row.packed);
      return;
    }
    const whole: Record<string, unknown> = {};
    for (const { name, type } of [...WRITTEN, ...VARIABLE]) {
      whole[name] = type === "string" || type === "bytes"
        ? row.bytes(name)
        : type === "uint64"
        ? row.bigint(name)
        : type === "boolean"
        ? row.number(name) !== 0
        : row.number(name);
    }
    const position = row.position;
    if (position !== undefined) whole.position = position;
    this.add({ ...whole as unknown as NewCaptureRow, ...changes });
  }

  /** Adds rows that are packed already. */
  addPacked(packed: Uint8Array): void {
    this.#reserve(this.#length, packed.length);
    this.#bytes.set(packed, this.#length);
    for (const _ of rowsIn(packed)) this.#rows++;
    this.#length += packed.length;
  }

  /**
   * Gives the rows away and begins anew.
   *
   * @param buffer The next buffer to write into.
   * @returns A view of the buffer, which is no longer this batch's and may be transferred.
   */
  take(buffer: ArrayBuffer = new ArrayBuffer(1 << 16)): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(this.#buffer, 0, this.#length);
    this.#use(buffer);
    this.#length = 0;
    this.#rows = 0;
    return taken;
  }

  #use(buffer: ArrayBuffer): void {
    this.#buffer = buffer;
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
  }

  /** Makes room for `more` bytes at `end`, up to which there are some to keep. */
  #reserve(end: number, more: number): void {
    if (end + more > MAX_BATCH) throw new RangeError("Cannot pack a row: it is too large");
    if (end + more <= this.#buffer.byteLength) return;
    const grown = new ArrayBuffer(
      Math.min(MAX_BATCH, Math.max(end + more, this.#buffer.byteLength * 2)),
    );
    new Uint8Array(grown).set(this.#bytes.subarray(0, end));
    this.#use(grown);
  }

  /** Puts a value at `at`; gives its length in bytes. */
  #put(value: string | Uint8Array, at: number): number {
    const length = value.length;
    this.#reserve(at, length);
    if (typeof value !== "string") {
      this.#bytes.set(value, at);
      return length;
    }
    if (length <= SHORT) {
      const bytes = this.#bytes;
      let i = 0;
      for (; i < length; i++) {
        const unit = value.charCodeAt(i);
        if (unit >= 128) break;
        bytes[at + i] = unit;
      }
      if (i === length) return length;
    }
    const { read, written } = encoder.encodeInto(value, this.#bytes.subarray(at));
    if (read === length) return written;
    // Room was made as for ASCII; a UTF-16 unit takes up to three bytes.
    this.#reserve(at + written, 3 * (length - read));
    return written +
      encoder.encodeInto(value.slice(read), this.#bytes.subarray(at + written)).written;
  }

  #prefix(start: number, position: RowPosition | undefined): void {
    const view = this.#view;
    const part = position?.part ?? NO_POSITION, row = position?.row ?? 0;
    if (!(part >= 0 && part <= NO_POSITION) || !Number.isSafeInteger(row) || row < 0) {
      throw new RangeError(`Cannot pack a row: ${part}:${row} is no place in a work list`);
    }
    view.setUint32(start + 4, part, true);
    view.setFloat64(start + 8, row, true);
  }

  #finish(start: number, end: number): void {
    const size = (end - start + 7) & ~7;
    this.#reserve(end, start + size - end);
    const view = this.#view;
    for (const [to, from] of LENGTHS) {
      view.setUint32(start + to, view.getUint32(start + from, true), true);
      view.setUint32(start + to + 4, 0, true);
    }
    this.#bytes.fill(0, end, start + size);
    view.setUint32(start, size, true);
    this.#length = start + size;
    this.#rows++;
  }
}

/** One row alone, packed. */
export function encodeRow(row: NewCaptureRow): Uint8Array<ArrayBuffer> {
  const batch = new RowBatch(new ArrayBuffer(1 << 12));
  batch.add(row);
  return batch.take(new ArrayBuffer(0));
}

/**
 * The rows of a batch, as views of its bytes.
 *
 * @throws {RangeError} If the bytes are no batch.
 */
export function* decodeRows(batch: Uint8Array): Generator<RowView, void, undefined> {
  for (const [start, end] of rowsIn(batch)) yield new RowView(batch.subarray(start, end));
}

/** The one row that {@linkcode encodeRow} packed. */
export function decodeRow(packed: Uint8Array): RowView {
  return new RowView(packed);
}

function setInt64(view: DataView, at: number, value: number, name: string): void {
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`Cannot pack a row: ${name} is ${value}, which is no integer`);
  }
  view.setUint32(at, value >>> 0, true);
  view.setInt32(at + 4, Math.floor(value / 2 ** 32), true);
}
