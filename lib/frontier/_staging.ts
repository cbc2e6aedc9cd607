/**
 * Offers that the seen set's memory cannot decide: staged on disk, sieved in batches, and what is new
 * admitted then.
 *
 * @module
 */

import type { Buffer } from "node:buffer";
import { ByteReader, ByteWriter } from "./_bytes.ts";
import type { StateClock } from "./_clock.ts";
import type { Counters } from "./_counters.ts";
import { pack, unpack } from "./_pack.ts";
import { type SeenSet, type Sieve, toHalves } from "./_seen.ts";
import type { Store } from "./_store.ts";

/** Offers a row holds at most. */
const ROW = 4096;
/** A batch is sieved this long after its first offer at the latest, and the sieves take a twentieth. */
const MIN_AGE_MS = 1000, SHARE = 20;

/** Takes an offer that waited: its URL in `bytes[start, end)`, and its fingerprint. */
export type AdmitStaged = (
  bytes: Buffer,
  start: number,
  end: number,
  priority: number,
  depth: number,
  hi: number,
  lo: number,
) => void;

interface RunningSieve {
  readonly pass: Sieve;
  /** The last row that it takes in. */
  readonly last: number;
  readonly started: number;
  scanned: boolean;
}

/** The staged offers of a state. */
export class Staging {
  readonly #store: Store;
  readonly #seen: SeenSet;
  readonly #counters: Counters;
  readonly #clock: StateClock;
  readonly #admit: AdmitStaged;
  #keys: number[] = [];
  readonly #out = new ByteWriter();
  #since: number;
  #sieve: RunningSieve | undefined;
  #sieveMs = 0;

  /** `admit` is called with every offer that a sieve lets through. */
  constructor(
    store: Store,
    seen: SeenSet,
    counters: Counters,
    clock: StateClock,
    admit: AdmitStaged,
  ) {
    this.#store = store;
    this.#seen = seen;
    this.#counters = counters;
    this.#clock = clock;
    this.#admit = admit;
    this.#since = clock.now();
  }

  /** Offers that are not in the tables yet. */
  get unsaved(): number {
    return this.#keys.length / 2;
  }

  add(
    bytes: Buffer,
    start: number,
    end: number,
    priority: number,
    depth: number,
    hi: number,
    lo: number,
  ): void {
    if (this.#counters.staged === 0) this.#since = this.#clock.now();
    this.#counters.staged++;
    this.#seen.remember(hi, lo);
    this.#keys.push(lo, hi);
    this.#out.varint(end - start);
    this.#out.range(bytes, start, end);
    this.#out.float(priority);
    this.#out.varint(depth);
    if (this.unsaved >= ROW) this.save();
  }

  /** Writes what is not in the tables yet. */
  save(): void {
    if (this.#keys.length === 0) return;
    this.#store.begin();
    this.#store.sql("insert into staged(n, keys, body) values(?, ?, ?)").run(
      this.unsaved,
      new Uint8Array(Uint32Array.from(this.#keys).buffer),
      pack(this.#out.view()),
    );
    this.#keys = [];
    this.#out.clear();
  }

  /** One slice of sieving, when there is something to sieve and it is time; whether there was. */
  work(hungry: boolean): boolean {
    const sieve = this.#sieve;
    if (sieve === undefined) {
      const { staged } = this.#counters;
      if (staged === 0) return false;
      const age = this.#clock.now() - this.#since;
      const due = staged >= this.#seen.batch || hungry ||
        age >= Math.max(MIN_AGE_MS, this.#sieveMs * SHARE);
      if (due) this.#start();
      return due;
    }
    if (!sieve.scanned) sieve.scanned = !sieve.pass.scan();
    else this.#admitRow(sieve);
    return true;
  }

  #start(): void {
    const started = performance.now();
    this.save();
    const parts: Uint8Array[] = [];
    let last = 0, count = 0;
    while (count < this.#seen.batch) {
      const row = this.#store.sql("select id, n, keys from staged where id > ? order by id limit 1")
        .get(last) as unknown as { id: number; n: number; keys: Uint8Array } | undefined;
      if (row === undefined) break;
      last = row.id;
      count += row.n;
      parts.push(row.keys);
    }
    const keys = new BigUint64Array(count);
    const bytes = new Uint8Array(keys.buffer);
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    this.#sieve = { pass: this.#seen.startSieve(keys), last, started, scanned: false };
    this.#since = this.#clock.now();
  }

  #admitRow(sieve: RunningSieve): void {
    const row = this.#store.sql("select * from staged where id <= ? order by id limit 1")
      .get(sieve.last) as unknown as
        | { id: number; n: number; keys: Uint8Array; body: Uint8Array }
        | undefined;
    if (row === undefined) {
      this.#sieveMs = performance.now() - sieve.started;
      this.#sieve = undefined;
      this.#seen.endSieve();
      return;
    }
    const keys = toHalves(row.keys);
    const from = new ByteReader(unpack(row.body));
    for (let i = 0; i < row.n; i++) {
      const end = from.range(), start = from.at;
      from.at = end;
      const priority = from.float(), depth = from.varint();
      const hi = keys[i * 2 + 1]!, lo = keys[i * 2]!;
      if (sieve.pass.claim(hi, lo)) this.#admit(from.buffer, start, end, priority, depth, hi, lo);
    }
    this.#store.begin();
    this.#store.sql("delete from staged where id = ?").run(row.id);
    this.#counters.staged -= row.n;
  }
}
