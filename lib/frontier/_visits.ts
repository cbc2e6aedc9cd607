/**
 * Pages that are visited again: when each is due, and what the engine keeps about it. They lie in a
 * table by the fingerprints of their host and URL, so that those of a host, which come one after the
 * other, are near each other; what is due goes back into its host's queue, past the seen set.
 * A visit that is queued, or under lease, has no due moment.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { nextInterval } from "../tiers/revisit.ts";
import { asBuffer, ByteWriter } from "./_bytes.ts";
import type { StateClock } from "./_clock.ts";
import type { Counters } from "./_counters.ts";
import { readDoneRow } from "./_done.ts";
import { type Entry, RawEntry } from "./_entry.ts";
import type { Fingerprints } from "./_fingerprint.ts";
import { Paces } from "./_paces.ts";
import type { Queues } from "./_queues.ts";
import type { Store } from "./_store.ts";
import { eachLine, hostEnd, hostStart } from "./_url.ts";
import { decodeVisit, encodeVisit, type Visit } from "./_visit_row.ts";
import type { Completion, FrontierStats, HostPace, RecrawlSettings } from "./types.ts";

/** Rows brought in by one slice of work. */
const SLICE = 128;
/** How far a server's clock, or its notion of time zones, may be ahead. */
const DAY = 24 * 3_600_000;
/** When a page is due whose host is visited once: its row waits for the day that this changes. */
const NEVER = Number.MAX_SAFE_INTEGER;
const TAB = 9;
/** Where the state says by which interval for all hosts its pages wait, if by one. */
const GIVEN = "visits given";
/** Where it says how far a change of that one has come. */
const RETIMED = "visits retimed";

const TABLES = `
create table if not exists visits(host integer not null, id integer not null, due integer,
  body blob not null, primary key(host, id)) without rowid;
create index if not exists visits_due on visits(due) where due is not null;
`;

/** What visits work with. */
export interface VisitParts {
  readonly store: Store;
  readonly clock: StateClock;
  readonly counters: Counters;
  readonly queues: Queues;
  readonly fingerprints: Fingerprints;
}

/** Where a pass over the rows stands: behind that one. */
interface Place {
  readonly host: number;
  readonly id: bigint;
}

interface Row {
  readonly due: number | null;
  readonly body: Uint8Array;
}

/** In front of every row of a host. */
const FIRST = -(2n ** 63n);

/** Whether a state has ever been crawled again and again. */
export function hasVisits(store: Store): boolean {
  return store.sql("select 1 from sqlite_schema where name = 'visits'").get() !== undefined;
}

