/**
 * The frontier's engine over one SQLite file. Its verbs are synchronous and change memory and an open
 * transaction; {@linkcode FrontierEngine.commit} makes them durable. `openFrontier` runs it in a
 * Worker behind the asynchronous door.
 *
 * @module
 */

import type {
  Completion,
  ControlCommand,
  DiscoveredUrl,
  FrontierOptions,
  FrontierStats,
  HostLease,
  HostPace,
  HostRelease,
  PutResult,
} from "./types.ts";
import { Admission } from "./_admission.ts";
import { Arena } from "./_arena.ts";
import { ByteWriter } from "./_bytes.ts";
import { CachedValues } from "./_cached.ts";
import { type ClockSource, StateClock, systemClock } from "./_clock.ts";
import { type Counters, newCounters, ringMark, ringRate } from "./_counters.ts";
import { DoneWriter } from "./_done.ts";
import { Fingerprints } from "./_fingerprint.ts";
import { type Host, toMoment, whole } from "./_host.ts";
import { checkIdentity, loadCounters, loadKey } from "./_identity.ts";
import { JournalWriter } from "./_journal.ts";
import { Leasing } from "./_leasing.ts";
import { Queues } from "./_queues.ts";
import { replayJournal } from "./_replay.ts";
import { Rotation } from "./_rotation.ts";
import { SeenSet } from "./_seen.ts";
import { Staging } from "./_staging.ts";
import { openDatabase, pragma, stateError, Store } from "./_store.ts";
import { FrontierError } from "./errors.ts";
import { checkOffer, checkPriority } from "./_url.ts";
import { Visits, visitsDue, visitStats } from "./_visits.ts";

/** URLs a block holds at most, and URLs of one slice of draining. */
const BLOCK = 512;
/** Hosts that stay in memory although nothing of them is there: some 400 bytes each. */
const RESIDENTS = 1 << 17;
/** Changes after which a commit is due at once. */
const FULL_COMMIT = 10_000;

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
  /** Hosts with nothing in memory that stay there, so that they need not be read again. @default 131 072 */
  readonly residents?: number;
}

/** The frontier in this thread. */
export class FrontierEngine {
  readonly #path: string;
  readonly #store: Store;
  readonly #clock: StateClock;
  readonly #counters: Counters;
  readonly #seen: SeenSet;
  readonly #queues: Queues;
  readonly #admission: Admission;
  readonly #leasing: Leasing;
  readonly #visits: Visits;
  readonly #staging: Staging;
  readonly #cached: CachedValues;
  readonly #rotation: Rotation;
  readonly #journal = new JournalWriter();
  readonly #done = new DoneWriter();
  #closed = false;
  #broken: Error | undefined;

