/**
 * The end of a generation of the journal: what it stands for goes into the tables, a slice at a time,
 * and its rows go.
 *
 * @module
 */

import type { Counters } from "./_counters.ts";
import { joinDone } from "./_done.ts";
import type { Host } from "./_host.ts";
import type { Queues } from "./_queues.ts";
import type { SeenSet } from "./_seen.ts";
import type { Store } from "./_store.ts";

/** When a generation ends: changes, bytes of queues in memory, hosts in memory. */
const MAX_OPS = 1_000_000, MAX_MEMORY = 48 << 20, MAX_HOSTS = 100_000;
/** Hosts, and rows of the journal, in one slice. */
const HOSTS = 32, ROWS = 4;

/** Ends generations when they are full. */
export class Rotation {
  /** Changes in the journal of this generation. */
  ops = 0;
  readonly #store: Store;
  readonly #seen: SeenSet;
  readonly #queues: Queues;
  readonly #counters: Counters;
  readonly #maxOps: number;
  #running: { hosts: Host[]; at: number; saved: boolean } | undefined;
  /** The URL of the log of ends up to which its rows are joined, and from where they are being. */
  #joined: number;
  #joinFrom: number | undefined;

  constructor(
    store: Store,
    seen: SeenSet,
    queues: Queues,
    counters: Counters,
    maxOps: number = MAX_OPS,
  ) {
    this.#store = store;
    this.#seen = seen;
    this.#queues = queues;
    this.#counters = counters;
    this.#maxOps = maxOps;
    this.#joined = Number(store.getMeta("joined") ?? 0);
  }

  #over(share: number): boolean {
    return this.ops >= this.#maxOps * share || this.#queues.memory >= MAX_MEMORY * share ||
      this.#queues.size >= MAX_HOSTS * share;
  }

  /** Whether changes come faster than a generation is written out, so that they have to wait. */
  get behind(): boolean {
    return this.#running !== undefined && (this.#over(1.5) || this.ops >= this.#maxOps / 2);
  }

  /** Ends the generation if it is full. Comes right after a commit: the next change is the new one's. */
  turn(): void {
    if (this.#running !== undefined || !this.#over(1)) return;
    this.#counters.generation++;
    this.ops = 0;
    this.#seen.turn();
    this.#running = { hosts: this.#queues.all(), at: 0, saved: false };
  }

  /** One slice; whether there was something to do. */
  work(): boolean {
    const running = this.#running;
    if (running === undefined) return false;
    if (running.at < running.hosts.length) {
      const end = Math.min(running.at + HOSTS, running.hosts.length);
      for (; running.at < end; running.at++) this.#queues.flush(running.hosts[running.at]!);
    } else if (!running.saved) {
      running.hosts = [];
      running.at = 0;
      running.saved = true;
      this.#seen.save();
    } else {
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
