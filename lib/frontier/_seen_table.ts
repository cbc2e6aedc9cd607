/**
 * The seen set in memory: 64-bit fingerprints in open addressing, split into partitions by their
 * first bits. Partitions grow one by one and by a quarter, so that growing stalls for a few
 * milliseconds, the memory held while growing is one partition's, and the fill stays near 0.72:
 * about eleven bytes a URL.
 *
 * @module
 */

const MAX_FILL = 0.8;
const GROWTH = 1.25;

/** A set of 64-bit numbers, each given as two unsigned halves. */
export class SeenTable {
  /** Numbers held. */
  count = 0;
  /** Bytes of the tables. */
  bytes = 0;
  readonly #limit: number;
  readonly #shift: number;
  readonly #tables: Uint32Array[] = [];
  readonly #fills: Uint32Array;
  readonly #first: number;
  // Where the last look-up that found nothing ended: the place for `insert`.
  #slot = 0;

  /** `limit` is the bound on `bytes`; reaching it makes the table {@linkcode SeenTable.full}. */
  constructor(limit: number) {
    this.#limit = limit;
    const bits = limit >= 1 << 20 ? 8 : 2;
    this.#shift = 32 - bits;
    this.#first = limit >= 1 << 20 ? 64 : 16;
    this.#fills = new Uint32Array(1 << bits);
    this.clear();
  }

  /** Whether one more growth would pass the bound: time to write the table out and start anew. */
  get full(): boolean {
    return this.bytes + (this.bytes / this.#tables.length) * (GROWTH - 1) * 2 > this.#limit;
  }

  get partitions(): number {
    return this.#tables.length;
  }

  clear(): void {
    const slots = this.#first;
    for (let i = 0; i < this.#fills.length; i++) this.#tables[i] = new Uint32Array(slots * 2);
    this.#fills.fill(0);
    this.count = 0;
    this.bytes = this.#fills.length * slots * 8;
  }

  /** Makes an empty table as large as `count` numbers will need, within its bound. */
  reserve(count: number): void {
    const most = Math.floor(this.#limit / GROWTH / 8);
    const slots = Math.ceil(Math.min(count / MAX_FILL * 1.05, most) / this.#fills.length);
    if (slots <= this.#first) return;
    for (let i = 0; i < this.#fills.length; i++) this.#tables[i] = new Uint32Array(slots * 2);
    this.bytes = this.#fills.length * slots * 8;
  }

  /** Whether the number is held. When it is not, {@linkcode SeenTable.insert} may follow at once. */
  has(hi: number, lo: number): boolean {
    // All zero marks an empty slot, so that one fingerprint shares the place of its neighbour.
    if ((hi | lo) === 0) lo = 1;
    const table = this.#tables[hi >>> this.#shift]!;
    const slots = table.length / 2;
    let slot = Math.floor(lo * slots / 4294967296);
    for (;;) {
      const low = table[slot * 2]!, high = table[slot * 2 + 1]!;
      if (low === lo && high === hi) return true;
      if ((low | high) === 0) {
        this.#slot = slot;
        return false;
      }
      if (++slot === slots) slot = 0;
    }
  }

  /** Puts in the number that {@linkcode SeenTable.has} has just not found. */
  insert(hi: number, lo: number): void {
    if ((hi | lo) === 0) lo = 1;
    const part = hi >>> this.#shift;
    const table = this.#tables[part]!;
    table[this.#slot * 2] = lo;
    table[this.#slot * 2 + 1] = hi;
    this.count++;
    if (++this.#fills[part]! > table.length / 2 * MAX_FILL) this.#grow(part);
  }

  /** Puts the number in unless it is held; whether it was new. */
  add(hi: number, lo: number): boolean {
    if (this.has(hi, lo)) return false;
    this.insert(hi, lo);
    return true;
  }

  /**
   * Puts in many numbers, halves low first. They are brought together by partition before, so that
   * each part of the table is in the processor's cache once and not at every number.
   */
  addAll(lists: readonly Uint32Array[]): void {
    const starts = new Uint32Array(this.#fills.length + 1);
    for (const list of lists) {
      for (let i = 1; i < list.length; i += 2) starts[(list[i]! >>> this.#shift) + 1]! += 2;
    }
    for (let i = 1; i < starts.length; i++) starts[i]! += starts[i - 1]!;
    const all = new Uint32Array(starts[starts.length - 1]!);
    for (const list of lists) {
      for (let i = 0; i < list.length; i += 2) {
        const part = list[i + 1]! >>> this.#shift;
        const at = starts[part]!;
        all[at] = list[i]!;
        all[at + 1] = list[i + 1]!;
        starts[part] = at + 2;
      }
    }
    for (let i = 0; i < all.length; i += 2) this.add(all[i + 1]!, all[i]!);
  }

  /** The numbers of one partition in order. Those of the next are all greater. */
  sorted(part: number): BigUint64Array<ArrayBuffer> {
    const table = this.#tables[part]!;
    const keys = new BigUint64Array(this.#fills[part]!);
    const halves = new Uint32Array(keys.buffer);
    let at = 0;
    for (let i = 0; i < table.length; i += 2) {
      if ((table[i]! | table[i + 1]!) === 0) continue;
      halves[at++] = table[i]!;
      halves[at++] = table[i + 1]!;
    }
    return keys.sort();
  }

  #grow(part: number): void {
    const old = this.#tables[part]!;
    const slots = Math.ceil(old.length / 2 * GROWTH);
    const table = new Uint32Array(slots * 2);
    for (let i = 0; i < old.length; i += 2) {
      const lo = old[i]!, hi = old[i + 1]!;
      if ((lo | hi) === 0) continue;
      let slot = Math.floor(lo * slots / 4294967296);
      while ((table[slot * 2]! | table[slot * 2 + 1]!) !== 0) if (++slot === slots) slot = 0;
      table[slot * 2] = lo;
      table[slot * 2 + 1] = hi;
    }
    this.#tables[part] = table;
    this.bytes += table.byteLength - old.byteLength;
  }
}
