/**
 * Reading a state beside the crawl that runs on it, without its lock.
 *
 * @module
 */

import { lockHolder } from "../files/mod.ts";
import { ringRate } from "./_counters.ts";
import { readDoneRow } from "./_done.ts";
import { Arena } from "./_arena.ts";
import { eachOfBlock } from "./_block.ts";
import type { RawEntry } from "./_entry.ts";
import { Fingerprints } from "./_fingerprint.ts";
import type { Host } from "./_host.ts";
import { decodeRow } from "./_host_row.ts";
import { loadCounters, storedKey } from "./_identity.ts";
import { depthOf } from "./_listed.ts";
import { replayJournal } from "./_replay.ts";
import { FrontierStateError } from "./errors.ts";
import { openDatabase, pragma, stateError, Store } from "./_store.ts";
import { hasVisits, visitsDue, visitStats } from "./_visits.ts";
import type { DoneUrl, FrontierStats, QueuedUrl } from "./types.ts";

async function* reading<T>(path: string, body: (store: Store) => Iterable<T>): AsyncGenerator<T> {
  let found = true;
  try {
    await Deno.stat(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    found = false;
  }
  if (!found) {
    throw new FrontierStateError(path, `Cannot open the state "${path}": there is none.`);
  }
  const db = openDatabase(path, true);
  try {
    yield* body(new Store(db));
  } catch (error) {
    throw stateError(path, "read", error);
  } finally {
    db.close();
  }
}

/**
 * Every URL that has ended, in the order of their ends, as of the moment each is read.
 *
 * @throws {FrontierStateError} when there is no state, or it is damaged.
 */
export function readDone(path: string): AsyncIterable<DoneUrl> {
  return reading(path, function* (store) {
    for (let next = 0;;) {
      const urls = readDoneRow(store, next);
      if (urls.length === 0) return;
      yield* urls;
      next += urls.length;
    }
  });
}

/**
 * Every URL that has not ended, in no set order: those in queues and those under lease. The state as
 * it is at the call; the crawl's log cannot shrink while this reads.
 *
 * @throws {FrontierStateError} when there is no state, or it is damaged.
 */
export function readQueued(path: string): AsyncIterable<QueuedUrl> {
  return reading(path, function* (store) {
    store.db.exec("begin");
    const { hosts, arena } = readJournal(store);
    for (const host of hosts.values()) yield* queueOf(host, arena);
    // The short queues of the other hosts are in their rows.
    for (let after = -1;;) {
      const rows = store.hostRows(after, 256), last = rows.at(-1);
      if (last === undefined) break;
      after = last.id;
      const own = new Arena();
      for (const row of rows) if (!hosts.has(row.id)) yield* queueOf(decodeRow(row, own), own);
    }
    let key = { host: -1, rank: 0, seq: 0 };
    let host: Host | undefined;
    for (;;) {
      const row = store.sql(
        "select host, rank, seq, priority, body from blocks where (host, rank, seq) > (?, ?, ?) " +
          "order by host, rank, seq limit 1",
      ).get(key.host, key.rank, key.seq) as unknown as
        | { host: number; rank: number; seq: number; priority: number | null; body: Uint8Array }
        | undefined;
      if (row === undefined) return;
      key = row;
      if (host?.id !== row.host) {
        host = hosts.get(row.host) ?? store.hostById(row.host, new Arena());
      }
      const name = host?.name ?? "";
      const urls: QueuedUrl[] = [];
      eachOfBlock(row, (raw) => urls.push(toQueued(name, raw)));
      yield* urls;
    }
  });
}

function readJournal(store: Store): { hosts: Map<number, Host>; arena: Arena } {
  const arena = new Arena();
  const { hosts } = replayJournal(
    store,
    arena,
    new Fingerprints(storedKey(store) ?? new Uint8Array(16)),
    () => {},
    () => {},
  );
  return { hosts, arena };
}

function queueOf(host: Host, arena: Arena): QueuedUrl[] {
  const urls: QueuedUrl[] = [];
  host.takeAll(arena, (raw) => urls.push(toQueued(host.name, raw)));
  return urls;
}

function toQueued(host: string, raw: RawEntry): QueuedUrl {
  const { priority, attempts } = raw;
  return { host, url: raw.url(host), priority, depth: depthOf(raw.depth), attempts };
}

/**
 * The figures of a state as of its last commit, also while a crawl runs on it. `seenBytes` is 0: that
 * memory is the crawl's.
 *
 * @throws {FrontierStateError} when there is no state, or it is damaged.
 */
export async function readStats(path: string): Promise<FrontierStats> {
  for await (const stats of reading(path, (store) => [statsOf(store, path)])) return stats;
  throw new FrontierStateError(path, `Cannot read the state "${path}": it is empty.`);
}

function statsOf(store: Store, path: string): FrontierStats {
  store.db.exec("begin");
  const counters = loadCounters(store);
  const clock = counters?.clock;
  if (counters === undefined || clock === undefined) {
    throw new FrontierStateError(path, `Cannot read the state "${path}": it is empty.`);
  }
  const offset = clock.wall - clock.at;
  const now = Math.max(clock.at, Date.now() - offset);
  let blocked = 0, oldest = Infinity, next = Infinity;
  const note = (due: number) => {
    if (due > now) blocked++;
    oldest = Math.min(oldest, due);
    if (due > now) next = Math.min(next, due);
  };
  for (const row of store.waitingByClass(now)) {
    blocked += row.n;
    oldest = Math.min(oldest, row.oldest);
    next = Math.min(next, row.next);
  }
  for (const host of readJournal(store).hosts.values()) {
    if (host.waiting > 0 && !host.indexed && host.excluded === null) note(host.dueAt);
  }
  // A crawl that was killed left its leases to the next one.
  const runs = lockHolder(path) !== undefined;
  const leased = runs ? counters.leased : 0;
  return {
    queued: counters.live - leased,
    leased,
    answered: counters.answered,
    failed: counters.failed,
    skipped: counters.skipped,
    failedBy: counters.failedBy,
    skippedBy: counters.skippedBy,
    known: counters.known,
    staged: counters.staged,
    hosts: counters.nextHost - 1,
    activeHosts: counters.activeHosts,
    blockedHosts: blocked,
    excludedHosts: counters.excludedHosts,
    ...(oldest < Infinity ? { oldestDue: oldest + offset } : {}),
    ...(next < Infinity ? { nextDue: next + offset } : {}),
    ...(counters.visits > 0 && hasVisits(store)
      ? { visits: visitStats(counters, visitsDue(store, now), offset) }
      : {}),
    seenBytes: 0,
    diskBytes: pragma(store.db, "page_count") * pragma(store.db, "page_size"),
    paused: runs && counters.paused,
    pagesPerSecond: ringRate(counters, now),
  };
}
