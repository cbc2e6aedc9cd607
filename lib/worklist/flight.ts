/**
 * The rows that have been read and are not yet durable.
 *
 * @module
 */

import type { RowRange } from "../capture/mod.ts";
import { LAST_ROW, MAX_PARTS } from "./ranges.ts";

/** Rows that share a block: 32 words of 32 bits. */
const BLOCK = 1024;
const BLOCKS_PER_PART = (LAST_ROW + 1) / BLOCK;

interface Block {
  readonly bits: Uint32Array;
  count: number;
}

/**
 * The rows in flight. Each is added when it is read and retired when what became of it is on disk, in
 * any order: one host that lags far behind keeps its own rows, not those read after them.
 *
 * Adding and retiring take constant time. Memory follows the rows in flight: 128 bytes a block of
 * 1024 rows that has one, whatever has been through.
 */
export class FlightSet {
  readonly #blocks = new Map<number, Block>();
  #size = 0;

  /** Rows in flight. */
  get size(): number {
    return this.#size;
  }

  /**
   * Adds a row.
   *
   * @throws {RangeError} If it is in flight already, or no row.
   */
  add(part: number, row: number): void {
    if (
      !Number.isInteger(part) || !Number.isInteger(row) ||
      part < 0 || part >= MAX_PARTS || row < 0 || row > LAST_ROW
    ) throw new RangeError(`Cannot add row ${row} of part ${part}: out of range`);
    const key = part * BLOCKS_PER_PART + Math.floor(row / BLOCK);
    let block = this.#blocks.get(key);
    if (block === undefined) {
      block = { bits: new Uint32Array(BLOCK / 32), count: 0 };
      this.#blocks.set(key, block);
    }
    const at = row % BLOCK;
    const word = block.bits[at >>> 5]!;
    const bit = 1 << (at & 31);
    if ((word & bit) !== 0) {
      throw new RangeError(`Cannot add row ${row} of part ${part}: it is in flight already`);
    }
    block.bits[at >>> 5] = word | bit;
    block.count++;
    this.#size++;
  }

  /** Whether a row is in flight. */
  has(part: number, row: number): boolean {
    const block = this.#blocks.get(part * BLOCKS_PER_PART + Math.floor(row / BLOCK));
    const at = row % BLOCK;
    return block !== undefined && (block.bits[at >>> 5]! & (1 << (at & 31))) !== 0;
  }

  /**
   * Takes out rows that are durable.
   *
   * @returns How many of them were in flight.
   */
  retire(rows: Iterable<{ readonly part: number; readonly row: number }>): number {
    let retired = 0;
    for (const { part, row } of rows) {
      const key = part * BLOCKS_PER_PART + Math.floor(row / BLOCK);
      const block = this.#blocks.get(key);
      const at = row % BLOCK;
      const bit = 1 << (at & 31);
      if (block === undefined || (block.bits[at >>> 5]! & bit) === 0) continue;
      block.bits[at >>> 5]! &= ~bit;
      retired++;
      if (--block.count === 0) this.#blocks.delete(key);
    }
    this.#size -= retired;
    return retired;
  }

  /** The rows in flight as ranges, in order, as few as they can be. */
  pending(): RowRange[] {
    const out: RowRange[] = [];
    let part = -1;
    let first = 0;
    let next = 0;
    const close = () => {
      if (next > first) out.push({ part, first, last: next - 1 });
    };
    for (const key of [...this.#blocks.keys()].sort((a, b) => a - b)) {
      const ofPart = Math.floor(key / BLOCKS_PER_PART);
      const base = (key % BLOCKS_PER_PART) * BLOCK;
      const { bits } = this.#blocks.get(key)!;
      for (let w = 0; w < bits.length; w++) {
        for (let word = bits[w]!; word !== 0; word &= word - 1) {
          const row = base + w * 32 + 31 - Math.clz32(word & -word);
          if (ofPart !== part || row !== next) {
            close();
            part = ofPart;
            first = row;
          }
          next = row + 1;
        }
      }
    }
    close();
    return out;
  }
}