  /**
   * Opens the state, made when there is none. The caller holds the lock on it.
   *
   * @throws {FrontierIdentityError} when a value of `identity` differs from the state's.
   * @throws {FrontierStateError} when the file is no state, damaged, or of another version.
   */
  constructor(options: EngineOptions = {}) {
    this.#path = options.path ?? ":memory:";
    const db = openDatabase(options.path);
    try {
      const store = this.#store = new Store(db);
      checkIdentity(store, this.#path, options.identity ?? {}, options.accept ?? []);
      const fingerprints = new Fingerprints(loadKey(store, options.key));
      const counters = this.#counters = loadCounters(store) ?? newCounters();
      counters.paused = false;
      const clock = this.#clock = new StateClock(options.clock ?? systemClock, counters.clock);
      const seen = this.#seen = new SeenSet(store, options.seenBytes ?? 512 << 20);
      seen.load();
      const arena = new Arena();
      const replay = replaySeen(store, arena, fingerprints, seen);
      if (counters.staged > 0) seen.goOnSieving();
      const journal = this.#journal, done = this.#done;
      const block = options.blockUrls ?? BLOCK;
      const residents = options.residents ?? RESIDENTS;
      const queues = new Queues(
        { store, journal, counters, clock, fingerprints, arena, block, residents },
      );
      this.#queues = queues;
      const admission = this.#admission = new Admission({
        counters,
        fingerprints,
        seen,
        queues,
        journal,
        done,
        maxPerHost: options.maxUrlsPerHost ?? 0,
        sameHost: options.sameHost ?? false,
      });
      const visits = this.#visits = new Visits(
        { store, clock, counters, queues, fingerprints },
        options.recrawl,
      );
      this.#leasing = new Leasing({ clock, counters, queues, journal, done, admission, visits });
      this.#staging = new Staging(
        store,
        seen,
        counters,
        clock,
        (...offer) => admission.admitStaged(...offer),
      );
      admission.stageIn(this.#staging);
      this.#cached = new CachedValues(store, clock);
      this.#rotation = new Rotation(store, seen, queues, arena, counters, options.generationOps);
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
      const result = this.#admission.put(urls, options.seed ?? false);
      this.#pace();
      return result;
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
      const result = this.#admission.putBytes(bytes, priorities, depths, seed);
      this.#pace();
      return result;
    });
  }

  /** Hands out hosts. See {@linkcode Frontier.claim}. */
  claim(hosts: number, perHost: number, horizonMs = 0): HostLease[] {
    return this.#run("claim", () => this.#leasing.claim(hosts, perHost, horizonMs));
  }

  /** Takes hosts back. See {@linkcode Frontier.releaseHosts}. */
  releaseHosts(releases: readonly HostRelease[]): void {
    this.#leasing.checkReleases(releases);
    this.#run("release hosts of", () => this.#leasing.release(releases));
  }

  /** Ends leases. See {@linkcode Frontier.complete}. */
  complete(batch: readonly Completion[]): void {
    this.#leasing.checkCompletions(batch);
    this.#run("complete leases of", () => {
      for (const completion of batch) this.#leasing.end(completion);
      this.#pace();
    });
  }

  // An operator's words.

  /** See {@linkcode Frontier.blockHost}. */
  blockHost(name: string, until: number): void {
    this.#run("block a host of", () => {
      const host = this.#queues.make(name);
      host.blockedUntil = until <= 0 ? 0 : toMoment(this.#clock, until);
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

  /** See {@linkcode Frontier.setPaces}. */
  setPaces(paces: readonly HostPace[]): void {
    this.#run("set how often hosts are visited in", () => this.#visits.setPaces(paces));
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
    this.#cached.put(key, value, toMoment(this.#clock, expires));
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
    return this.#leasing.starved && this.#counters.staged > 0;
  }

  /** Makes everything so far durable. */
  commit(): void {
    if (!this.pending) return;
    this.#run("commit", () => {
      this.#store.begin();
      this.#pace();
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

  /** Background work that may not be put off, spread over the verbs that make it. */
  #pace(): void {
    this.#rotation.pace(this.#journal.ops);
  }

  #saveCounters(): void {
    ringMark(this.#counters, this.#clock.now());
    this.#counters.leased = this.#leasing.size;
    this.#counters.clock = this.#clock.mark();
    this.#store.setMeta("counters", JSON.stringify(this.#counters));
  }

  /**
   * Does background work for about `budgetMs`; whether more waits. What it writes is durable with the
   * next commit.
   */
  work(budgetMs = 25): boolean {
    return this.#run("tidy", () => {
      const end = performance.now() + budgetMs;
      while (this.#step()) if (performance.now() >= end) return true;
      return false;
    });
  }

  #step(): boolean {
    for (const host of this.#queues.excluded) {
      this.#endSome(host);
      return true;
    }
    if (this.#rotation.work() || this.#queues.work()) return true;
    const visited = this.#visits.work(); // beside the others: its work may go on for long
    if (!this.#seen.busy) {
      return this.#rotation.join() || this.#staging.work(this.#leasing.starved) || visited;
    }
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
      this.#visits.forget(entry.url);
      this.#admission.logSkip(entry.url, entry.depth, host.excluded ?? "");
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
        queued: counters.live - this.#leasing.size,
        leased: this.#leasing.size,
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
        ...(counters.visits > 0 ? { visits: this.#visitStats(now) } : {}),
        seenBytes: this.#seen.bytes,
        diskBytes: pragma(db, "page_count") * pragma(db, "page_size"),
        paused: counters.paused,
        pagesPerSecond: ringRate(counters, now),
      };
    });
  }

  #visitStats(now: number): NonNullable<FrontierStats["visits"]> {
    return visitStats(this.#counters, visitsDue(this.#store, now), this.#clock.offset);
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
          `nothing that was committed is lost. The error: ${this.#broken.message}`,
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

/** Reads the journal back, what was seen into the seen set. */
function replaySeen(
  store: Store,
  arena: Arena,
  fingerprints: Fingerprints,
  seen: SeenSet,
): ReturnType<typeof replayJournal> {
  const whole = new ByteWriter();
  return replayJournal(store, arena, fingerprints, (raw, host) => {
    whole.clear();
    raw.writeUrl(whole, host);
    fingerprints.ofBytes(whole.view());
    seen.replay(fingerprints.hi, fingerprints.lo);
  }, (hi, lo) => seen.replay(hi, lo));
}
