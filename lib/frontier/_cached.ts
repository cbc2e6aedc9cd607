/**
 * The small durable store beside the queue.
 *
 * @module
 */

import type { StateClock } from "./_clock.ts";
import type { Store } from "./_store.ts";

/** Rows looked at for each commit that writes. */
const SWEEP = 64;

/** A value and when it expires. */
export interface CachedValue {
  readonly value: Uint8Array;
  readonly expires: number;
}

/** Values by key, with an expiry on the state's clock. */
export class CachedValues {
  readonly #store: Store;
  readonly #clock: StateClock;
  readonly #unsaved: Map<string, CachedValue> = new Map();
  #sweepFrom = "";

  constructor(store: Store, clock: StateClock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Values that are not in the table yet. */
  get unsaved(): number {
    return this.#unsaved.size;
  }

  get(key: string): CachedValue | undefined {
    return this.#unsaved.get(key) ??
      this.#store.sql("select value, expires from cached where key = ?").get(key) as unknown as
        | CachedValue
        | undefined;
  }

  put(key: string, value: Uint8Array, expires: number): void {
    this.#unsaved.set(key, { value, expires });
  }

  /** Writes what is not in the table yet, and removes some of what has expired. */
  save(): void {
    if (this.#unsaved.size === 0) return;
    for (const [key, { value, expires }] of this.#unsaved) {
      this.#store.sql("insert or replace into cached values(?, ?, ?)").run(key, value, expires);
    }
    this.#unsaved.clear();
    // A few of the others in turn, so that what has expired goes at the pace at which new ones come.
    const rows = this.#store.sql(
      "select key, expires from cached where key > ? order by key limit ?",
    ).all(this.#sweepFrom, SWEEP) as unknown as { key: string; expires: number }[];
    const now = this.#clock.now();
    for (const { key, expires } of rows) {
      if (expires < now) this.#store.sql("delete from cached where key = ?").run(key);
    }
    this.#sweepFrom = rows.length < SWEEP ? "" : rows.at(-1)!.key;
  }
}
