/**
 * The hosts that are in memory and their queues: what comes in, goes out, and moves between memory
 * and the tables.
 *
 * @module
 */

import type { Buffer } from "node:buffer";
import type { Arena } from "./_arena.ts";
import type { StateClock } from "./_clock.ts";
import type { Counters } from "./_counters.ts";
import { BlockWriter, LoadedBlock } from "./_block.ts";
import { classOf, type Entry, type RawEntry } from "./_entry.ts";
import type { Fingerprints } from "./_fingerprint.ts";
import { Host, NO_CLASS } from "./_host.ts";
import { HostFilter } from "./_host_filter.ts";
import { decodeRow, ROW_URLS } from "./_host_row.ts";
import { HostTable } from "./_host_table.ts";
import type { JournalWriter } from "./_journal.ts";
import { Schedule } from "./_schedule.ts";
import type { BlockRow, HostRow, Store } from "./_store.ts";
import { isAscii, sameText } from "./_url.ts";

/** What the queues work with. */
export interface QueueParts {
  readonly store: Store;
  readonly journal: JournalWriter;
  readonly counters: Counters;
  readonly clock: StateClock;
  readonly fingerprints: Fingerprints;
  readonly arena: Arena;
  /** URLs a block holds at most. */
  readonly block: number;
  /** Hosts that stay in memory at most when they are written and nothing of them is there. */
  readonly residents: number;
}