/** Visits that a state's table holds that are due by `now`, and the soonest moment of one. */
export function visitsDue(store: Store, now: number): { due: number; next: number } {
  const { n } = store.sql("select count(*) as n from visits where due <= ?").get(now)!;
  const { next } = store.sql("select min(due) as next from visits where due is not null").get()!;
  return { due: n as number, next: next === null || next === NEVER ? Infinity : next as number };
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
  readonly #paces: Paces | undefined;
  /** How far pages have come to wait by another interval for all hosts than before. */
  #retiming: Place | undefined;
  /** The host whose pages come to wait by another pace, and how far. */
  #stale: Place | undefined;
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
    // A run that does not come back to pages has them wait as the one before said.
    const given = settings === undefined ? Number(store.getMeta(GIVEN) ?? 0) : settings.intervalMs;
    this.#paces = this.#active ? new Paces(store, given || undefined) : undefined;
    if (settings === undefined) return;
    this.#given(settings.intervalMs ?? 0, made);
    const fill = JSON.parse(String(store.getMeta("visits filled"))) as {
      next: number;
      until: number;
    };
    if (fill.next < fill.until) this.#fill = fill;
    while (this.#fill !== undefined && counters.visits === 0) this.#fillSome(this.#fill);
    this.#settle();
  }

  /** Nobody is to see a state in which there is nothing to come back to yet. */
  #settle(): void {
    if (this.#settings === undefined) return;
    while (this.#parts.counters.visits === 0 && this.#retimeSome());
  }

  /** Takes note of the one interval for all hosts, 0 for none; pages that wait by another are retimed. */
  #given(intervalMs: number, made: boolean): void {
    const { store } = this.#parts;
    const before = store.getMeta(GIVEN);
    if (before !== intervalMs) {
      store.setMeta(GIVEN, intervalMs);
      if (made && before !== undefined) this.#retime({ host: -1, id: FIRST });
    } else {
      const [host, id] = JSON.parse(String(store.getMeta(RETIMED) ?? "[]")) as [number?, string?];
      if (host !== undefined) this.#retiming = { host, id: BigInt(id!) };
    }
  }

  #retime(place: Place | undefined): void {
    this.#retiming = place;
    const text = place === undefined ? "[]" : JSON.stringify([place.host, String(place.id)]);
    this.#parts.store.setMeta(RETIMED, text);
  }

  /** Says how often hosts are visited. */
  setPaces(paces: readonly HostPace[]): void {
    if (this.#paces === undefined) return;
    const { store, fingerprints } = this.#parts;
    store.begin();
    for (const { host, intervalMs } of paces) {
      fingerprints.ofText(host);
      this.#paces.set(hostId(fingerprints.hi, fingerprints.lo), intervalMs);
    }
    this.#settle();
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
    if (!isVisited(completion)) {
      if (found !== undefined) this.#remove(found.due);
      return;
    }
    if (this.#taken) return;
    const now = this.#parts.clock.now();
    const base = this.#base();
    const before = found && scaled(found.visit, base);
    const interval = nextInterval(before, base, completion.verdict ?? "unknown");
    const due = base === 0 ? NEVER : now + interval;
    this.#save(due, {
      url,
      priority,
      depth,
      interval,
      base,
      last: now,
      memo: completion.memo ?? found?.visit.memo ?? new Uint8Array(),
    });
    this.#count(found?.due, due);
    this.#settle();
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
      if (found.due === NEVER) return;
      if (at > clock.toWall(found.visit.last) && at <= clock.toWall(now) + DAY) {
        this.#save(now, found.visit);
      }
    });
  }

  /** A slice of background work; whether there was some. */
  work(): boolean {
    if (this.#settings === undefined) return false;
    if (this.#fill !== undefined) return this.#fillSome(this.#fill);
    const retimed = this.#retimeSome();
    this.#settle();
    const now = this.#parts.clock.now();
    return this.#nextDue <= now && this.#bringDue(now) || retimed;
  }

  /** Pages that wait by another pace than their host's are due by its own. */
  #retimeSome(): boolean {
    const all = this.#retiming;
    if (all !== undefined) {
      const rows = this.#parts.store.sql(
        `select due, body from visits where (host, id) > (?, ?) order by host, id limit ${SLICE}`,
      ).all(all.host, all.id);
      this.#retime(this.#retimeRows(rows as unknown as Row[]));
      return true;
    }
    const host = this.#stale?.host ?? this.#paces?.stale();
    if (host === undefined) return false;
    const rows = this.#parts.store.sql(
      `select due, body from visits where host = ? and id > ? order by id limit ${SLICE}`,
    ).all(host, this.#stale?.id ?? FIRST);
    this.#parts.store.begin();
    this.#stale = this.#retimeRows(rows as unknown as Row[]);
    if (this.#stale === undefined) this.#paces!.heard(host);
    return true;
  }

  /** Where to go on; undefined where these rows were the last. */
  #retimeRows(rows: readonly Row[]): Place | undefined {
    for (const { due, body } of rows) {
      const visit = decodeVisit(body);
      this.#identify(visit.url);
      // What is queued is given its next moment when it was visited.
      if (due !== null) this.#retimed(due, visit);
    }
    return rows.length < SLICE ? undefined : { host: this.#host, id: this.#id };
  }

  /** When a page that was identified is due by its host's pace, which its row has then. */
  #retimed(due: number, visit: Visit): number {
    const base = this.#base();
    if (base === visit.base) return due;
    const interval = nextInterval(scaled(visit, base), base, "unknown");
    let next = base === 0 ? NEVER : visit.last + interval;
    // A sitemap had it sooner.
    if (base > 0 && due < visit.last + visit.interval) next = Math.min(next, due);
    this.#save(next, { ...visit, interval, base });
    this.#count(due, next);
    return next;
  }

  /** Counts a page whose row had one due moment and has another; undefined where there was none. */
  #count(before: number | null | undefined, due: number): void {
    const { counters } = this.#parts;
    if (before === null) counters.revisiting--;
    const waited = before !== undefined && before !== NEVER;
    if (waited !== (due !== NEVER)) counters.visits += waited ? -1 : 1;
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
    for (const { due, body } of rows) {
      const visit = decodeVisit(body);
      const bytes = Buffer.from(visit.url);
      const from = hostStart(bytes, 0, bytes.length), to = hostEnd(bytes, from, bytes.length);
      const host = queues.at(bytes, from, to, true)!;
      this.#identify(visit.url);
      if (host.excluded !== null) {
        this.#remove(0);
        continue;
      }
      if (this.#retimed(due, visit) > now) continue;
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
    const { store, clock } = this.#parts;
    const now = clock.now();
    const urls = readDoneRow(store, fill.next).slice(0, fill.until - fill.next);
    for (const done of urls) {
      if (!isVisited(done) || this.#find(done.url) !== undefined || this.#taken) continue;
      const { url, depth } = done;
      const base = this.#base();
      const due = base === 0 ? NEVER : now + base;
      this.#save(due, {
        url,
        priority: 1,
        depth,
        interval: base,
        base,
        last: now,
        memo: new Uint8Array(),
      });
      this.#count(undefined, due);
    }
    fill.next += urls.length;
    store.setMeta("visits filled", JSON.stringify(fill));
    if (urls.length === 0 || fill.next >= fill.until) this.#fill = undefined;
    return true;
  }

  /** The interval of the host that was identified, in ms; 0 for never. */
  #base(): number {
    return this.#paces!.of(this.#host);
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
    const visit = decodeVisit(row.body);
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
    ).run(this.#host, this.#id, due, encodeVisit(this.#out, visit));
    this.#nextDue = Math.min(this.#nextDue, due);
  }

  /** Removes the visit that was just found. */
  #remove(due: number | null): void {
    const { store, counters } = this.#parts;
    store.begin();
    store.sql("delete from visits where host = ? and id = ?").run(this.#host, this.#id);
    if (due !== NEVER) counters.visits--;
    if (due === null) counters.revisiting--;
  }
}

/** A page's interval as it would be had its host's been another. */
function scaled({ interval, base }: Visit, now: number): number {
  if (base === undefined) return interval;
  return base === 0 ? now : interval / base * now;
}

/** Whether a page that ended so is come back to: it was asked for, or robots.txt may change its mind. */
function isVisited({ outcome, reason }: { outcome: string; reason: string }): boolean {
  return outcome !== "skipped" || reason === "robots";
}

/** 48 bits of a host's fingerprint. */
function hostId(hi: number, lo: number): number {
  return (hi >>> 0) * 65536 + (lo >>> 16);
}
