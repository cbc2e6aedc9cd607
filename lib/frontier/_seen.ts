/**
 * The exact seen set: a table in memory up to a bound; past it, the table is written out as a sorted
 * run and starts anew, and what the table does not know is staged and sieved against the runs in
 * batches, so that the cost of a URL stays flat and memory bounded however many there are.
 *
 * A fingerprint is 64 bits of a hash keyed per crawl. Among n URLs two share one with a probability
 * of n² / 2^65: one in 360 000 for ten million, one in 3 700 for a hundred million.
 *
 * @module
 */

import { SeenTable } from "./_seen_table.ts";
import type { Store } from "./_store.ts";

/** Fingerprints a row of `seen` or a chunk of a run holds. */
const CHUNK = 8192;

/** What a look-up says; staged means that only the next sieve can tell. */
export type Sight = "new" | "known" | "unsure";

/** Fingerprints appended in order, two halves each, low first. */
class KeyList {
  length = 0;
  #halves = new Uint32Array(2048);

  push(hi: number, lo: number): void {
    if (this.length * 2 === this.#halves.length) {
      const grown = new Uint32Array(this.#halves.length * 2);
      grown.set(this.#halves);
      this.#halves = grown;
    }
    this.#halves[this.length * 2] = lo;
    this.#halves[this.length * 2 + 1] = hi;
    this.length++;
  }

  bytes(from = 0, to = this.length): Uint8Array {
    return new Uint8Array(this.#halves.buffer, from * 8, (to - from) * 8);
  }
}

/** The set. Everything it writes goes into the store's open transaction. */
export class SeenSet {
  readonly #store: Store;
  readonly #table: SeenTable;
  readonly #limit: number;
  /** Fingerprints that only the journal has on disk: of this generation, and of the one that ends. */
  #fresh = new KeyList();
  #ending = new KeyList();
  /** How many of those are written. */
  #saved = 0;
  /** Complete runs. */
  #runs: number;
  #inRuns: number;
  #spill: { part: number; chunk: number; lastRow: number } | undefined;
  #clearTo = 0;
  /** Fingerprints lately staged or found known; direct-mapped, made when first needed. */
  #recent: Uint32Array | undefined;
  #sieve: Sieve | undefined;

  constructor(store: Store, limit: number) {
    this.#store = store;
    this.#limit = limit;
    this.#table = new SeenTable(limit - limit / 16);
    this.#runs = Number(store.getMeta("runs") ?? 0);
    this.#inRuns = Number(store.getMeta("run_keys") ?? 0);
  }

  /** Reads the fingerprints of the state back into memory, in as many runs more as it takes. */
  load(): void {
    this.#store.begin();
    // A run that was not finished: its fingerprints are in `seen` still.
    this.#store.sql("delete from runs where run >= ?").run(this.#runs);
    const bytes = this.#store.sql("select sum(length(keys)) as n from seen").get()?.n ?? 0;
    this.#table.reserve(Number(bytes) / 8);
    // Few enough that the bound is passed by little.
    const rowsAtOnce = Math.min(64, Math.max(1, Math.floor(this.#limit / CHUNK / 64)));
    let last = 0;
    for (;;) {
      const rows = this.#store.sql("select id, keys from seen where id > ? order by id limit ?")
        .all(last, rowsAtOnce) as unknown as { id: number; keys: Uint8Array }[];
      if (rows.length === 0) return;
      last = rows.at(-1)!.id;
      this.#table.addAll(rows.map(({ keys }) => toHalves(keys)));
      if (this.#table.full) this.#spillNow(last);
    }
  }

  /** Whether new URLs are decided by sieving. */
  get spilled(): boolean {
    return this.#runs > 0 || this.#spill !== undefined;
  }

  get bytes(): number {
    return this.#table.bytes + (this.#recent?.byteLength ?? 0) + (this.#sieve?.bytes ?? 0);
  }

  /** How many staged offers make a sieve worth its pass over the runs, within the memory bound. */
  get batch(): number {
    const most = Math.min(1 << 20, Math.max(256, this.#limit >> 9));
    return Math.min(most, Math.max(16384, Math.floor(this.#inRuns / 100)));
  }

  /** Looks a fingerprint up. After "new", {@linkcode SeenSet.insert} may follow at once. */
  look(hi: number, lo: number): Sight {
    if (this.#table.has(hi, lo)) return "known";
    if (!this.spilled) return "new";
    const recent = this.#recent ??= new Uint32Array(recentSize(this.#limit));
    const at = (lo & (recent.length / 2 - 1)) * 2;
    return recent[at] === lo && recent[at + 1] === hi ? "known" : "unsure";
  }

  /** Notes that an offer is staged or that its URL is known, so that it is not staged again soon. */
  remember(hi: number, lo: number): void {
    const recent = this.#recent ??= new Uint32Array(recentSize(this.#limit));
    const at = (lo & (recent.length / 2 - 1)) * 2;
    recent[at] = lo;
    recent[at + 1] = hi;
  }

  /** Puts in the fingerprint just looked up as new. */
  insert(hi: number, lo: number): void {
    this.#table.insert(hi, lo);
    this.#fresh.push(hi, lo);
    if (this.#table.full && !this.spilled) this.#startSpill();
  }

  /** Puts in a fingerprint that a sieve let through; whether it was new. */
  add(hi: number, lo: number): boolean {
    if (!this.#table.add(hi, lo)) return false;
    this.#fresh.push(hi, lo);
    return true;
  }

  /** Puts in a fingerprint that the journal has, at an opening. */
  replay(hi: number, lo: number): void {
    this.add(hi, lo);
    if (this.#table.full) this.#spillNow();
  }

  /**
   * Offers wait to be sieved, at an opening: what comes now is sieved too, as it was before, and does not
   * overtake them. Where no run is whole yet, the one that was being written is begun again.
   */
  goOnSieving(): void {
    if (!this.spilled) this.#startSpill();
  }

  /** A generation of the journal ends: what it has is to be written out by {@linkcode SeenSet.save}. */
  turn(): void {
    this.#ending = this.#fresh;
    this.#saved = 0;
    this.#fresh = new KeyList();
  }

  /** Writes some fingerprints of the generation that ends; whether there were any left. */
  save(): boolean {
    const { length } = this.#ending;
    if (this.#saved >= length) {
      this.#ending = new KeyList();
      this.#saved = 0;
      return false;
    }
    const to = Math.min(length, this.#saved + CHUNK);
    this.#store.begin();
    this.#store.sql("insert into seen(id, keys) values(null, ?)")
      .run(this.#ending.bytes(this.#saved, to));
    this.#saved = to;
    return true;
  }

  /** Whether a slice of background work waits: a run half written, rows that a run has replaced. */
  get busy(): boolean {
    return this.#spill !== undefined || this.#clearTo > 0;
  }

  /** One slice of that work, some milliseconds long. */
  work(): void {
    if (this.#spill !== undefined) this.#spillPart();
    else if (this.#clearTo > 0) this.#clearRows();
  }

  /** Begins a sieve of staged fingerprints. Until it ends nothing but it may put any in. */
  startSieve(keys: BigUint64Array<ArrayBuffer>): Sieve {
    const sieve = new Sieve(this.#store, keys, this.#runs);
    sieve.markKnown((hi, lo) => this.#table.has(hi, lo));
    return this.#sieve = sieve;
  }

  endSieve(): void {
    this.#sieve = undefined;
    // The next sieve must fit as well.
    if (this.#table.full || this.#table.bytes + this.batch * 14 > this.#limit) this.#startSpill();
  }

  #spillNow(lastRow?: number): void {
    this.#startSpill(lastRow);
    while (this.busy) this.work();
    this.#store.commit();
  }

  #startSpill(lastRow?: number): void {
    const last = lastRow ??
      Number(this.#store.sql("select max(id) as id from seen").get()?.id ?? 0);
    this.#spill = { part: 0, chunk: 0, lastRow: last };
  }

  #spillPart(): void {
    const spill = this.#spill!;
    const keys = this.#table.sorted(spill.part);
    this.#store.begin();
    for (let from = 0; from < keys.length; from += CHUNK) {
      const part = keys.subarray(from, from + CHUNK);
      this.#store.sql("insert into runs values(?, ?, ?)").run(
        this.#runs,
        spill.chunk++,
        new Uint8Array(part.buffer, part.byteOffset, part.byteLength),
      );
    }
    if (++spill.part < this.#table.partitions) return;
    this.#inRuns += this.#table.count;
    this.#store.setMeta("runs", ++this.#runs);
    this.#store.setMeta("run_keys", this.#inRuns);
    this.#clearTo = spill.lastRow;
    this.#spill = undefined;
    this.#table.clear();
    this.#fresh = new KeyList();
    this.#ending = new KeyList();
  }

  #clearRows(): void {
    this.#store.begin();
    const { changes } = this.#store.sql(
      "delete from seen where id in (select id from seen where id <= ? order by id limit 64)",
    ).run(this.#clearTo);
    if (changes === 0) this.#clearTo = 0;
  }
}

/** One pass of staged fingerprints over the runs, in slices. */
export class Sieve {
  readonly #store: Store;
  readonly #runs: number;
  /** Sorted, without repeats. */
  readonly #keys: Uint32Array;
  readonly #known: Uint8Array;
  readonly #count: number;
  #run = 0;
  #chunk = 0;
  #at = 0;

  constructor(store: Store, keys: BigUint64Array<ArrayBuffer>, runs: number) {
    this.#store = store;
    this.#runs = runs;
    keys.sort();
    let count = 0;
    for (let i = 0; i < keys.length; i++) {
      if (i === 0 || keys[i] !== keys[count - 1]) keys[count++] = keys[i]!;
    }
    this.#count = count;
    this.#keys = new Uint32Array(keys.buffer, 0, count * 2);
    this.#known = new Uint8Array(count);
  }

  get bytes(): number {
    return this.#keys.buffer.byteLength + this.#known.byteLength;
  }

  markKnown(has: (hi: number, lo: number) => boolean): void {
    for (let i = 0; i < this.#count; i++) {
      if (has(this.#keys[i * 2 + 1]!, this.#keys[i * 2]!)) this.#known[i] = 1;
    }
  }

  /** Reads one slice of the runs; false when all are read. */
  scan(): boolean {
    if (this.#run >= this.#runs) return false;
    const rows = this.#store.sql(
      "select chunk, keys from runs where run = ? and chunk >= ? order by chunk limit 32",
    ).all(this.#run, this.#chunk) as unknown as { chunk: number; keys: Uint8Array }[];
    const keys = this.#keys, count = this.#count;
    let at = this.#at;
    for (const row of rows) {
      const halves = toHalves(row.keys);
      this.#chunk = row.chunk + 1;
      for (let i = 0; i < halves.length && at < count;) {
        const hi = halves[i + 1]!, mine = keys[at * 2 + 1]!;
        if (hi < mine) i += 2;
        else if (hi > mine) at++;
        else {
          const lo = halves[i]!, low = keys[at * 2]!;
          if (lo < low) i += 2;
          else if (lo > low) at++;
          else {
            this.#known[at++] = 1;
            i += 2;
          }
        }
      }
    }
    this.#at = at;
    if (rows.length === 0 || at >= count) {
      this.#run++;
      this.#chunk = this.#at = 0;
    }
    return true;
  }

  /** Whether a staged fingerprint is new; says so once. */
  claim(hi: number, lo: number): boolean {
    let low = 0, high = this.#count - 1;
    const keys = this.#keys;
    while (low <= high) {
      const mid = (low + high) >> 1;
      const h = keys[mid * 2 + 1]!, l = keys[mid * 2]!;
      if (h === hi && l === lo) {
        if (this.#known[mid] === 1) return false;
        this.#known[mid] = 1;
        return true;
      }
      if (h < hi || (h === hi && l < lo)) low = mid + 1;
      else high = mid - 1;
    }
    throw new RangeError("Cannot sieve: the fingerprint is not of this batch");
  }
}

/** The halves of stored fingerprints, low first. */
export function toHalves(keys: Uint8Array): Uint32Array {
  return keys.byteOffset % 4 === 0
    ? new Uint32Array(keys.buffer, keys.byteOffset, keys.byteLength >> 2)
    : new Uint32Array(keys.slice().buffer);
}

/** Halves of the direct-mapped memory: a sixteenth of the bound, a power of two. */
function recentSize(limit: number): number {
  return 2 ** Math.max(6, Math.floor(Math.log2(limit / 16 / 4)));
}
