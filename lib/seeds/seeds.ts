/**
 * Seeds: the hosts of a rank table that a crawl begins with.
 *
 * @module
 */

import { ASSUMED_RATE, LAST_POSITION, type Tier, tierOf } from "../sched/mod.ts";
import {
  copyHost,
  copyValue,
  hostAt,
  type RankRows,
  type RankStats,
  readRanks,
  valueAt,
} from "./ranks.ts";

/** A host to begin with. */
export interface HostSeed {
  /** Name of the host, lower case. */
  readonly host: string;
  /** `https://<host>/`. */
  readonly url: string;
  /** By position and rate. */
  readonly tier: Tier;
  /** Harmonic centrality. */
  readonly priority: number;
}

/** Finds the change rate of a host. */
export interface RateLookup {
  /** The measured rate, 0 to 1; `undefined` where none is known. */
  rateOf(host: string): number | undefined;
}

/** Options of {@linkcode readSeeds}. */
export interface SeedOptions {
  /** Hosts of a tier above this are left out. @default 5 */
  readonly maxTier?: Tier;
  /** Most seeds. @default no bound */
  readonly maxSeeds?: number;
  /** Measured change rates. @default {@linkcode ASSUMED_RATE} for each host */
  readonly rates?: RateLookup;
}

/** Seeds that were found together. They last until the next are asked for. */
export interface SeedBatch {
  /** How many seeds. */
  readonly count: number;
  /** One of them. */
  at(index: number): HostSeed;
  /** All of them as JSON lines: `host`, `url`, `tier`, `priority`. */
  lines(): Uint8Array;
}

/**
 * Picks seeds from a table, in its order. Stops reading once nothing later can be one: the number is
 * reached, or positions have passed the last that `maxTier` can hold. In a table that is not in order a
 * better position may come at any place, so there the number alone stops it.
 *
 * @param table The table's bytes, unpacked.
 * @param stats Counts of what was read.
 */
export async function* readSeeds(
  table: AsyncIterable<Uint8Array>,
  stats: RankStats,
  options: SeedOptions = {},
): AsyncGenerator<SeedBatch, void, unknown> {
  const { maxTier = 5, maxSeeds = Infinity, rates } = options;
  const last = LAST_POSITION[maxTier];
  let left = maxSeeds;
  if (left <= 0) return;
  const batch = new Batch();
  for await (const rows of readRanks(table, stats)) {
    batch.begin(rows);
    let over = false;
    for (let i = 0; i < rows.count && left > 0; i++) {
      const position = rows.positions[i]!;
      if (position > last) {
        over = stats.ordered;
        if (over) break;
        continue;
      }
      const rate = rates === undefined
        ? ASSUMED_RATE
        : rates.rateOf(hostAt(rows, i)) ?? ASSUMED_RATE;
      const tier = tierOf(position, rate);
      if (tier > maxTier) continue;
      batch.add(i, tier);
      left--;
    }
    if (batch.count > 0) yield batch;
    if (over || left === 0) return;
  }
}

const HOST = ascii('{"host":"');
const URL_ = ascii('","url":"https://');
const TIER = ascii('/","tier":');
const PRIORITY = ascii(',"priority":');
/** Of a line besides twice the host and the value. */
const CONSTANT = HOST.length + URL_.length + TIER.length + PRIORITY.length + 3;
/** Of a value whose exponent is written out. */
const MOST_VALUE = 64;

class Batch implements SeedBatch {
  count = 0;
  #rows: RankRows | undefined;
  #picked = new Int32Array(8192);
  #tiers = new Uint8Array(8192);
  #size = 0;
  #lines = new Uint8Array(1 << 20);

  begin(rows: RankRows): void {
    this.#rows = rows;
    this.count = 0;
    this.#size = 0;
    if (rows.count > this.#picked.length) {
      this.#picked = new Int32Array(rows.positions.length);
      this.#tiers = new Uint8Array(rows.positions.length);
    }
  }

  add(i: number, tier: Tier): void {
    const rows = this.#rows!;
    this.#picked[this.count] = i;
    this.#tiers[this.count++] = tier;
    this.#size += CONSTANT + MOST_VALUE + 2 * (rows.hostEnds[i]! - rows.hostStarts[i]!);
  }

  at(index: number): HostSeed {
    if (!(index >= 0 && index < this.count)) {
      throw new RangeError(`Cannot give seed ${index} of ${this.count}`);
    }
    const rows = this.#rows!;
    const i = this.#picked[index]!;
    const host = hostAt(rows, i);
    return {
      host,
      url: `https://${host}/`,
      tier: this.#tiers[index] as Tier,
      priority: valueAt(rows, i),
    };
  }

  lines(): Uint8Array {
    const rows = this.#rows!;
    if (this.#lines.length < this.#size) this.#lines = new Uint8Array(this.#size);
    const out = this.#lines;
    let at = 0;
    for (let n = 0; n < this.count; n++) {
      const i = this.#picked[n]!;
      at = put(HOST, out, at);
      const host = at;
      at = copyHost(rows, i, out, at);
      const end = at;
      at = put(URL_, out, at);
      for (let from = host; from < end; from++) out[at++] = out[from]!;
      at = put(TIER, out, at);
      out[at++] = 0x30 + this.#tiers[n]!;
      at = put(PRIORITY, out, at);
      at = copyValue(rows, i, out, at);
      out[at++] = 0x7d;
      out[at++] = 10;
    }
    return out.subarray(0, at);
  }
}

function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function put(constant: Uint8Array, into: Uint8Array, at: number): number {
  for (let i = 0; i < constant.length; i++) into[at++] = constant[i]!;
  return at;
}
