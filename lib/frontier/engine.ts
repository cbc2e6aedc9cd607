/**
 * The frontier's engine over one SQLite file. Its verbs are synchronous and change memory and an open
 * transaction; {@linkcode FrontierEngine.commit} makes them durable. `openFrontier` runs it in a
 * Worker behind the asynchronous door.
 *
 * @module
 */

import type { Buffer } from "node:buffer";
import type {
  Completion,
  ControlCommand,
  DiscoveredUrl,
  FrontierOptions,
  FrontierStats,
  HostLease,
  HostRelease,
  PutResult,
} from "./types.ts";
import { FrontierError } from "./errors.ts";
import { asBuffer } from "./_bytes.ts";
import { CachedValues } from "./_cached.ts";
import { type ClockSource, StateClock, systemClock } from "./_clock.ts";
import { type Counters, countKind, newCounters, ringMark, ringRate } from "./_counters.ts";
import { DoneWriter } from "./_done.ts";
import type { Entry } from "./_entry.ts";
import { Fingerprints } from "./_fingerprint.ts";
import { type Host, type Lease, NEVER } from "./_host.ts";
import { checkIdentity, loadCounters, loadKey } from "./_identity.ts";
import { JournalWriter, replayJournal } from "./_journal.ts";
import { Queues } from "./_queues.ts";
import { Rotation } from "./_rotation.ts";
import { SeenSet } from "./_seen.ts";
import { type StagedUrl, Staging } from "./_staging.ts";
import { checkOffer, checkPriority, eachLine, hostEnd, hostStart } from "./_url.ts";
import { openDatabase, pragma, stateError, Store } from "./_store.ts";

/** URLs a block holds at most, and URLs of one slice of draining. */
const BLOCK = 512;
/** URLs longer than this (bytes) are refused. */
const MAX_URL = 16384;
/** Changes after which a commit is due at once. */
const FULL_COMMIT = 20_000;

/** Options that only a caller in the same thread can give. */
export interface EngineOptions extends FrontierOptions {
  /** Wall and monotonic time. @default the system's */
  readonly clock?: ClockSource;
  /** 16 random bytes for a new state. @default from crypto.getRandomValues */
  readonly key?: Uint8Array;
  /** How much a generation of the journal takes before it is written to the tables. */
  readonly generationOps?: number;
  /** URLs of one host and class written together. @default 512 */
  readonly blockUrls?: number;
}

const ADDED = 0, KNOWN = 1, REFUSED = 2, STAGED = 3;
type Offer = typeof ADDED | typeof KNOWN | typeof REFUSED | typeof STAGED;

/** The frontier in this thread. */
export class FrontierEngine {
  readonly #path: string;
  readonly #store: Store;
  readonly #clock: StateClock;
  readonly #counters: Counters;
  readonly #fingerprints: Fingerprints;
  readonly #seen: SeenSet;
  readonly #queues: Queues;
  readonly #staging: Staging;
  readonly #cached: CachedValues;
  readonly #rotation: Rotation;
  readonly #journal = new JournalWriter();
  readonly #done = new DoneWriter();
  readonly #leases: Map<number, Lease> = new Map();
  readonly #maxPerHost: number;
  readonly #sameHost: boolean;
  #nextLease = 1;
  /** The last claim found nothing. */
  #starved = false;
  readonly #encoder = new TextEncoder();
  #closed = false;
  #broken: Error | undefined;

