/**
 * Rows of one host that wait for long, packed: some ten bytes each where their URLs resemble each other.
 *
 * @module
 */

import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { WorkRow } from "./types.ts";

/** Rows packed together: more would be smaller, and each look at one would cost more. */
const BLOCK = 512;
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

interface Block {
  readonly bytes: Uint8Array;
  readonly rows: number;
}

/** A queue of rows of one host, in their order. */
export class PackedRows {
  readonly #host: string;
  #blocks: Block[] = [];
  /** Rows of the first block that have been taken. */
  #taken = 0;
  #size = 0;
  #bytes = 0;

  /** An empty one. */
  constructor(host: string) {
    this.#host = host;
  }

  /** Rows in it. */
  get size(): number {
    return this.#size;
  }

  /** Bytes that they take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Puts rows behind those in it. */
  push(rows: readonly WorkRow[]): void {
    this.#blocks.push(...this.#pack(rows));
  }

  /** Puts rows before those in it. */
  unshift(rows: readonly WorkRow[]): void {
    if (this.#taken > 0) rows = [...rows, ...this.#rest()];
    this.#blocks.unshift(...this.#pack(rows));
  }

  /** Takes the first ones, `most` of them or fewer. */
  take(most: number): WorkRow[] {
    const [block] = this.#blocks;
    if (block === undefined) return [];
    const rows = this.#unpack(block, this.#taken, this.#taken + most);
    this.#taken += rows.length;
    this.#size -= rows.length;
    if (this.#taken === block.rows) this.#drop(block);
    return rows;
  }

  /** Takes what is left of the first block. */
  #rest(): WorkRow[] {
    return this.take(BLOCK);
  }

  #drop(block: Block): void {
    this.#blocks.shift();
    this.#taken = 0;
    this.#bytes -= block.bytes.length;
  }

  #pack(rows: readonly WorkRow[]): Block[] {
    const blocks: Block[] = [];
    for (let at = 0; at < rows.length; at += BLOCK) {
      const some = rows.slice(at, at + BLOCK);
      const text = JSON.stringify(some.flatMap(({ part, row, url }) => [part, row, url]));
      // Out of the pool that small buffers share, which one block could keep as a whole.
      const bytes = new Uint8Array(zstdCompressSync(text, FAST));
      blocks.push({ bytes, rows: some.length });
      this.#bytes += bytes.length;
    }
    this.#size += rows.length;
    return blocks;
  }

  #unpack({ bytes }: Block, from: number, to: number): WorkRow[] {
    const values = JSON.parse(zstdDecompressSync(bytes).toString()) as (number | string)[];
    const rows: WorkRow[] = [];
    for (let i = from * 3; i < Math.min(to * 3, values.length); i += 3) {
      const [part, row, url] = values.slice(i, i + 3) as [number, number, string];
      rows.push({ part, row, url, host: this.#host });
    }
    return rows;
  }
}
