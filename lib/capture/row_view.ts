/**
 * Packed rows read where they lie.
 *
 * @module
 */

import { FIXED, NO_POSITION, placeOf, ROW_FIXED, VARIABLE } from "./_layout.ts";
import type { RowPosition } from "./ranges.ts";
import type { CaptureColumnName, CaptureRow } from "./schema.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A packed row, whose values are read where they lie. Valid as long as its bytes are. */
export class RowView {
  /** The row's bytes. */
  readonly packed: Uint8Array;
  readonly #view: DataView;

  /**
   * Reads a row where it lies.
   *
   * @param packed Exactly the row's bytes.
   * @throws {RangeError} If they are no row.
   */
  constructor(packed: Uint8Array) {
    this.packed = packed;
    this.#view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
    if (packed.length < ROW_FIXED || this.#view.getUint32(0, true) !== packed.length) damaged();
    let end = ROW_FIXED;
    for (const { at } of VARIABLE) end += this.#view.getUint32(at, true);
    if (end > packed.length) damaged();
  }

  /** Where the row stands in its work list, if it is of one. */
  get position(): RowPosition | undefined {
    const part = this.#view.getUint32(4, true);
    return part === NO_POSITION ? undefined : { part, row: this.#view.getFloat64(8, true) };
  }

  /** A value of bytes or UTF-8, not copied. */
  bytes(name: CaptureColumnName): Uint8Array {
    let start = ROW_FIXED;
    for (const place of VARIABLE) {
      const length = this.#view.getUint32(place.at, true);
      if (place.name === name) return this.packed.subarray(start, start + length);
      start += length;
    }
    throw new TypeError(`Cannot read ${name} as bytes: it is a number`);
  }

  /** A string. */
  text(name: CaptureColumnName): string {
    return decoder.decode(this.bytes(name));
  }

  /** A number; a boolean is 0 or 1. */
  number(name: CaptureColumnName): number {
    const { type, at } = placeOf(name);
    if (type === "int64") {
      return this.#view.getInt32(at + 4, true) * 2 ** 32 + this.#view.getUint32(at, true);
    }
    if (type === "double") return this.#view.getFloat64(at, true);
    if (type === "int32" || type === "boolean") return this.#view.getInt32(at, true);
    throw new TypeError(`Cannot read ${name} as a number: it is ${type}`);
  }

  /** `simhash`. */
  bigint(name: CaptureColumnName): bigint {
    return this.#view.getBigUint64(placeOf(name).at, true);
  }

  /** The whole row; the body is not copied. */
  row(): CaptureRow {
    const out: Record<string, unknown> = {};
    for (const { name, type } of FIXED) {
      out[name] = type === "uint64"
        ? this.bigint(name)
        : type === "boolean"
        ? this.number(name) !== 0
        : this.number(name);
    }
    for (const { name, type } of VARIABLE) {
      out[name] = type === "string" ? this.text(name) : this.bytes(name);
    }
    return out as unknown as CaptureRow;
  }
}

/** Where each row of a batch begins and ends. */
export function* rowsIn(batch: Uint8Array): Generator<readonly [number, number], void, undefined> {
  const view = new DataView(batch.buffer, batch.byteOffset, batch.byteLength);
  for (let at = 0; at < batch.length;) {
    const size = at + ROW_FIXED <= batch.length ? view.getUint32(at, true) : 0;
    if (size < ROW_FIXED || size % 8 !== 0 || at + size > batch.length) damaged();
    yield [at, at + size];
    at += size;
  }
}

function damaged(): never {
  throw new RangeError("Cannot read rows: the packed bytes are cut or damaged");
}