  /**
   * Opens the state, made when there is none. The caller holds the lock on it.
   *
   * @throws {FrontierIdentityError} when a value of `identity` differs from the state's.
   * @throws {FrontierStateError} when the file is no state, damaged, or of a newer version.
   */
  constructor(options: EngineOptions = {}) {
    this.#path = options.path ?? ":memory:";
    this.#maxPerHost = options.maxUrlsPerHost ?? 0;
    this.#sameHost = options.sameHost ?? false;
    const db = openDatabase(options.path);
    try {
      const store = this.#store = new Store(db);
      checkIdentity(store, this.#path, options.identity ?? {}, options.accept ?? []);
      const fingerprints = this.#fingerprints = new Fingerprints(loadKey(store, options.key));
      const counters = this.#counters = loadCounters(store) ?? newCounters();
      counters.paused = false;
      const clock = this.#clock = new StateClock(options.clock ?? systemClock, counters.clock);
      const seen = this.#seen = new SeenSet(store, options.seenBytes ?? 512 << 20);
      seen.load();
      const replay = replayJournal(
        store,
        (url) => {
          fingerprints.ofText(url);
          seen.replay(fingerprints.hi, fingerprints.lo);
        },
        (hi, lo) => seen.replay(hi, lo),
      );
      const journal = this.#journal;
      const block = options.blockUrls ?? BLOCK;
      const queues = new Queues({ store, journal, counters, clock, fingerprints, block });
      this.#queues = queues;
      this.#staging = new Staging(store, seen, counters, clock, (url) => this.#admitStaged(url));
      this.#cached = new CachedValues(store, clock);
      this.#rotation = new Rotation(store, seen, queues, counters, options.generationOps);
      this.#rotation.ops = replay.ops;
      for (const host of replay.hosts.values()) queues.adopt(host);
      this.#saveCounters();
      store.commit();
    } catch (error) {
      db.close();
      throw this.#damage("open", error);
    }
  }

  /** The state's clock as Unix ms; see {@linkcode StateClock}. */
  now(): number {
    return this.#clock.toWall(this.#clock.now());
  }

  /** Offers URLs. See {@linkcode Frontier.put}. */
  put(urls: readonly DiscoveredUrl[], options: { seed?: boolean } = {}): PutResult {
    for (const { url, priority, depth } of urls) checkOffer(url, priority, depth);
    return this.#run("put", () => {
      const counts = [0, 0, 0, 0];
      for (const { url, priority, depth } of urls) {
        const bytes = asBuffer(this.#encoder.encode(url));
        counts[this.#offer(bytes, 0, bytes.length, priority, depth, options.seed ?? false)]!++;
      }
      return toResult(counts);
    });
  }

  /** Offers URLs joined by "\n", each with its priority and depth. */
  putBytes(
    bytes: Uint8Array,
    priorities: Float64Array,
    depths: Uint32Array,
    seed: boolean,
  ): PutResult {
    return this.#run("put", () => {
      const counts = [0, 0, 0, 0];
      const buffer = asBuffer(bytes);
      let at = 0;
      eachLine(bytes, (start, end) => {
        counts[this.#offer(buffer, start, end, priorities[at]!, depths[at]!, seed)]!++;
        at++;
      });
      return toResult(counts);
    });
  }

