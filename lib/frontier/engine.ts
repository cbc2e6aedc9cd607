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
import { asBuffer, ByteReader, ByteWriter } from "./_bytes.ts";
import { type ClockSource, StateClock, systemClock } from "./_clock.ts";
import { type Counters, countKind, newCounters, ringMark, ringRate } from "./_counters.ts";
import { DoneWriter, joinDone } from "./_done.ts";
import { classOf, decodeBlock, encodeBlock, type Entry, entryBytes } from "./_entry.ts";
import { Host, type Lease, NEVER, NO_CLASS } from "./_host.ts";
import { checkIdentity, loadCounters, loadKey } from "./_identity.ts";
import { JournalWriter, replayJournal } from "./_journal.ts";
import { pack, unpack } from "./_pack.ts";
import { Schedule } from "./_schedule.ts";
import { SeenSet, type Sieve, toHalves } from "./_seen.ts";
import { SipHash } from "./_siphash.ts";
import { checkOffer, checkPriority, eachLine, hostEnd, hostStart, sameText } from "./_url.ts";
import { openDatabase, pragma, stateError, Store } from "./_store.ts";

/** URLs a block holds at most, and URLs of one slice of draining. */
const BLOCK = 512;
/** URLs longer than this (bytes) are refused. */
const MAX_URL = 16384;
/** When a generation of the journal ends: changes, bytes of queue in memory, hosts in memory. */
const MAX_OPS = 1_000_000, MAX_MEMORY = 32 << 20, MAX_HOSTS = 60_000;
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

/** A generation of the journal on its way into the tables. */
interface Rotation {
  hosts: Host[];
  at: number;
  saved: boolean;
}

/** A sieve and the last staged row it takes in. */
interface RunningSieve {
  readonly pass: Sieve;
  readonly last: number;
  readonly started: number;
  scanned: boolean;
}

