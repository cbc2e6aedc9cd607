/**
 * Pages that are visited again: when each is due, and what the engine keeps about it. They lie in a
 * table by the fingerprints of their host and URL, so that those of a host, which come one after the
 * other, are near each other; what is due goes back into its host's queue, past the seen set.
 * A visit that is queued, or under lease, has no due moment.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { INTERVAL_HOURS } from "../tiers/tiers.ts";
import { nextInterval } from "../tiers/revisit.ts";
import { asBuffer, ByteReader, ByteWriter } from "./_bytes.ts";
import type { StateClock } from "./_clock.ts";
import type { Counters } from "./_counters.ts";
import { readDoneRow } from "./_done.ts";
import { type Entry, RawEntry } from "./_entry.ts";
import type { Fingerprints } from "./_fingerprint.ts";
import { depthOf, foldDepth, levelOf } from "./_listed.ts";
import type { Queues } from "./_queues.ts";
import type { Store } from "./_store.ts";
import { eachLine, hostEnd, hostStart } from "./_url.ts";
import type { Completion, FrontierStats, HostPace, RecrawlSettings } from "./types.ts";

/** Rows brought in by one slice of work. */
const SLICE = 128;
/** Hosts whose pace is remembered. */
const MAX_PACES = 4096;
const HOUR = 3_600_000;
/** How far a server's clock, or its notion of time zones, may be ahead. */
const DAY = 24 * HOUR;
/** The tier of hosts of which nothing is known: rank unknown, and the rate assumed then. */
const BASE = INTERVAL_HOURS[3]! * HOUR;
const TAB = 9;

const TABLES = `
create table if not exists visits(host integer not null, id integer not null, due integer,
  body blob not null, primary key(host, id)) without rowid;
create index if not exists visits_due on visits(due) where due is not null;
create table if not exists paces(host integer primary key, pace integer not null);
`;

/** What visits work with. */
export interface VisitParts {
  readonly store: Store;
  readonly clock: StateClock;
  readonly counters: Counters;
  readonly queues: Queues;
  readonly fingerprints: Fingerprints;
}

/** A row, read. */
interface Visit {
  readonly url: string;
  readonly priority: number;
  /** With the level; see `_listed.ts`. */
  readonly depth: number;
  readonly interval: number;
  /** The state's moment of the last visit. */
  readonly last: number;
  readonly memo: Uint8Array;
}

/** Whether a state has ever been crawled again and again. */
export function hasVisits(store: Store): boolean {
  return store.sql("select 1 from sqlite_schema where name = 'visits'").get() !== undefined;
}

/** Visits that a state's table holds that are due by `now`, and the soonest moment of one. */
export function visitsDue(store: Store, now: number): { due: number; next: number } {
  const { n } = store.sql("select count(*) as n from visits where due <= ?").get(now)!;
  const { next } = store.sql("select min(due) as next from visits where due is not null").get()!;
  return { due: n as number, next: (next as number | null) ?? Infinity };
}

/** The figures of visits; `offset` turns the state's moments into Unix ms. */
export function visitStats(
  { visits, revisiting }: Counters,
  { due, next }: { due: number; next: number },
  offset: number,
): NonNullable<FrontierStats["visits"]> {
  return {
    waiting: visits - revisiting - due,
    due: revisiting + due,
    ...(next < Infinity ? { next: next + offset } : {}),
  };
}

/** The visits of a state. Where it has none, and is not to have any, nothing happens. */
export class Visits {
  readonly #parts: VisitParts;
  readonly #settings: RecrawlSettings | undefined;
  readonly #active: boolean;
  readonly #out = new ByteWriter();
  readonly #raw = new RawEntry();
  readonly #paces = new Map<number, number>();
  #anyPace: boolean;
  /** No row is due before. */
  #nextDue = 0;
  /** Which URLs of the log of ends have yet to be given a visit: those of the crawl before it had any. */
  #fill: { next: number; readonly until: number } | undefined;

