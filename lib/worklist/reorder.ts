/**
 * Turns a list that is sorted by host into one in which every worker has a host of its own.
 *
 * @module
 */

import type { WorkBatch, WorkRow } from "./types.ts";

/** Options of {@linkcode ReorderBuffer}. */
export interface ReorderOptions {
  /** Hosts wanted in hand: one a worker. */
  readonly workers: number;
  /** Most rows in hand when another batch is read. @default 32000, which is 16 batches of 2000 */
  readonly maxRows?: number;
  /** Told of each batch when it is read, before any of its rows is handed out. */
  readonly onBatch?: (batch: WorkBatch) => void;
}

/** Rows of one host. */
interface HostRows {
  readonly host: string;
  rows: WorkRow[];
  /** Rows of `rows` that have been handed out. */
  head: number;
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
 * Memory: below `maxRows` and one batch of rows. Every verb but reading takes constant time.
 */
export class ReorderBuffer implements AsyncDisposable {
  readonly #batches: AsyncIterator<WorkBatch>;
  readonly #workers: number;
  readonly #maxRows: number;
  readonly #onBatch: ((batch: WorkBatch) => void) | undefined;
  readonly #hosts = new Map<string, HostRows>();
  readonly #held = new Set<string>();
  /** Hosts that wait for their turn from `#first` on, and held ones that have not come up since. */
  #ring: HostRows[] = [];
  #first = 0;
  #ready = 0;
  #size = 0;
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
    const { workers, maxRows = 32_000 } = options;
    for (const [name, value] of Object.entries({ workers, maxRows })) {
      if (!Number.isInteger(value) || value < 1) {
        throw new RangeError(`Cannot reorder rows: ${name} is ${value}; it must be 1 or more`);
      }
    }
    this.#batches = batches[Symbol.asyncIterator]();
    this.#workers = workers;
    this.#maxRows = maxRows;
    this.#onBatch = options.onBatch;
  }

  /** Rows in hand. */
  get size(): number {
    return this.#size;
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
    return !this.#ended && this.#size < this.#maxRows && this.#ready < this.#workers;
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
    this.#size--;
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
    return this.#size > 0;
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
    for (const row of value.rows) {
      const known = this.#hosts.get(row.host);
      if (known !== undefined) {
        known.rows.push(row);
        continue;
      }
      const held = this.#held.has(row.host);
      const host = { host: row.host, rows: [row], head: 0, held, queued: false };
      this.#hosts.set(row.host, host);
      if (held) continue;
      this.#ready++;
      this.#push(host);
    }
    this.#size += value.rows.length;
  }
}
