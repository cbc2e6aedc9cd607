/**
 * Turns a list that is sorted by host into one in which every worker has a host of its own.
 *
 * @module
 */

import { PackedRows } from "./_packed_rows.ts";
import type { WorkBatch, WorkRow } from "./types.ts";

/** Rows of a host that stay unpacked, at the least. */
const LEAST = 16;

/** Options of {@linkcode ReorderBuffer}. */
export interface ReorderOptions {
  /** Hosts wanted in hand: one a worker. */
  readonly workers: number;
  /** Most rows in hand when another batch is read. @default 32000, which is 16 batches of 2000 */
  readonly maxRows?: number;
  /**
   * Bytes of rows that may wait packed, so that hosts with many rows do not keep the next ones from being
   * read; 0 for none. @default 32 MiB, two to three million URLs
   */
  readonly packedBytes?: number;
  /** Told of each batch when it is read, before any of its rows is handed out. */
  readonly onBatch?: (batch: WorkBatch) => void;
}

/** Rows of one host. */
interface HostRows {
  readonly host: string;
  rows: WorkRow[];
  /** Rows of `rows` that have been handed out. */
  head: number;
  /** Those behind `rows`. */
  readonly packed: PackedRows;
  held: boolean;
  /** Whether it stands in the ring. */
  queued: boolean;
}

/**
 * The reorder buffer. It reads until it holds one host a worker or `maxRows` rows, and hands out one
 * row a host in turn. A host keeps its rows in the list's order; a host that is new stands behind
 * those that wait. What is handed out depends on nothing but the list and the options, unless hosts
 * are held.
 *
 * When it holds `maxRows` rows of too few hosts, the rows that will wait longest are packed, and it reads
 * on.
 *
 * Memory: below `maxRows` and one batch of rows, and `packedBytes` and one batch packed. Every verb but
 * reading takes constant time.
 */
export class ReorderBuffer implements AsyncDisposable {
  readonly #batches: AsyncIterator<WorkBatch>;
  readonly #workers: number;
  readonly #maxRows: number;
  readonly #packedBytes: number;
  readonly #onBatch: ((batch: WorkBatch) => void) | undefined;
  readonly #hosts = new Map<string, HostRows>();
  readonly #held = new Set<string>();
  /** Hosts that wait for their turn from `#first` on, and held ones that have not come up since. */
  #ring: HostRows[] = [];
  #first = 0;
  #ready = 0;
  /** Rows that are not packed. */
  #inHand = 0;
  #packed = { rows: 0, bytes: 0 };
  #ended = false;
  #closed = false;
  #filling: Promise<void> | undefined;
  #waiting: (() => void)[] = [];

  /**
   * Reads from `batches`, of which nobody else may read.
   *
   * @throws {RangeError} If `workers` or `maxRows` is no positive integer.
   */
  constructor(batches: AsyncIterable<WorkBatch>, options: ReorderOptions) {
    const { workers, maxRows = 32_000, packedBytes = 32 << 20 } = options;
    for (const [name, value] of Object.entries({ workers, maxRows })) {
      if (!Number.isInteger(value) || value < 1) {
        throw new RangeError(`Cannot reorder rows: ${name} is ${value}; it must be 1 or more`);
      }
    }
    this.#batches = batches[Symbol.asyncIterator]();
    this.#workers = workers;
    this.#maxRows = maxRows;
    this.#packedBytes = packedBytes;
    this.#onBatch = options.onBatch;
  }

  /** Rows in hand, packed ones included. */
  get size(): number {
    return this.#inHand + this.#packed.rows;
  }

  /** Those that are packed, and the bytes that they take. */
  get packed(): { readonly rows: number; readonly bytes: number } {
    return this.#packed;
  }

  /** Hosts that have rows in hand and are not held. */
  get hosts(): number {
    return this.#ready;
  }

  /** Whether the list has been read to its end; rows may still be in hand. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Whether more must be read before {@linkcode take} gives a row. */
  get hungry(): boolean {
    return !this.#ended && this.#ready < this.#workers && this.#inHand < this.#maxRows &&
      this.#packed.bytes <= this.#packedBytes;
  }