  /** @param settings Undefined keeps what there is up to date, and brings nothing in. */
  constructor(parts: VisitParts, settings: RecrawlSettings | undefined) {
    this.#parts = parts;
    this.#settings = settings;
    const { store, counters } = parts;
    const made = hasVisits(store);
    this.#active = made || settings !== undefined;
    if (!made && this.#active) {
      store.begin();
      store.db.exec(TABLES);
      store.setMeta("visits filled", JSON.stringify({ next: 0, until: counters.ended }));
    }
    this.#anyPace = this.#active && store.sql("select 1 from paces limit 1").get() !== undefined;
    if (settings === undefined) return;
    const fill = JSON.parse(String(store.getMeta("visits filled"))) as {
      next: number;
      until: number;
    };
    if (fill.next < fill.until) this.#fill = fill;
    // Nobody is to see a state in which there is nothing to come back to yet.
    while (this.#fill !== undefined && counters.visits === 0) this.#fillSome(this.#fill);
  }

  /** Says how often hosts are visited. */
  setPaces(paces: readonly HostPace[]): void {
    if (!this.#active) return;
    const { store, fingerprints } = this.#parts;
    store.begin();
    for (const { host, intervalMs } of paces) {
      fingerprints.ofText(host);
      const id = hostId(fingerprints.hi, fingerprints.lo);
      this.#paces.delete(id);
      store.sql("insert or replace into paces values(?, ?)").run(id, intervalMs);
      this.#anyPace = true;
    }
  }

  /** What is kept about a page that is handed out; undefined for one that was never visited. */
  memo(url: string): Uint8Array | undefined {
    if (!this.#active || this.#parts.counters.revisiting === 0) return undefined;
    const found = this.#find(url);
    return found?.due === null ? found.visit.memo : undefined;
  }

  /** A lease has ended, and not with `again`. */
  ended({ url, priority, depth }: Entry, completion: Completion): void {
    if (!this.#active) return;
    const found = this.#find(url);
    const base = isVisited(completion) ? this.#base(url) : 0;
    if (base === 0) {
      if (found !== undefined) this.#remove(found.due);
      return;
    }
    const { counters, clock } = this.#parts;
    const now = clock.now();
    if (this.#taken) return;
    const interval = nextInterval(found?.visit.interval, base, completion.verdict ?? "unknown");
    this.#save(now + interval, {
      url,
      priority,
      depth,
      interval,
      last: now,
      memo: completion.memo ?? found?.visit.memo ?? new Uint8Array(),
    });
    if (found === undefined) counters.visits++;
    else if (found.due === null) counters.revisiting--;
  }

  /** A queued URL has ended because its host is left out. */
  forget(url: string): void {
    if (!this.#active) return;
    const found = this.#find(url);
    if (found !== undefined) this.#remove(found.due);
  }

  /**
   * Sitemaps say when pages changed: lines of a URL, a tab, and Unix ms. Those that were visited before
   * are due at once.
   */
  changed(lines: Uint8Array): void {
    if (!this.#active) return;
    const { clock } = this.#parts;
    const bytes = asBuffer(lines), now = clock.now();
    eachLine(bytes, (start, end) => {
      const tab = bytes.indexOf(TAB, start);
      if (tab < 0 || tab >= end) return;
      const found = this.#find(bytes.toString("utf8", start, tab));
      const at = Number(bytes.toString("latin1", tab + 1, end));
      if (found === undefined || found.due === null || found.due <= now) return;
      if (at > clock.toWall(found.visit.last) && at <= clock.toWall(now) + DAY) {
        this.#save(now, found.visit);
      }
    });
  }

  /** A slice of background work; whether there was some. */
  work(): boolean {
    if (this.#settings === undefined) return false;
    if (this.#fill !== undefined) return this.#fillSome(this.#fill);
    const now = this.#parts.clock.now();
    if (this.#nextDue > now) return false;
    return this.#bringDue(now);
  }

  #bringDue(now: number): boolean {
    const { store, counters, queues } = this.#parts;
    const rows = store.sql(
      `select due, body from visits where due <= ? order by due limit ${SLICE}`,
    ).all(now) as unknown as { due: number; body: Uint8Array }[];
    if (rows.length === 0) {
      this.#nextDue = visitsDue(store, now).next;
      return false;
    }
    store.begin();
    const raw = this.#raw;
    for (const { body } of rows) {
      const visit = decode(body);
      const bytes = Buffer.from(visit.url);
      const from = hostStart(bytes, 0, bytes.length), to = hostEnd(bytes, from, bytes.length);
      const host = queues.at(bytes, from, to, true)!;
      this.#identify(visit.url);
      if (host.excluded !== null) {
        this.#remove(0);
        continue;
      }
      store.sql("update visits set due = null where host = ? and id = ?").run(this.#host, this.#id);
      counters.revisiting++;
      counters.live++;
      raw.setUrl(bytes, 0, from, to, bytes.length);
      raw.priority = visit.priority;
      raw.depth = visit.depth;
      raw.attempts = 0;
      raw.seq = counters.nextSeq++;
      queues.append(host, raw, false);
    }
    return true;
  }

  /** Gives visits to what a crawl had done before it was to come back. */
  #fillSome(fill: { next: number; readonly until: number }): boolean {
    const { store, clock, counters } = this.#parts;
    const now = clock.now();
    const urls = readDoneRow(store, fill.next).slice(0, fill.until - fill.next);
    for (const done of urls) {
      const base = isVisited(done) ? this.#base(done.url) : 0;
      if (base === 0 || this.#find(done.url) !== undefined || this.#taken) continue;
      const { url, depth } = done;
      this.#save(now + base, {
        url,
        priority: 1,
        depth,
        interval: base,
        last: now,
        memo: new Uint8Array(),
      });
      counters.visits++;
    }
    fill.next += urls.length;
    store.setMeta("visits filled", JSON.stringify(fill));
    if (urls.length === 0 || fill.next >= fill.until) this.#fill = undefined;
    return true;
  }

  /** The interval of a URL's host in ms; 0 for never. */
  #base(url: string): number {
    const given = this.#settings?.intervalMs;
    if (given !== undefined) return given;
    if (!this.#anyPace) return BASE;
    this.#identify(url);
    const id = this.#host, { store } = this.#parts;
    let pace = this.#paces.get(id);
    if (pace === undefined) {
      pace = store.sql("select pace from paces where host = ?").get(id)?.pace as number | undefined;
      pace ??= BASE;
      if (this.#paces.size >= MAX_PACES) this.#paces.clear();
      this.#paces.set(id, pace);
    }
    return pace;
  }

  #host = 0;
  #id = 0n;
  /** Another URL has that number: the second of the two is not visited again. */
  #taken = false;

  #identify(url: string): void {
    const { fingerprints } = this.#parts;
    const bytes = Buffer.from(url);
    const from = hostStart(bytes, 0, bytes.length);
    fingerprints.ofBytes(bytes, from, hostEnd(bytes, from, bytes.length));
    this.#host = hostId(fingerprints.hi, fingerprints.lo);
    fingerprints.ofBytes(bytes);
    const { hi, lo } = fingerprints;
    this.#id = BigInt.asIntN(64, BigInt(hi >>> 0) << 32n | BigInt(lo >>> 0));
  }

  /** The visit of a URL, whose place is in `#host` and `#id` then. */
  #find(url: string): { due: number | null; visit: Visit } | undefined {
    this.#identify(url);
    const row = this.#parts.store.sql("select due, body from visits where host = ? and id = ?")
      .get(this.#host, this.#id) as unknown as { due: number | null; body: Uint8Array } | undefined;
    this.#taken = false;
    if (row === undefined) return undefined;
    const visit = decode(row.body);
    this.#taken = visit.url !== url;
    return this.#taken ? undefined : { due: row.due, visit };
  }

  #save(due: number, visit: Visit): void {
    this.#identify(visit.url);
    const { store } = this.#parts;
    store.begin();
    store.sql(
      "insert into visits values(?, ?, ?, ?) on conflict(host, id) do update set " +
        "due = excluded.due, body = excluded.body",
    ).run(this.#host, this.#id, due, this.#encode(visit));
    this.#nextDue = Math.min(this.#nextDue, due);
  }

  /** Removes the visit that was just found. */
  #remove(due: number | null): void {
    const { store, counters } = this.#parts;
    store.begin();
    store.sql("delete from visits where host = ? and id = ?").run(this.#host, this.#id);
    counters.visits--;
    if (due === null) counters.revisiting--;
  }

  #encode(visit: Visit): Uint8Array {
    const out = this.#out;
    out.clear();
    out.text(visit.url);
    out.float(visit.priority);
    out.varint(depthOf(visit.depth));
    out.varint(levelOf(visit.depth));
    out.varint(visit.interval);
    out.varint(visit.last);
    out.bytes(visit.memo);
    return out.view();
  }
}

function decode(body: Uint8Array): Visit {
  const from = new ByteReader(body);
  return {
    url: from.text(),
    priority: from.float(),
    depth: foldDepth(from.varint(), from.varint()),
    interval: from.varint(),
    last: from.varint(),
    memo: from.bytes(),
  };
}

/** Whether a page that ended so is come back to: it was asked for, or robots.txt may change its mind. */
function isVisited({ outcome, reason }: { outcome: string; reason: string }): boolean {
  return outcome !== "skipped" || reason === "robots";
}

/** 48 bits of a host's fingerprint. */
function hostId(hi: number, lo: number): number {
  return (hi >>> 0) * 65536 + (lo >>> 16);
}