  #offer(
    bytes: Buffer,
    start: number,
    end: number,
    priority: number,
    depth: number,
    seed: boolean,
  ): Offer {
    const nameStart = hostStart(bytes, start, end);
    const nameEnd = nameStart < 0 ? -1 : hostEnd(bytes, nameStart, end);
    if (nameEnd <= nameStart || end - start > MAX_URL) return REFUSED;
    let host: Host | undefined;
    if (seed || this.#sameHost) {
      host = this.#queues.at(bytes, nameStart, nameEnd, seed);
      if (seed && !host!.named) {
        host!.named = true;
        this.#queues.touch(host!);
      }
      if (this.#sameHost && host?.named !== true) return REFUSED;
    }
    this.#fingerprints.ofBytes(bytes, start, end);
    const { hi, lo } = this.#fingerprints;
    const sight = this.#seen.look(hi, lo);
    if (sight === "known") return KNOWN;
    if (sight === "unsure") {
      this.#staging.add(bytes.toString("utf8", start, end), priority, depth, hi, lo);
      return STAGED;
    }
    host ??= this.#queues.at(bytes, nameStart, nameEnd, true)!;
    if (this.#maxPerHost > 0 && host.admitted >= this.#maxPerHost) return REFUSED;
    // The look-up of a host may not come between `look` and `insert` of the set: it does not touch it.
    this.#seen.insert(hi, lo);
    return this.#admit(
      host,
      bytes.toString("utf8", start, end),
      priority,
      depth,
      hi,
      lo,
    );
  }

  /** Queues a URL whose fingerprint has just been put into the seen set. */
  #admit(
    host: Host,
    url: string,
    priority: number,
    depth: number,
    hi: number,
    lo: number,
  ): Offer {
    this.#counters.known++;
    host.admitted++;
    this.#queues.touch(host);
    if (host.excluded !== null) {
      this.#journal.seen(hi, lo);
      this.#logSkip(url, depth, host.excluded);
      return REFUSED;
    }
    const entry: Entry = { url, priority, depth, attempts: 0, seq: this.#counters.nextSeq++ };
    this.#counters.live++;
    this.#queues.append(host, entry, true);
    return ADDED;
  }

  /** Admits an offer that a sieve has found to be new. */
  #admitStaged({ url, priority, depth, hi, lo }: StagedUrl): void {
    const bytes = asBuffer(this.#encoder.encode(url));
    const start = hostStart(bytes, 0, bytes.length);
    const host = this.#queues.at(bytes, start, hostEnd(bytes, start, bytes.length), true)!;
    if (this.#maxPerHost > 0 && host.admitted >= this.#maxPerHost) return;
    if (this.#seen.add(hi, lo)) this.#admit(host, url, priority, depth, hi, lo);
  }

  /** Hands out hosts. See {@linkcode Frontier.claim}. */
  claim(hosts: number, perHost: number, horizonMs = 0): HostLease[] {
    return this.#run("claim", () => {
      const now = this.#clock.now();
      const limit = now + Math.max(0, horizonMs);
      const out: HostLease[] = [];
      while (out.length < hosts) {
        const host = this.#queues.next(limit);
        if (host === undefined) break;
        host.held = true;
        const urls = [];
        while (urls.length < perHost) {
          const entry = this.#queues.take(host);
          if (entry === undefined) break;
          const lease: Lease = { id: this.#nextLease++, host, entry };
          this.#leases.set(lease.id, lease);
          host.addLease(lease);
          const { url, priority, depth, attempts } = entry;
          urls.push({ id: lease.id, url, priority, depth, attempts });
        }
        out.push({
          host: host.name,
          notBefore: host.dueAt <= now ? 0 : this.#clock.toWall(host.dueAt),
          ...(host.delay < 0 ? {} : { delayMs: host.delay }),
          failures: host.failures,
          deferrals: host.deferrals,
          urls,
        });
      }
      this.#starved = out.length === 0;
      return out;
    });
  }

  /** Takes hosts back. See {@linkcode Frontier.releaseHosts}. */
  releaseHosts(releases: readonly HostRelease[]): void {
    for (const release of releases) {
      const host = this.#queues.inMemory(release.host);
      if (host === undefined || !host.held) {
        throw new FrontierError(`Cannot release the host "${release.host}": it is not handed out.`);
      }
      for (const id of release.unused) this.#lease(id, "release", host);
    }
    this.#run("release hosts of", () => {
      for (const release of releases) {
        const host = this.#queues.inMemory(release.host)!;
        const entries: Entry[] = [];
        for (const id of release.unused) {
          const lease = this.#leases.get(id);
          if (lease === undefined) continue;
          this.#leases.delete(id);
          host.dropLease(lease);
          entries.push(lease.entry);
        }
        this.#queues.giveBack(host, entries);
        host.held = false;
        host.notBefore = Math.max(this.#clock.now(), this.#moment(release.notBefore));
        if (release.failures !== undefined) host.failures = whole(release.failures);
        if (release.deferrals !== undefined) host.deferrals = whole(release.deferrals);
        if (release.exclude !== undefined && host.excluded === null) {
          host.excluded = release.exclude;
          this.#counters.excludedHosts++;
        }
        this.#queues.touch(host);
        this.#queues.place(host);
      }
    });
  }

  #moment(wall: number): number {
    return Number.isNaN(wall) ? 0 : Math.min(NEVER, this.#clock.fromWall(wall));
  }

  #lease(id: number, verb: string, host?: Host): Lease {
    const lease = this.#leases.get(id);
    if (lease === undefined || (host !== undefined && lease.host !== host)) {
      throw new FrontierError(`Cannot ${verb} lease ${id}: it is not held.`);
    }
    return lease;
  }

  /** Ends leases. See {@linkcode Frontier.complete}. */
  complete(batch: readonly Completion[]): void {
    const ids = new Set<number>();
    for (const { id } of batch) {
      this.#lease(id, "complete");
      if (ids.has(id)) throw new FrontierError(`Cannot complete lease ${id} twice.`);
      ids.add(id);
    }
    this.#run("complete leases of", () => {
      for (const completion of batch) this.#end(completion);
    });
  }

  #end(completion: Completion): void {
    const lease = this.#leases.get(completion.id)!;
    const { host, entry } = lease;
    this.#leases.delete(lease.id);
    host.dropLease(lease);
    this.#journal.gone(entry.seq);
    host.dirty = true;
    const counters = this.#counters;
    if (completion.outcome === "again") {
      const again = { ...entry, attempts: entry.attempts + 1, seq: counters.nextSeq++ };
      this.#queues.append(host, again, false);
    } else {
      counters.live--;
      const { outcome, status, error, reason, warcFile, warcOffset } = completion;
      if (outcome === "done") counters.answered++;
      else if (outcome === "failed") {
        counters.failed++;
        countKind(counters.failedBy, error);
      } else {
        counters.skipped++;
        countKind(counters.skippedBy, reason);
      }
      this.#done.add({
        url: entry.url,
        outcome,
        depth: entry.depth,
        status: whole(status),
        error,
        reason,
        warcFile,
        warcOffset: whole(warcOffset),
      });
      this.#queues.place(host);
    }
    const { outlinks, redirect } = completion;
    if (outlinks !== undefined && outlinks.length > 0) {
      const priority = entry.priority / 2 || Number.MIN_VALUE;
      const buffer = asBuffer(outlinks);
      eachLine(outlinks, (start, end) => {
        this.#offer(buffer, start, end, priority, entry.depth + 1, false);
      });
    }
    if (redirect !== undefined && redirect !== "") {
      const bytes = asBuffer(this.#encoder.encode(redirect));
      this.#offer(bytes, 0, bytes.length, entry.priority, entry.depth, entry.depth === 0);
    }
  }

  #logSkip(url: string, depth: number, reason: string): void {
    this.#counters.skipped++;
    countKind(this.#counters.skippedBy, reason);
    this.#done.add({
      url,
      outcome: "skipped",
      depth,
      status: 0,
      error: "skip",
      reason,
      warcFile: "",
      warcOffset: 0,
    });
  }

  // An operator's words.

  /** See {@linkcode Frontier.blockHost}. */
  blockHost(name: string, until: number): void {
    this.#run("block a host of", () => {
      const host = this.#queues.make(name);
      host.blockedUntil = until <= 0 ? 0 : this.#moment(until);
      this.#queues.touch(host);
      this.#queues.place(host);
    });
  }

  /** See {@linkcode Frontier.setDelay}. */
  setDelay(name: string, delayMs: number | undefined): void {
    this.#run("set a delay of", () => {
      const host = this.#queues.make(name);
      host.delay = delayMs === undefined ? -1 : whole(delayMs);
      this.#queues.touch(host);
    });
  }

  /** See {@linkcode Frontier.setPriority}. */
  setPriority(name: string, priority: number): void {
    checkPriority(priority);
    this.#run("set a priority of", () => {
      const host = this.#queues.find(name);
      if (host !== undefined) this.#queues.reclass(host, priority);
    });
  }

  /** Carries out what a command asks of the state; `stop` asks nothing of it. */
  control(command: ControlCommand): void {
    const host = command.host ?? "";
    switch (command.verb) {
      case "block":
        return this.blockHost(host, Infinity);
      case "unblock":
        return this.blockHost(host, 0);
      case "delay":
        return this.setDelay(host, command.delayMs);
      case "priority":
        return this.setPriority(host, command.priority ?? 1);
      case "pause":
      case "resume":
        this.#counters.paused = command.verb === "pause";
        this.#store.begin();
        return;
      case "stop":
        return;
    }
  }

  // The small store beside the queue.

  /** See {@linkcode Frontier.getCached}. */
  getCached(key: string): { value: Uint8Array; expires: number } | undefined {
    return this.#run("read", () => {
      const found = this.#cached.get(key);
      return found && { value: found.value, expires: this.#clock.toWall(found.expires) };
    });
  }

  /** See {@linkcode Frontier.putCached}. */
  putCached(key: string, value: Uint8Array, expires: number): void {
    this.#cached.put(key, value, this.#moment(expires));
  }

  // Durability.

  /** Whether a commit has something to write. */
  get pending(): boolean {
    return this.#journal.ops > 0 || this.#queues.touched || this.#done.count > 0 ||
      this.#staging.unsaved > 0 || this.#cached.unsaved > 0 || this.#store.inTransaction;
  }

  /** Whether so much waits that a commit should not. */
  get full(): boolean {
    return this.#journal.ops + this.#done.count + this.#staging.unsaved >= FULL_COMMIT;
  }

  /** Whether a claim found nothing while offers wait for a sieve. */
  get hungry(): boolean {
    return this.#starved && this.#counters.staged > 0;
  }

  /** Makes everything so far durable. */
  commit(): void {
    if (!this.pending) return;
    this.#run("commit", () => {
      this.#store.begin();
      this.#queues.saveTouched();
      this.#rotation.ops += this.#journal.ops;
      if (this.#journal.ops > 0) {
        const { body, gone } = this.#journal.take();
        this.#store.sql("insert into journal(gen, body, gone) values(?, ?, ?)")
          .run(this.#counters.generation, body, gone);
      }
      const ended = this.#done.count;
      this.#done.save(this.#store, this.#counters.ended);
      this.#counters.ended += ended;
      this.#staging.save();
      this.#cached.save();
      this.#saveCounters();
      this.#store.commit();
      this.#rotation.turn();
    });
  }

  #saveCounters(): void {
    ringMark(this.#counters, this.#clock.now());
    this.#counters.leased = this.#leases.size;
    this.#counters.clock = this.#clock.mark();
    this.#store.setMeta("counters", JSON.stringify(this.#counters));
  }

  /**
   * Does background work for about `budgetMs`; whether more waits. What it writes is durable with the
   * next commit.
   */
  work(budgetMs = 25): boolean {
    return this.#run("tidy", () => {
      const end = performance.now() + (this.#rotation.behind ? budgetMs * 6 : budgetMs);
      while (this.#step()) if (performance.now() >= end) return true;
      return false;
    });
  }

  #step(): boolean {
    for (const host of this.#queues.excluded) {
      this.#endSome(host);
      return true;
    }
    if (this.#rotation.work()) return true;
    if (!this.#seen.busy) return this.#rotation.join() || this.#staging.work(this.#starved);
    this.#seen.work();
    return true;
  }

  /** Ends a part of an excluded host's queue. */
  #endSome(host: Host): void {
    for (let i = 0; i < BLOCK; i++) {
      const entry = this.#queues.take(host);
      if (entry === undefined) break;
      this.#journal.gone(entry.seq);
      this.#counters.live--;
      this.#logSkip(entry.url, entry.depth, host.excluded ?? "");
    }
    this.#queues.touch(host);
    if (host.waiting === 0) this.#queues.excluded.delete(host);
    this.#queues.place(host);
  }

  /** The figures. See {@linkcode FrontierStats}. */
  stats(): FrontierStats {
    return this.#run("read", () => {
      const counters = this.#counters;
      const now = this.#clock.now();
      const { blocked, oldest, next } = this.#queues.waiting(now);
      const { db } = this.#store;
      return {
        queued: counters.live - this.#leases.size,
        leased: this.#leases.size,
        answered: counters.answered,
        failed: counters.failed,
        skipped: counters.skipped,
        failedBy: { ...counters.failedBy },
        skippedBy: { ...counters.skippedBy },
        known: counters.known,
        staged: counters.staged,
        hosts: counters.nextHost - 1,
        activeHosts: counters.activeHosts,
        blockedHosts: blocked,
        excludedHosts: counters.excludedHosts,
        ...(oldest < Infinity ? { oldestDue: this.#clock.toWall(oldest) } : {}),
        ...(next < Infinity ? { nextDue: this.#clock.toWall(next) } : {}),
        seenBytes: this.#seen.bytes,
        diskBytes: pragma(db, "page_count") * pragma(db, "page_size"),
        paused: counters.paused,
        pagesPerSecond: ringRate(counters, now),
      };
    });
  }

  /** Commits, folds the log into the file, closes. */
  close(): void {
    if (this.#closed) return;
    try {
      this.commit();
      this.#run("close", () => this.#store.db.exec("pragma wal_checkpoint(truncate)"));
    } finally {
      this.#closed = true;
      this.#store.db.close();
    }
  }

  /** Runs a verb; after an error inside one, memory and file may differ, so that none runs again. */
  #run<T>(verb: string, body: () => T): T {
    if (this.#closed) {
      throw new FrontierError(`Cannot ${verb} the state "${this.#path}": it is closed.`);
    }
    if (this.#broken !== undefined) {
      throw new FrontierError(
        `Cannot ${verb} the state "${this.#path}": an earlier error ended its use. Open it again; ` +
          `nothing that was committed is lost.`,
        { cause: this.#broken },
      );
    }
    try {
      return body();
    } catch (error) {
      this.#broken = this.#damage(verb, error);
      throw this.#broken;
    }
  }

  #damage(verb: string, error: unknown): Error {
    if (error instanceof FrontierError) return error;
    return stateError(this.#path, verb, error);
  }
}

function toResult(counts: readonly number[]): PutResult {
  return {
    added: counts[ADDED]!,
    known: counts[KNOWN]!,
    refused: counts[REFUSED]!,
    staged: counts[STAGED]!,
  };
}

/** A whole number that is not negative. */
function whole(value: number): number {
  return Number.isFinite(value) ? Math.max(0, Math.ceil(value)) : 0;
}