  /**
   * The next row, without waiting.
   *
   * @returns `undefined` when more must be read first ({@linkcode fill}), every host in hand is held,
   * or the list is over.
   */
  take(): WorkRow | undefined {
    if (this.#closed || this.#ready === 0 || this.hungry) return undefined;
    const host = this.#pop();
    const row = host.rows[host.head++]!;
    this.#inHand--;
    if (host.head === host.rows.length && host.packed.size > 0) this.#unpack(host);
    if (host.head === host.rows.length) {
      this.#hosts.delete(host.host);
      this.#ready--;
      return row;
    }
    if (host.head >= 64 && host.head * 2 > host.rows.length) {
      host.rows = host.rows.slice(host.head);
      host.head = 0;
    }
    this.#push(host);
    return row;
  }

  /**
   * Reads until {@linkcode take} may go on.
   *
   * @returns Whether a row is in hand, be its host held or not.
   * @throws What reading the list throws.
   */
  async fill(): Promise<boolean> {
    while (this.hungry) {
      this.#filling ??= this.#read().finally(() => this.#filling = undefined);
      await this.#filling;
    }
    return this.size > 0;
  }

  /**
   * The next row, or `undefined` behind the last and after the buffer was disposed of. Waits while
   * only held hosts have rows.
   *
   * @throws What reading the list throws.
   */
  async next(): Promise<WorkRow | undefined> {
    for (;;) {
      const row = this.take();
      if (row !== undefined) return row;
      if (!await this.fill() || this.#closed) return undefined;
      if (this.#ready === 0) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    }
  }

  /**
   * Passes a host over until it is released: its rows stay in hand, in their order, and the others
   * have their turns. For hosts whose turn has to wait, so that one slow host does not come to hold
   * every worker. A host that is held has no turn, also if its rows are read only later.
   */
  hold(host: string): void {
    if (this.#held.has(host)) return;
    this.#held.add(host);
    const rows = this.#hosts.get(host);
    if (rows === undefined) return;
    rows.held = true;
    this.#ready--;
  }

  /** Ends a {@linkcode hold}. A host that was passed over meanwhile goes behind those that wait. */
  release(host: string): void {
    if (!this.#held.delete(host)) return;
    const rows = this.#hosts.get(host);
    if (rows === undefined) return;
    rows.held = false;
    this.#ready++;
    if (!rows.queued) this.#push(rows);
    this.#wake();
  }

  /** Ends reading. Rows in hand stay with whoever reads the list again. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#ended = true;
    this.#wake();
    await this.#batches.return?.();
  }

  #pop(): HostRows {
    for (;;) {
      const host = this.#ring[this.#first]!;
      if (++this.#first >= 1024 && this.#first * 2 > this.#ring.length) {
        this.#ring = this.#ring.slice(this.#first);
        this.#first = 0;
      }
      host.queued = false;
      if (!host.held) return host;
    }
  }

  #push(host: HostRows): void {
    host.queued = true;
    this.#ring.push(host);
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  async #read(): Promise<void> {
    const { done, value } = await this.#batches.next();
    if (this.#closed) return;
    if (done) {
      this.#ended = true;
      return;
    }
    this.#onBatch?.(value);
    let later: WorkRow[] = [];
    for (const [i, row] of value.rows.entries()) {
      const known = this.#hosts.get(row.host);
      if (known === undefined) {
        this.#add(row);
      } else if (known.packed.size === 0) {
        known.rows.push(row);
        this.#inHand++;
      } else {
        later.push(row);
        if (value.rows[i + 1]?.host === row.host) continue;
        this.#repack(known, () => known.packed.push(later));
        later = [];
      }
    }
    if (this.#inHand >= this.#maxRows) this.#pack();
  }

  #add(row: WorkRow): void {
    const { host } = row;
    const held = this.#held.has(host);
    const packed = new PackedRows(host);
    const rows = { host, rows: [row], head: 0, packed, held, queued: false };
    this.#hosts.set(host, rows);
    this.#inHand++;
    if (held) return;
    this.#ready++;
    this.#push(rows);
  }

  /** What a host keeps unpacked, so that all of them together take half of the room. */
  get #share(): number {
    return Math.max(LEAST, Math.floor(this.#maxRows / 2 / this.#hosts.size));
  }

  #pack(): void {
    const share = this.#share;
    for (const host of this.#hosts.values()) {
      if (this.#packed.bytes >= this.#packedBytes) return;
      const first = host.head + share;
      if (host.rows.length < first + LEAST) continue;
      const rows = host.rows.slice(first);
      host.rows = host.rows.slice(host.head, first);
      host.head = 0;
      this.#inHand -= rows.length;
      this.#repack(host, () => host.packed.unshift(rows));
    }
  }

  #unpack(host: HostRows): void {
    this.#repack(host, () => host.rows = host.packed.take(this.#share));
    host.head = 0;
    this.#inHand += host.rows.length;
  }

  #repack({ packed }: HostRows, change: () => void): void {
    const { size, bytes } = packed;
    change();
    this.#packed.rows += packed.size - size;
    this.#packed.bytes += packed.bytes - bytes;
  }
}