/** The frontier in this thread. */
export class FrontierEngine {
  readonly #path: string;
  readonly #store: Store;
  readonly #clock: StateClock;
  readonly #counters: Counters;
  readonly #hash: SipHash;
  readonly #seen: SeenSet;
  readonly #schedule: Schedule;
  readonly #journal = new JournalWriter();
  readonly #done = new DoneWriter();
  readonly #hosts: Map<string, Host> = new Map();
  readonly #byId: Map<number, Host> = new Map();
  readonly #leases: Map<number, Lease> = new Map();
  readonly #maxPerHost: number;
  readonly #sameHost: boolean;
  readonly #maxOps: number;
  readonly #block: number;
  #nextLease = 1;
  #touched: Host[] = [];
  #memory = 0;
  #generationOps = 0;
  #rotation: Rotation | undefined;
  #joinFrom: number | undefined;
  #joinedTo = 0;
  readonly #drain: Set<Host> = new Set();
  #staged: { keys: number[]; out: ByteWriter } = { keys: [], out: new ByteWriter() };
  #stagedSince = 0;
  #sieve: RunningSieve | undefined;
  #sieveMs = 0;
  #starved = false;
  readonly #cachePuts: Map<string, { value: Uint8Array; expires: number }> = new Map();
  #sweepFrom = "";
  #lastHost: Host | undefined;
  readonly #encoder = new TextEncoder();
  readonly #scratch = new Uint8Array(MAX_URL);
  #closed = false;

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
    this.#maxOps = options.generationOps ?? MAX_OPS;
    this.#block = options.blockUrls ?? BLOCK;
    const db = openDatabase(options.path);
    try {
      this.#store = new Store(db);
      checkIdentity(this.#store, this.#path, options.identity ?? {}, options.accept ?? []);
      this.#hash = new SipHash(loadKey(this.#store, options.key));
      this.#counters = loadCounters(this.#store) ?? newCounters();
      this.#counters.paused = false;
      this.#clock = new StateClock(options.clock ?? systemClock, this.#counters.clock);
      this.#seen = new SeenSet(this.#store, options.seenBytes ?? 512 << 20);
      this.#seen.load();
      this.#joinedTo = Number(this.#store.getMeta("joined") ?? 0);
      const replay = replayJournal(
        this.#store,
        (url) => {
          this.#fingerprintText(url);
          this.#seen.replay(this.#hash.hi, this.#hash.lo);
        },
        (hi, lo) => this.#seen.replay(hi, lo),
      );
      this.#generationOps = replay.ops;
      this.#schedule = new Schedule(this.#store);
      for (const host of replay.hosts.values()) {
        this.#keep(host);
        host.active = host.live > 0;
        host.dirty = true;
        this.#memory += host.memoryBytes();
        this.#place(host);
      }
      if (this.#counters.staged > 0) this.#stagedSince = this.#clock.now();
      this.#saveCounters();
      this.#store.commit();
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

  #fingerprint(bytes: Uint8Array, start = 0, end = bytes.length): void {
    this.#hash.update(bytes, start, end);
    if (this.#hash.hi === 0 && this.#hash.lo === 0) this.#hash.lo = 1;
  }

  #fingerprintText(text: string): void {
    const { read, written } = this.#encoder.encodeInto(text, this.#scratch);
    if (read === text.length) this.#fingerprint(this.#scratch, 0, written);
    else this.#fingerprint(this.#encoder.encode(text));
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
      host = this.#hostAt(bytes, nameStart, nameEnd, seed);
      if (seed && !host!.named) {
        host!.named = true;
        this.#touch(host!);
      }
      if (this.#sameHost && host?.named !== true) return REFUSED;
    }
    this.#fingerprint(bytes, start, end);
    const { hi, lo } = this.#hash;
    const sight = this.#seen.look(hi, lo);
    if (sight === "known") return KNOWN;
    if (sight === "unsure") {
      this.#stage(bytes.toString("utf8", start, end), priority, depth, hi, lo);
      return STAGED;
    }
    host ??= this.#hostAt(bytes, nameStart, nameEnd, true)!;
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
    this.#touch(host);
    if (host.excluded !== null) {
      this.#journal.seen(hi, lo);
      this.#logSkip(url, depth, host.excluded);
      return REFUSED;
    }
    const entry: Entry = { url, priority, depth, attempts: 0, seq: this.#counters.nextSeq++ };
    this.#counters.live++;
    this.#append(host, entry, true);
    return ADDED;
  }

  #append(host: Host, entry: Entry, isNew: boolean): void {
    this.#journal.entry(host, entry, isNew);
    this.#memory += entryBytes(entry);
    const length = host.append(entry);
    if (length >= this.#block) this.#cut(host, entry);
    this.#place(host);
  }

  /** A full block's worth waits at the end of a class: it goes to disk at once. */
  #cut(host: Host, last: Entry): void {
    const entries = host.takeTail(classOf(last.priority), this.#block);
    this.#writeBlocks(host, entries);
    this.#journal.cut(host, entries);
    this.#touch(host);
  }

  #writeBlocks(host: Host, entries: readonly Entry[]): void {
    for (let from = 0; from < entries.length; from += this.#block) {
      const part = entries.slice(from, from + this.#block);
      const cls = classOf(part[0]!.priority);
      this.#store.putBlock(host.id, cls, part[0]!.seq, part.length, encodeBlock(host.name, part));
      host.blocks++;
      host.onDisk += part.length;
      host.diskClass = Math.max(host.diskClass, cls);
    }
    for (const entry of entries) this.#memory -= entryBytes(entry);
  }

  #loadBlock(host: Host): void {
    const row = this.#store.firstBlock(host.id);
    if (row === undefined) {
      throw new RangeError(`no block of host ${host.name}, ${host.blocks} expected`);
    }
    this.#store.removeBlock(host.id, row.rank, row.seq);
    this.#journal.load(host, row);
    host.blocks--;
    host.onDisk -= row.n;
    host.diskClass = host.blocks > 0 ? this.#store.bestBlockClass(host.id) : NO_CLASS;
    const entries = decodeBlock(host.name, row.body, row.priority);
    host.load(entries);
    for (const entry of entries) this.#memory += entryBytes(entry);
    this.#touch(host);
  }

  #take(host: Host): Entry | undefined {
    for (;;) {
      const entry = host.take();
      if (entry !== undefined) {
        this.#memory -= entryBytes(entry);
        return entry;
      }
      if (host.blocks === 0) return undefined;
      this.#loadBlock(host);
    }
  }

  // Hosts in memory.

  #hostAt(bytes: Buffer, start: number, end: number, make: boolean): Host | undefined {
    const last = this.#lastHost;
    if (last !== undefined && sameText(last.name, bytes, start, end)) return last;
    const name = bytes.toString("utf8", start, end);
    const host = make ? this.#makeHost(name) : this.#findHost(name);
    if (host !== undefined) this.#lastHost = host;
    return host;
  }

