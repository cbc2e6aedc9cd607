/**
 * Whose turn it is: rows of the work list, one host at a time each, as their clocks allow.
 */

import {
  FlightSet,
  ReorderBuffer,
  type WorkBatch,
  type WorkList,
  type WorkRow,
} from "../worklist/mod.ts";
import type { ReadOptions } from "../worklist/mod.ts";
import { Heap } from "./_heap.ts";

/** What {@linkcode RowTurns} needs. */
export interface RowTurnsOptions {
  readonly list: WorkList;
  /** Where to read, for which shard, in which batches. */
  readonly read: ReadOptions & { readonly batch: number };
  readonly workers: number;
  /** Told of batches the first time they are read. */
  readonly onBatch: (batch: WorkBatch) => void;
  /** When a host may be asked again. */
  readonly dueAt: (host: string) => number;
  /** Ms that a host may keep rows in hand waiting while nobody else has any. */
  readonly patienceMs: number;
  /** Whether the list can be read again. */
  readonly rereadable: boolean;
}

/** Batches in hand at the most. */
const MOST_BATCHES = 16;

/**
 * Hands out rows of hosts that are free, and reads ahead for it. Where hosts that will be slow fill
 * what may be read ahead, so that no other host is in hand, their rows are set aside, a bit each, and
 * read again behind the end of the list.
 */
export class RowTurns implements AsyncDisposable {
  #options: RowTurnsOptions;
  #buffer: ReorderBuffer;
  #cooling = new Heap<{ host: string; at: number }>((a, b) => a.at < b.at);
  /** Hosts with a row in flight, and since when; the oldest first. */
  #flying = new Map<string, number>();
  #slow = new Set<string>();
  #aside = new FlightSet();

  constructor(options: RowTurnsOptions) {
    this.#options = options;
    this.#buffer = this.#open(options.read, options.onBatch);
  }

  /** Rows in hand. */
  get size(): number {
    return this.#buffer.size;
  }

  /** Rows set aside. */
  get aside(): number {
    return this.#aside.size;
  }

  /** Whether there are rows in hand, and all their hosts wait for their clocks. */
  get waiting(): boolean {
    const { hosts, size } = this.#buffer;
    return hosts === 0 && size > 0 && this.#cooling.size > 0;
  }

  /** Whether the list is at its end, those set aside included; rows may be in hand. */
  get ended(): boolean {
    return this.#buffer.ended && this.#aside.size === 0;
  }

  /** Whether there is something to read before {@linkcode RowTurns.take} may give a row. */
  hungry(now: number): boolean {
    return this.#buffer.hungry || (this.#behindEnd && this.#earliestAside() <= now);
  }

  /** When there may be a row again, if nothing else happens before. */
  nextAt(): number {
    let at = this.#cooling.peek()?.at ?? Infinity;
    if (this.#clogged) {
      for (const [host, since] of this.#flying) {
        if (this.#slow.has(host)) continue;
        at = Math.min(at, since + this.#options.patienceMs + 1);
        break;
      }
    }
    return this.#behindEnd ? Math.min(at, this.#earliestAside()) : at;
  }

  /** The next row, whose host has no other until {@linkcode RowTurns.over}; undefined for none now. */
  take(now: number): WorkRow | undefined {
    for (let due; (due = this.#cooling.peek()) !== undefined && due.at <= now;) {
      this.#cooling.pop();
      this.#buffer.release(due.host);
    }
    for (;;) {
      const row = this.#buffer.take();
      if (row === undefined) {
        if (!this.#clogged || !this.#setAside(now)) return undefined;
      } else if (this.#slow.has(row.host)) {
        this.#aside.add(row.part, row.row);
      } else {
        this.#buffer.hold(row.host);
        this.#flying.set(row.host, now);
        return row;
      }
    }
  }

  /** The host's row is through with the network. */
  over(host: string, now: number): void {
    this.#flying.delete(host);
    if (!this.#slow.has(host)) this.#cool(host, now);
  }

  /**
   * Reads until {@linkcode RowTurns.take} may go on.
   *
   * @throws What reading the list throws.
   */
  async fill(now: number): Promise<void> {
    if (this.#behindEnd && this.#earliestAside() <= now) this.#reopen(now);
    await this.#buffer.fill();
  }

  /** Ends reading. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#buffer[Symbol.asyncDispose]();
  }

  #open(read: ReadOptions, onBatch: ((batch: WorkBatch) => void) | undefined): ReorderBuffer {
    const { list, workers } = this.#options;
    return new ReorderBuffer(list.read(read), {
      workers,
      maxRows: MOST_BATCHES * this.#options.read.batch,
      ...(onBatch === undefined ? {} : { onBatch }),
    });
  }

  #cool(host: string, now: number): void {
    const at = this.#options.dueAt(host);
    if (at <= now) this.#buffer.release(host);
    else this.#cooling.push({ host, at });
  }

  /** Whether as much was read ahead as may be, and nobody is free to have it. */
  get #clogged(): boolean {
    const { hosts, hungry, ended } = this.#buffer;
    return this.#options.rereadable && hosts === 0 && !hungry && !ended;
  }

  /** Sets aside the rows of those who would keep the others waiting longest. */
  #setAside(now: number): boolean {
    const { patienceMs } = this.#options;
    const slow: string[] = [];
    for (const { host, at } of this.#cooling) if (at - now > patienceMs) slow.push(host);
    for (const [host, since] of this.#flying) {
      if (now - since <= patienceMs) break;
      if (!this.#slow.has(host)) slow.push(host);
    }
    for (const host of slow) {
      this.#slow.add(host);
      this.#buffer.release(host);
    }
    for (const due of this.#cooling.drain()) if (!this.#slow.has(due.host)) this.#cooling.push(due);
    return slow.length > 0;
  }

  /** Whether only rows that were set aside are left. */
  get #behindEnd(): boolean {
    const { ended, size } = this.#buffer;
    return ended && size === 0 && this.#aside.size > 0 && this.#flying.size === 0;
  }

  #earliestAside(): number {
    let earliest = Infinity;
    for (const host of this.#slow) earliest = Math.min(earliest, this.#options.dueAt(host));
    return earliest;
  }

  #reopen(now: number): void {
    const { list, read } = this.#options;
    const from = { part: list.parts.length, row: 0 };
    this.#buffer = this.#open({ ...read, from, pending: this.#aside.pending() }, undefined);
    this.#aside = new FlightSet();
    const slow = this.#slow;
    this.#slow = new Set();
    for (const { host } of this.#cooling) this.#buffer.hold(host);
    for (const host of slow) {
      this.#buffer.hold(host);
      this.#cool(host, now);
    }
  }
}
