/**
 * How often hosts are visited, and which of them have pages that wait for moments of another pace.
 *
 * @module
 */

import { INTERVAL_HOURS } from "../tiers/tiers.ts";
import type { Store } from "./_store.ts";

/** Hosts whose pace is remembered. */
const MAX_PACES = 4096;
/** The pace of hosts of which nothing is known: rank unknown, and the rate assumed then. */
const UNKNOWN = INTERVAL_HOURS[3]! * 3_600_000;

const TABLE = "create table if not exists paces(host integer primary key, pace integer not null)";
/** Hosts whose pages were given moments before the pace was another one. */
const STALE = "create table if not exists stale_paces(host integer primary key)";

/** The paces of a state, by 48 bits of the host's fingerprint. */
export class Paces {
  readonly #store: Store;
  /** One interval for all hosts, in ms. */
  readonly #given: number | undefined;
  readonly #known = new Map<number, number>();
  #any: boolean;
  #anyStale: boolean;

  /** @param intervalMs Undefined where hosts have paces of their own. */
  constructor(store: Store, intervalMs: number | undefined) {
    this.#store = store;
    this.#given = intervalMs;
    store.begin();
    store.db.exec(`${TABLE}; ${STALE}`);
    this.#any = store.sql("select 1 from paces limit 1").get() !== undefined;
    this.#anyStale = store.sql("select 1 from stale_paces limit 1").get() !== undefined;
  }

  /** The interval of a host's pages in ms, before what visits show moves it; 0 for one visit only. */
  of(host: number): number {
    return this.#given ?? this.#own(host);
  }

  #own(host: number): number {
    if (!this.#any) return UNKNOWN;
    let pace = this.#known.get(host);
    if (pace === undefined) {
      pace = this.#store.sql("select pace from paces where host = ?").get(host)?.pace as
        | number
        | undefined;
      pace ??= UNKNOWN;
      if (this.#known.size >= MAX_PACES) this.#known.clear();
      this.#known.set(host, pace);
    }
    return pace;
  }

  /** Says how often a host is visited. Pages of it that were visited before have yet to hear of it. */
  set(host: number, intervalMs: number): void {
    if (this.#own(host) === intervalMs) return;
    this.#store.sql("insert or replace into paces values(?, ?)").run(host, intervalMs);
    this.#known.delete(host);
    this.#any = true;
    if (this.#given !== undefined) return;
    const visited = this.#store.sql("select 1 from visits where host = ? limit 1").get(host);
    if (visited === undefined) return;
    this.#store.sql("insert or ignore into stale_paces values(?)").run(host);
    this.#anyStale = true;
  }

  /** A host whose pages have yet to hear of its pace. */
  stale(): number | undefined {
    if (!this.#anyStale) return undefined;
    const row = this.#store.sql("select host from stale_paces limit 1").get();
    this.#anyStale = row !== undefined;
    return row?.host as number | undefined;
  }

  /** All pages of a host have heard of its pace. */
  heard(host: number): void {
    this.#store.sql("delete from stale_paces where host = ?").run(host);
  }
}