  #hashOf(name: string): number {
    this.#fingerprintText(name);
    return this.#hash.hi * 65536 + (this.#hash.lo >>> 16);
  }

  #findHost(name: string): Host | undefined {
    let host = this.#hosts.get(name);
    if (host !== undefined) return host;
    host = this.#store.hostByName(this.#hashOf(name), name);
    if (host !== undefined) this.#keep(host);
    return host;
  }

  #makeHost(name: string): Host {
    let host = this.#findHost(name);
    if (host === undefined) {
      host = new Host(this.#counters.nextHost++, name);
      this.#keep(host);
      this.#journal.newHost(host);
      host.dirty = true;
    }
    return host;
  }

  #keep(host: Host): void {
    this.#hosts.set(host.name, host);
    this.#byId.set(host.id, host);
  }

  #touch(host: Host): void {
    if (host.touched) return;
    host.touched = host.dirty = true;
    this.#touched.push(host);
  }

  /** Counts the host among the active ones and puts it where the next claim finds it. */
  #place(host: Host): void {
    const active = host.live > 0;
    if (active !== host.active) {
      host.active = active;
      // It is due from the moment it has something, behind those that have waited longer.
      if (active) host.notBefore = Math.max(host.notBefore, this.#clock.now());
      this.#counters.activeHosts += active ? 1 : -1;
    }
    if (host.held || host.waiting === 0) {
      this.#schedule.remove(host);
    } else if (host.excluded !== null) {
      this.#unindex(host);
      this.#schedule.remove(host);
      this.#drain.add(host);
    } else {
      if (host.indexed) {
        if (host.memoryClass <= host.indexClass && host.dueAt === host.indexDue) return;
        this.#unindex(host);
      }
      this.#schedule.place(host);
    }
  }

  #unindex(host: Host): void {
    if (!host.indexed) return;
    this.#store.unindex(host);
    this.#journal.taken(host);
    host.dirty = true;
  }

  readonly #bring = (row: Host): void => {
    const host = this.#byId.get(row.id) ?? row;
    if (host === row) this.#keep(host);
    this.#unindex(host);
    this.#place(host);
  };

  /** Hands out hosts. See {@linkcode Frontier.claim}. */
  claim(hosts: number, perHost: number, horizonMs = 0): HostLease[] {
    return this.#run("claim", () => {
      const now = this.#clock.now();
      const limit = now + Math.max(0, horizonMs);
      const out: HostLease[] = [];
      while (out.length < hosts) {
        const host = this.#schedule.next(limit, this.#bring);
        if (host === undefined) break;
        host.held = true;
        const urls = [];
        while (urls.length < perHost) {
          const entry = this.#take(host);
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
      const host = this.#hosts.get(release.host);
      if (host === undefined || !host.held) {
        throw new FrontierError(`Cannot release the host "${release.host}": it is not handed out.`);
      }
      for (const id of release.unused) this.#lease(id, "release", host);
    }
    this.#run("release hosts of", () => {
      for (const release of releases) {
        const host = this.#hosts.get(release.host)!;
        const entries: Entry[] = [];
        for (const id of release.unused) {
          const lease = this.#leases.get(id);
          if (lease === undefined) continue;
          this.#leases.delete(id);
          host.dropLease(lease);
          entries.push(lease.entry);
          this.#memory += entryBytes(lease.entry);
        }
        host.prepend(entries);
        host.held = false;
        host.notBefore = Math.max(this.#clock.now(), this.#moment(release.notBefore));
        if (release.failures !== undefined) host.failures = whole(release.failures);
        if (release.deferrals !== undefined) host.deferrals = whole(release.deferrals);
        if (release.exclude !== undefined && host.excluded === null) {
          host.excluded = release.exclude;
          this.#counters.excludedHosts++;
        }
        this.#touch(host);
        this.#place(host);
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
      this.#append(host, again, false);
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
      this.#place(host);
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
      const host = this.#makeHost(name);
      host.blockedUntil = until <= 0 ? 0 : this.#moment(until);
      this.#touch(host);
      this.#place(host);
    });
  }

  /** See {@linkcode Frontier.setDelay}. */
  setDelay(name: string, delayMs: number | undefined): void {
    this.#run("set a delay of", () => {
      const host = this.#makeHost(name);
      host.delay = delayMs === undefined ? -1 : whole(delayMs);
      this.#touch(host);
    });
  }

  /** See {@linkcode Frontier.setPriority}. */
  setPriority(name: string, priority: number): void {
    checkPriority(priority);
    this.#run("set a priority of", () => {
      const host = this.#findHost(name);
      if (host === undefined) return;
      this.#journal.reclass(host, priority);
      host.reclass(priority);
      for (const { entry } of host.leases) entry.priority = priority;
      if (host.blocks > 0) {
        const cls = classOf(priority);
        this.#store.reclassBlocks(host.id, cls, priority);
        host.diskClass = cls;
      }
      this.#touch(host);
      this.#unindex(host);
      this.#place(host);
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
      const pending = this.#cachePuts.get(key);
      const row = pending ?? this.#store.sql("select value, expires from cached where key = ?")
        .get(key) as unknown as { value: Uint8Array; expires: number } | undefined;
      return row === undefined
        ? undefined
        : { value: row.value, expires: this.#clock.toWall(row.expires) };
    });
  }

  /** See {@linkcode Frontier.putCached}. */
  putCached(key: string, value: Uint8Array, expires: number): void {
    this.#cachePuts.set(key, { value, expires: this.#moment(expires) });
  }

  #saveCache(): void {
    for (const [key, { value, expires }] of this.#cachePuts) {
      this.#store.sql("insert or replace into cached values(?, ?, ?)").run(key, value, expires);
    }
    this.#cachePuts.clear();
    // A few of the others in turn, so that what has expired goes at the pace at which new ones come.
    const rows = this.#store.sql(
      "select key, expires from cached where key > ? order by key limit 64",
    )
      .all(this.#sweepFrom) as unknown as { key: string; expires: number }[];
    const now = this.#clock.now();
    for (const { key, expires } of rows) {
      if (expires < now) this.#store.sql("delete from cached where key = ?").run(key);
    }
    this.#sweepFrom = rows.length < 64 ? "" : rows.at(-1)!.key;
  }

  // Durability.

  /** Whether a commit has something to write. */
  get pending(): boolean {
    return this.#journal.ops > 0 || this.#touched.length > 0 || this.#done.count > 0 ||
      this.#staged.keys.length > 0 || this.#cachePuts.size > 0 || this.#store.inTransaction;
  }

  /** Whether so much waits that a commit should not. */
  get full(): boolean {
    return this.#journal.ops + this.#done.count + this.#staged.keys.length / 2 >= FULL_COMMIT;
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
      for (const host of this.#touched) {
        if (!host.touched) continue;
        host.touched = false;
        this.#journal.numbers(host);
      }
      this.#touched = [];
      this.#generationOps += this.#journal.ops;
      if (this.#journal.ops > 0) {
        const { body, gone } = this.#journal.take();
        this.#store.sql("insert into journal(gen, body, gone) values(?, ?, ?)")
          .run(this.#counters.generation, body, gone);
      }
      const ended = this.#done.count;
      this.#done.save(this.#store, this.#counters.ended);
      this.#counters.ended += ended;
      this.#saveStaged();
      if (this.#cachePuts.size > 0) this.#saveCache();
      this.#saveCounters();
      this.#store.commit();
      const over = this.#generationOps >= this.#maxOps || this.#memory >= MAX_MEMORY ||
        this.#hosts.size >= MAX_HOSTS;
      if (over && this.#rotation === undefined) this.#startRotation();
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
      // When changes come faster than a generation is written out, they have to wait for it.
      const behind = this.#rotation !== undefined &&
        (this.#generationOps >= this.#maxOps / 2 || this.#memory >= MAX_MEMORY * 1.5 ||
          this.#hosts.size >= MAX_HOSTS * 1.5);
      const end = performance.now() + (behind ? budgetMs * 6 : budgetMs);
      while (this.#step()) if (performance.now() >= end) return true;
      return false;
    });
  }

  #step(): boolean {
    for (const host of this.#drain) {
      this.#drainSome(host);
      return true;
    }
    if (this.#rotation !== undefined) {
      this.#rotate(this.#rotation);
    } else if (this.#seen.busy) {
      this.#seen.work();
    } else if (this.#joinFrom !== undefined) {
      this.#joinSome(this.#joinFrom);
    } else {
      return this.#sieveSome();
    }
    return true;
  }

  #drainSome(host: Host): void {
    for (let i = 0; i < BLOCK; i++) {
      const entry = this.#take(host);
      if (entry === undefined) break;
      this.#journal.gone(entry.seq);
      this.#counters.live--;
      this.#logSkip(entry.url, entry.depth, host.excluded ?? "");
    }
    this.#touch(host);
    if (host.waiting === 0) this.#drain.delete(host);
    this.#place(host);
  }

  // A generation of the journal ends: what it stands for goes into the tables, a slice at a time.

  #startRotation(): void {
    this.#counters.generation++;
    this.#generationOps = 0;
    this.#seen.turn();
    const hosts = [...this.#byId.values()].sort((a, b) => a.id - b.id);
    this.#rotation = { hosts, at: 0, saved: false };
  }

  #rotate(rotation: Rotation): void {
    if (rotation.at < rotation.hosts.length) {
      const end = Math.min(rotation.at + 32, rotation.hosts.length);
      for (; rotation.at < end; rotation.at++) this.#flush(rotation.hosts[rotation.at]!);
    } else if (!rotation.saved) {
      rotation.hosts = [];
      rotation.at = 0;
      this.#seen.save();
      rotation.saved = true;
    } else {
      this.#store.begin();
      const { changes } = this.#store.sql(
        "delete from journal where id in (select id from journal where gen < ? order by id limit 4)",
      ).run(this.#counters.generation);
      if (changes > 0) return;
      this.#rotation = undefined;
      this.#joinFrom = this.#joinedTo;
    }
  }

  /** Writes a host and its queue into the tables; it leaves memory unless something of it is out. */
  #flush(host: Host): void {
    const unplaced = host.waiting > 0 && !host.indexed;
    if (host.dirty || host.leases.length > 0 || unplaced) {
      for (const { entries } of host.takeAll()) this.#writeBlocks(host, entries);
      this.#schedule.remove(host);
      this.#drain.delete(host);
      if (!host.held && host.waiting > 0) {
        host.indexed = true;
        host.indexClass = host.diskClass;
        host.indexDue = host.excluded === null ? host.dueAt : 0;
        this.#schedule.indexed(host.indexClass, host.indexDue);
      }
      this.#store.saveHost(host, this.#hashOf(host.name));
      host.touched = false;
      this.#journal.flushed(host);
      // Each goes before the last one when it is read back.
      for (const { entry } of [...host.leases].reverse()) this.#journal.carry(host, entry);
      if (host.held) this.#journal.taken(host);
    }
    if (host.held || host.leases.length > 0) return;
    this.#hosts.delete(host.name);
    this.#byId.delete(host.id);
    if (this.#lastHost === host) this.#lastHost = undefined;
  }

  #joinSome(from: number): void {
    const next = joinDone(this.#store, from);
    this.#joinFrom = next;
    if (next !== undefined) {
      this.#joinedTo = next;
      this.#store.setMeta("joined", next);
    }
  }

  // Past the memory bound of the seen set: stage, sieve, admit.

  #stage(url: string, priority: number, depth: number, hi: number, lo: number): void {
    if (this.#counters.staged === 0) this.#stagedSince = this.#clock.now();
    this.#counters.staged++;
    this.#seen.remember(hi, lo);
    const { keys, out } = this.#staged;
    keys.push(lo, hi);
    out.text(url);
    out.float(priority);
    out.varint(depth);
    if (keys.length >= 8192) this.#saveStaged();
  }

  #saveStaged(): void {
    const { keys, out } = this.#staged;
    if (keys.length === 0) return;
    this.#store.begin();
    this.#store.sql("insert into staged(n, keys, body) values(?, ?, ?)").run(
      keys.length / 2,
      new Uint8Array(Uint32Array.from(keys).buffer),
      pack(out.view()),
    );
    this.#staged.keys = [];
    out.clear();
  }

  #sieveSome(): boolean {
    if (this.#sieve === undefined) {
      const { staged } = this.#counters;
      if (staged === 0) return false;
      const age = this.#clock.now() - this.#stagedSince;
      const due = staged >= this.#seen.batch || this.#starved ||
        age >= Math.max(1000, this.#sieveMs * 20);
      if (due) this.#startSieve();
      return due;
    }
    const sieve = this.#sieve;
    if (!sieve.scanned) sieve.scanned = !sieve.pass.scan();
    else this.#admitStaged(sieve);
    return true;
  }

  #startSieve(): void {
    const started = performance.now();
    this.#saveStaged();
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
    this.#sieve = { pass: this.#seen.startSieve(keys), last, scanned: false, started };
    this.#stagedSince = this.#clock.now();
  }

  #admitStaged(sieve: RunningSieve): void {
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
      const url = from.text(), priority = from.float(), depth = from.varint();
      const hi = keys[i * 2 + 1]!, lo = keys[i * 2]!;
      if (!sieve.pass.claim(hi, lo)) continue;
      const bytes = asBuffer(this.#encoder.encode(url));
      const start = hostStart(bytes, 0, bytes.length);
      const host = this.#hostAt(bytes, start, hostEnd(bytes, start, bytes.length), true)!;
      if (this.#maxPerHost > 0 && host.admitted >= this.#maxPerHost) continue;
      if (this.#seen.add(hi, lo)) this.#admit(host, url, priority, depth, hi, lo);
    }
    this.#store.begin();
    this.#store.sql("delete from staged where id = ?").run(row.id);
    this.#counters.staged -= row.n;
  }

  /** The figures. See {@linkcode FrontierStats}. */
  stats(): FrontierStats {
    return this.#run("read", () => {
      const counters = this.#counters;
      const now = this.#clock.now();
      const { blocked, oldest, next } = this.#schedule.waiting(now);
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

  #broken: Error | undefined;

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