/** Hosts, queues, and the order in which hosts come. */
export class Queues {
  /** Excluded hosts whose queues have to be ended. */
  readonly excluded: Set<Host> = new Set();
  readonly #parts: QueueParts;
  readonly #schedule: Schedule;
  readonly #hosts = new HostTable();
  readonly #filter: HostFilter;
  readonly #writer = new BlockWriter();
  /** Bytes of the entries in memory that are not in the arena, about. */
  #headBytes = 0;
  #touched: Host[] = [];
  /** Hosts in memory, save those that {@linkcode Queues.turn} gave out and that are not flushed. */
  #generation: Host[] = [];
  /** Hosts whose rows say all about them, in a ring: the one that has been quiet longest goes first. */
  readonly #residents: (Host | undefined)[] = [];
  #nextResident = 0;
  #last: Host | undefined;

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#schedule = new Schedule(parts.store);
    this.#filter = new HostFilter(parts.store, parts.counters.nextHost - 1);
  }

  /** Hosts of this generation. */
  get size(): number {
    return this.#generation.length;
  }

  /** Bytes that this generation's part of the queues takes in memory. */
  get memory(): number {
    return this.#parts.arena.current + this.#headBytes;
  }

  /** Whether the numbers of some host changed since the last commit. */
  get touched(): boolean {
    return this.#touched.length > 0;
  }

  /**
   * A generation ends: all its hosts, in the order in which they came to be, each to be given to
   * {@linkcode Queues.flush}; and those that the state cannot find by their names yet, which is to be
   * so before, in the order of their fingerprints, about.
   */
  turn(): { hosts: Host[]; unlisted: Host[] } {
    const hosts = sorted(this.#generation, ({ id }) => id);
    this.#generation = [];
    const unlisted = hosts.filter(({ listed }) => !listed);
    return { hosts, unlisted: sorted(unlisted, ({ hashHigh }) => hashHigh >>> 0) };
  }

  /** A host in memory. */
  inMemory(name: string): Host | undefined {
    const { fingerprints } = this.#parts;
    fingerprints.ofText(name);
    const host = this.#hosts.find(
      fingerprints.hi | 0,
      fingerprints.lo >>> 16,
      (host) => host.name === name,
    );
    if (host !== undefined) this.#wake(host);
    return host;
  }

  /** The host whose name these bytes are; undefined when it is not known and not to be made. */
  at(bytes: Buffer, start: number, end: number, make: boolean): Host | undefined {
    const last = this.#last;
    if (last !== undefined && sameText(last.name, bytes, start, end)) return last;
    let host: Host | undefined;
    if (isAscii(bytes, start, end)) {
      const { fingerprints } = this.#parts;
      fingerprints.ofBytes(bytes, start, end);
      const high = fingerprints.hi | 0, low = fingerprints.lo >>> 16;
      host = this.#hosts.find(high, low, (host) => sameText(host.name, bytes, start, end));
      if (host !== undefined) {
        this.#wake(host);
      } else if (make || this.#filter.mayHave(high, low)) {
        host = this.#bring(bytes.toString("latin1", start, end), high, low, make);
      }
    } else {
      const name = bytes.toString("utf8", start, end);
      host = make ? this.make(name) : this.find(name);
    }
    if (host !== undefined) this.#last = host;
    return host;
  }

  find(name: string): Host | undefined {
    const host = this.inMemory(name);
    if (host !== undefined) return host;
    const { hi, lo } = this.#parts.fingerprints;
    return this.#bring(name, hi | 0, lo >>> 16, false);
  }

  make(name: string): Host {
    const host = this.inMemory(name);
    if (host !== undefined) return host;
    const { hi, lo } = this.#parts.fingerprints;
    return this.#bring(name, hi | 0, lo >>> 16, true)!;
  }

  /** Brings in a host that is not in memory, or makes it. */
  #bring(name: string, high: number, low: number, make: boolean): Host | undefined {
    const { store, arena, counters, journal } = this.#parts;
    let host = this.#filter.mayHave(high, low)
      ? store.hostByName((high >>> 0) * 65536 + low, name, arena)
      : undefined;
    if (host === undefined) {
      if (!make) return undefined;
      host = new Host(counters.nextHost++, name, high, low);
      journal.newHost(host);
      host.dirty = true;
      this.#filter.add(host);
    }
    this.#keep(host);
    return host;
  }

  #keep(host: Host): void {
    this.#hosts.add(host);
    this.#generation.push(host);
  }

  /** A resident belongs to the generation that needs it, as if it had just been read. */
  #wake(host: Host): void {
    if (host.resident < 0) return;
    this.#residents[host.resident] = undefined;
    host.resident = -1;
    this.#generation.push(host);
  }

  /** Keeps a host that was just written, in the place of another. */
  #settle(host: Host): void {
    const at = this.#nextResident;
    this.#nextResident = (at + 1) % this.#parts.residents;
    const before = this.#residents[at];
    if (before !== undefined) this.#forget(before);
    this.#residents[at] = host;
    host.resident = at;
  }

  #forget(host: Host): void {
    this.#hosts.delete(host);
    if (this.#last === host) this.#last = undefined;
  }

  /** Takes in a host that the journal gave back. */
  adopt(host: Host): void {
    this.#keep(host);
    this.#filter.add(host);
    host.active = host.live > 0;
    host.dirty = true;
    this.#headBytes += host.headBytes;
    this.place(host);
  }

  /** A slice of background work; whether there was some. */
  work(): boolean {
    return this.#filter.work();
  }

  /** Notes that a host's numbers changed. */
  touch(host: Host): void {
    if (host.touched) return;
    host.touched = host.dirty = true;
    this.#touched.push(host);
  }

  /** Writes the changed numbers into the journal. */
  saveTouched(): void {
    for (const host of this.#touched) {
      if (!host.touched) continue;
      host.touched = false;
      this.#parts.journal.numbers(host);
    }
    this.#touched = [];
  }

  /** Counts the host among the active ones and puts it where the next claim finds it. */
  place(host: Host): void {
    const active = host.live > 0;
    if (active !== host.active) {
      host.active = active;
      // It is due from the moment it has something, behind those that have waited longer.
      const now = this.#parts.clock.now();
      if (active && host.notBefore < now) {
        host.notBefore = now;
        this.touch(host);
      }
      this.#parts.counters.activeHosts += active ? 1 : -1;
    }
    if (host.held || host.waiting === 0) {
      this.#schedule.remove(host);
    } else if (host.excluded !== null) {
      this.#unindex(host);
      this.#schedule.remove(host);
      this.excluded.add(host);
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
    this.#parts.store.unindex(host);
    this.#taken(host);
  }

  #taken(host: Host): void {
    host.indexed = false;
    this.#parts.journal.taken(host);
    host.dirty = true;
  }

  /** The next host that is due by `limit`, out of the schedule; undefined when there is none. */
  next(limit: number): Host | undefined {
    return this.#schedule.next(limit, this.#bringDue);
  }

  readonly #bringDue = (row: HostRow): void => {
    const high = Math.floor(row.hash / 65536) | 0, low = row.hash % 65536;
    let host = this.#hosts.find(high, low, ({ id }) => id === row.id);
    if (host === undefined) this.#keep(host = decodeRow(row, this.#parts.arena));
    else this.#wake(host);
    this.#taken(host);
    this.place(host);
  };

  /** See {@linkcode Schedule.waiting}. */
  waiting(now: number): { blocked: number; oldest: number; next: number } {
    return this.#schedule.waiting(now);
  }

  /** Puts an entry at the end of its queue; `isNew` when its URL is seen for the first time. */
  append(host: Host, raw: RawEntry, isNew: boolean): void {
    const { journal, arena, block } = this.#parts;
    journal.entry(host, raw, isNew);
    host.dirty = true;
    const length = host.append(arena, raw);
    if (length >= block) this.#cut(host, classOf(raw.priority));
    this.place(host);
  }

  /** Puts entries back to the head of their queue. */
  giveBack(host: Host, entries: readonly Entry[]): void {
    const before = host.headBytes;
    host.prepend(entries);
    this.#headBytes += host.headBytes - before;
  }

  /** Takes the first entry of the best class. */
  take(host: Host): Entry | undefined {
    const before = host.headBytes;
    for (;;) {
      const entry = host.take(this.#parts.arena);
      if (entry !== undefined || host.blocks === 0) {
        this.#headBytes += host.headBytes - before;
        return entry;
      }
      this.#load(host);
    }
  }

  /** Moves everything queued of a host to the class of `priority`. */
  reclass(host: Host, priority: number): void {
    const { journal, store, arena } = this.#parts;
    journal.reclass(host, priority);
    const before = host.headBytes;
    host.reclass(arena, priority);
    this.#headBytes += host.headBytes - before;
    for (const { entry } of host.leases) entry.priority = priority;
    if (host.blocks > 0) {
      host.diskClass = classOf(priority);
      store.reclassBlocks(host.id, host.diskClass, priority);
    }
    this.touch(host);
    this.#unindex(host);
    this.place(host);
  }

  /** A full block's worth waits at the end of a class: it goes to disk at once. */
  #cut(host: Host, cls: number): void {
    const { arena, block, journal } = this.#parts;
    const seqs: number[] = [];
    host.takeTail(arena, cls, block, (raw) => {
      seqs.push(raw.seq);
      this.#writer.add(raw);
    });
    this.#putBlock(host, cls);
    journal.cut(host, seqs);
    this.touch(host);
  }

  /** Writes the block that was collected. */
  #putBlock(host: Host, cls: number): void {
    const { count, seq } = this.#writer;
    if (count === 0) return;
    const body = this.#writer.take();
    this.#storeBlock(host, cls, { seq, n: count, priority: null, body });
  }

  #storeBlock(host: Host, cls: number, row: Omit<BlockRow, "rank">): void {
    this.#parts.store.putBlock(host.id, cls, row);
    host.blocks++;
    host.onDisk += row.n;
    host.diskClass = Math.max(host.diskClass, cls);
  }

  #load(host: Host): void {
    const { store, journal } = this.#parts;
    const row = store.takeBlock(host.id);
    if (row === undefined) {
      throw new RangeError(`the host ${host.name} lacks ${host.blocks} blocks of its queue`);
    }
    journal.load(host, row);
    host.blocks--;
    host.onDisk -= row.n;
    host.diskClass = host.blocks > 0 ? store.bestBlockClass(host.id) : NO_CLASS;
    host.load(new LoadedBlock(row, row.n));
    this.touch(host);
  }

  /** Writes everything of a host that is in memory as blocks. */
  #writeQueue(host: Host): void {
    let cls = NO_CLASS;
    host.takeAll(this.#parts.arena, (raw, begins) => {
      if (begins || this.#writer.count >= this.#parts.block) {
        this.#putBlock(host, cls);
        cls = classOf(raw.priority);
      }
      this.#writer.add(raw);
    }, (block, back) => {
      const rest = block.rest(back);
      if (rest === undefined) return false;
      this.#putBlock(host, cls);
      this.#storeBlock(host, classOf(block.next.priority), rest);
      return true;
    });
    this.#putBlock(host, cls);
  }

  /**
   * Writes hosts and their queues into the tables; each leaves memory unless something of it is out.
   */
  flush(hosts: readonly Host[]): void {
    for (const host of hosts) this.#flush(host);
    this.#parts.store.saveHosts();
  }

  #flush(host: Host): void {
    const { store, journal, arena } = this.#parts;
    const unplaced = host.waiting > 0 && !host.indexed;
    if (host.dirty || host.leases.length > 0 || unplaced) {
      const wanted = !host.held && host.waiting > 0;
      const cls = host.bestClass, due = host.excluded === null ? host.dueAt : 0;
      this.#schedule.remove(host);
      this.excluded.delete(host);
      if (wanted && !(host.indexed && host.indexClass === cls && host.indexDue === due)) {
        if (host.indexed) store.unindex(host);
        store.index(host, cls, due);
        this.#schedule.indexed(cls, due);
      }
      this.#headBytes -= host.headBytes;
      // What is short goes into the row, from where it is read with the host.
      const stays = host.held || host.leases.length > 0;
      if (stays || host.blocks > 0 || host.inMemory > ROW_URLS) this.#writeQueue(host);
      store.saveHost(host, arena);
      host.touched = false;
      journal.flushed(host);
      // Each goes before the last one when it is read back.
      for (const { entry } of [...host.leases].reverse()) journal.carry(host, entry);
      if (host.held) journal.taken(host);
    }
    if (host.held || host.leases.length > 0) {
      this.#generation.push(host);
      return;
    }
    // One whose queue is in its row would need that read.
    if (host.blocks > 0 && host.inMemory === 0 && host.excluded === null) {
      if (this.#last === host) this.#last = undefined;
      this.#settle(host);
    } else {
      this.#forget(host);
    }
  }
}

/** Hosts by a whole number below 2^32, as numbers are sorted in a tenth of the time. */
function sorted(hosts: readonly Host[], key: (host: Host) => number): Host[] {
  const bits = 2 ** 21;
  const keys = Float64Array.from(hosts, (host, at) => key(host) * bits + at);
  return Array.from(keys.sort(), (number) => hosts[number % bits]!);
}
