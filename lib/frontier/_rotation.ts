/**
 * The end of a generation of the journal: what it stands for goes into the tables, a slice at a time,
 * and its rows go.
 *
 * @module
 */

import type { Arena } from "./_arena.ts";
import type { Counters } from "./_counters.ts";
import { joinDone } from "./_done.ts";
import type { Host } from "./_host.ts";
import type { Queues } from "./_queues.ts";
import type { SeenSet } from "./_seen.ts";
import type { Store } from "./_store.ts";

/** When a generation ends: changes, bytes of queues in memory, hosts in memory. */
const MAX_OPS = 1_000_000, MAX_MEMORY = 64 << 20, MAX_HOSTS = 100_000;
/** Hosts, names, and rows of the journal, in one slice. */
const HOSTS = 64, NAMES = 256, ROWS = 4;

/** A generation that is being written out, and how far that has come. */
interface Running {
  readonly hosts: readonly Host[];
  at: number;
  readonly unlisted: readonly Host[];
  unlistedAt: number;
}

const NONE: Running = { hosts: [], at: 0, unlisted: [], unlistedAt: 0 };

/** Ends generations when they are full. */
export class Rotation {
  /** Changes in the journal of this generation. */
  ops = 0;
  readonly #store: Store;
  readonly #seen: SeenSet;
  readonly #queues: Queues;
  readonly #counters: Counters;
  readonly #maxOps: number;
  readonly #arena: Arena;
  #running: Running | undefined;
  /** The URL of the log of ends up to which its rows are joined, and from where they are being. */
  #joined: number;
  #joinFrom: number | undefined;

  constructor(
    store: Store,
    seen: SeenSet,
    queues: Queues,
    arena: Arena,
    counters: Counters,
    maxOps: number = MAX_OPS,
  ) {
    this.#store = store;
    this.#seen = seen;
    this.#queues = queues;
    this.#arena = arena;
    this.#counters = counters;
    this.#maxOps = maxOps;
    this.#joined = Number(store.getMeta("joined") ?? 0);
  }

  /** The share of its limits that this generation has used; `ops` more are not in its journal yet. */
  #used(ops: number): number {
    return Math.max(
      (this.ops + ops) / this.#maxOps,
      this.#queues.memory / MAX_MEMORY,
      this.#queues.size / MAX_HOSTS,
    );
  }

  /**
   * Goes on with the generation that ends as far as the next one has filled, so that it is written out
   * when the next is half full, however fast changes come: memory is held to one generation and a
   * half, and no commit pays for all of it. `ops` are the changes that wait for the next commit.
   */
  pace(ops: number): void {
    for (let running = this.#running; running !== undefined; running = this.#running) {
      const used = this.#used(ops) * 2;
      const { hosts, at, unlisted, unlistedAt } = running;
      if (used < 1 && at + unlistedAt >= (hosts.length + unlisted.length) * used) return;
      this.work();
    }
  }

  /** Ends the generation if it is full. Comes right after a commit: the next change is the new one's. */
  turn(): void {
    if (this.#running !== undefined || this.#used(0) < 1) return;
    this.#counters.generation++;
    this.ops = 0;
    this.#seen.turn();
    this.#arena.turn();
    this.#running = { ...NONE, ...this.#queues.turn() };
  }

  /** One slice; whether there was something to do. */
  work(): boolean {
    const running = this.#running;
    if (running === undefined) return false;
    if (running.unlistedAt < running.unlisted.length) {
      const end = running.unlistedAt + NAMES;
      this.#store.saveNames(running.unlisted.slice(running.unlistedAt, end));
      running.unlistedAt = Math.min(end, running.unlisted.length);
    } else if (running.at < running.hosts.length) {
      const end = running.at + HOSTS;
      this.#queues.flush(running.hosts.slice(running.at, end));
      running.at = Math.min(end, running.hosts.length);
      if (running.at < running.hosts.length) return true;
      this.#arena.release();
      this.#running = { ...NONE };
    } else if (!this.#seen.save()) {
      this.#store.begin();
      const { changes } = this.#store.sql(
        "delete from journal where id in (select id from journal where gen < ? order by id limit ?)",
      ).run(this.#counters.generation, ROWS);
      if (changes > 0) return true;
      this.#running = undefined;
      this.#joinFrom = this.#joined;
    }
    return true;
  }

  /** Joins some rows of the log of ends; whether there was something to do. */
  join(): boolean {
    if (this.#joinFrom === undefined) return false;
    this.#joinFrom = joinDone(this.#store, this.#joinFrom);
    if (this.#joinFrom !== undefined) {
      this.#joined = this.#joinFrom;
      this.#store.setMeta("joined", this.#joined);
    }
    return true;
  }
}
