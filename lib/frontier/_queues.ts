/**
 * The hosts that are in memory and their queues: what comes in, goes out, and moves between memory
 * and the tables.
 *
 * @module
 */

import type { Buffer } from "node:buffer";
import type { StateClock } from "./_clock.ts";
import type { Counters } from "./_counters.ts";
import { classOf, decodeBlock, encodeBlock, type Entry, entryBytes } from "./_entry.ts";
import type { Fingerprints } from "./_fingerprint.ts";
import { Host, NO_CLASS } from "./_host.ts";
import type { JournalWriter } from "./_journal.ts";
import { Schedule } from "./_schedule.ts";
import type { Store } from "./_store.ts";
import { sameText } from "./_url.ts";

/** What the queues work with. */
export interface QueueParts {
  readonly store: Store;
  readonly journal: JournalWriter;
  readonly counters: Counters;
  readonly clock: StateClock;
  readonly fingerprints: Fingerprints;
  /** URLs a block holds at most. */
  readonly block: number;
}

/** Hosts, queues, and the order in which hosts come. */
export class Queues {
  /** Bytes of the entries in memory, about. */
  memory = 0;
  /** Excluded hosts whose queues have to be ended. */
  readonly excluded: Set<Host> = new Set();
  readonly #parts: QueueParts;
  readonly #schedule: Schedule;
  readonly #byName: Map<string, Host> = new Map();
  readonly #byId: Map<number, Host> = new Map();
  #touched: Host[] = [];
  #last: Host | undefined;

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#schedule = new Schedule(parts.store);
  }

  /** Hosts in memory. */
  get size(): number {
    return this.#byId.size;
  }

  /** Whether the numbers of some host changed since the last commit. */
  get touched(): boolean {
    return this.#touched.length > 0;
  }

  /** A host in memory. */
  inMemory(name: string): Host | undefined {
    return this.#byName.get(name);
  }

  /** All hosts in memory, in the order in which they came to be. */
  all(): Host[] {
    return [...this.#byId.values()].sort((a, b) => a.id - b.id);
  }

  /** The host whose name these bytes are; undefined when it is not known and not to be made. */
  at(bytes: Buffer, start: number, end: number, make: boolean): Host | undefined {
    const last = this.#last;
    if (last !== undefined && sameText(last.name, bytes, start, end)) return last;
    const name = bytes.toString("utf8", start, end);
    const host = make ? this.make(name) : this.find(name);
    if (host !== undefined) this.#last = host;
    return host;
  }

  find(name: string): Host | undefined {
    let host = this.#byName.get(name);
    if (host !== undefined) return host;
    const { store, fingerprints } = this.#parts;
    host = store.hostByName(fingerprints.ofHost(name), name);
    if (host !== undefined) this.#keep(host);
    return host;
  }

  make(name: string): Host {
    let host = this.find(name);
    if (host === undefined) {
      host = new Host(this.#parts.counters.nextHost++, name);
      this.#keep(host);
      this.#parts.journal.newHost(host);
      host.dirty = true;
    }
    return host;
  }

  /** Takes in a host that the journal gave back. */
  adopt(host: Host): void {
    this.#keep(host);
    host.active = host.live > 0;
    host.dirty = true;
    this.memory += host.memoryBytes();
    this.place(host);
  }

  #keep(host: Host): void {
    this.#byName.set(host.name, host);
    this.#byId.set(host.id, host);
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
      if (active) host.notBefore = Math.max(host.notBefore, this.#parts.clock.now());
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
    this.#parts.journal.taken(host);
    host.dirty = true;
  }

  /** The next host that is due by `limit`, out of the schedule; undefined when there is none. */
  next(limit: number): Host | undefined {
    return this.#schedule.next(limit, this.#bring);
  }

  readonly #bring = (row: Host): void => {
    const host = this.#byId.get(row.id) ?? row;
    if (host === row) this.#keep(host);
    this.#unindex(host);
    this.place(host);
  };

  /** See {@linkcode Schedule.waiting}. */
  waiting(now: number): { blocked: number; oldest: number; next: number } {
    return this.#schedule.waiting(now);
  }

  /** Puts an entry at the end of its queue; `isNew` when its URL is seen for the first time. */
  append(host: Host, entry: Entry, isNew: boolean): void {
    this.#parts.journal.entry(host, entry, isNew);
    this.memory += entryBytes(entry);
    const length = host.append(entry);
    if (length >= this.#parts.block) this.#cut(host, classOf(entry.priority));
    this.place(host);
  }

  /** Puts entries back to the head of their queue. */
  giveBack(host: Host, entries: readonly Entry[]): void {
    host.prepend(entries);
    for (const entry of entries) this.memory += entryBytes(entry);
  }

  /** Takes the first entry of the best class. */
  take(host: Host): Entry | undefined {
    for (;;) {
      const entry = host.take();
      if (entry !== undefined) {
        this.memory -= entryBytes(entry);
        return entry;
      }
      if (host.blocks === 0) return undefined;
      this.#load(host);
    }
  }

  /** Moves everything queued of a host to the class of `priority`. */
  reclass(host: Host, priority: number): void {
    const { journal, store } = this.#parts;
    journal.reclass(host, priority);
    host.reclass(priority);
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
    const entries = host.takeTail(cls, this.#parts.block);
    this.#write(host, entries);
    this.#parts.journal.cut(host, entries);
    this.touch(host);
  }

  #write(host: Host, entries: readonly Entry[]): void {
    const { store, block } = this.#parts;
    for (let from = 0; from < entries.length; from += block) {
      const part = entries.slice(from, from + block);
      const { priority, seq } = part[0]!;
      const cls = classOf(priority);
      store.putBlock(host.id, cls, seq, part.length, encodeBlock(host.name, part));
      host.blocks++;
      host.onDisk += part.length;
      host.diskClass = Math.max(host.diskClass, cls);
    }
    for (const entry of entries) this.memory -= entryBytes(entry);
  }

  #load(host: Host): void {
    const { store, journal } = this.#parts;
    const row = store.firstBlock(host.id);
    if (row === undefined) {
      throw new RangeError(`the host ${host.name} lacks ${host.blocks} blocks of its queue`);
    }
    store.removeBlock(host.id, row.rank, row.seq);
    journal.load(host, row);
    host.blocks--;
    host.onDisk -= row.n;
    host.diskClass = host.blocks > 0 ? store.bestBlockClass(host.id) : NO_CLASS;
    const entries = decodeBlock(host.name, row.body, row.priority);
    host.load(entries);
    for (const entry of entries) this.memory += entryBytes(entry);
    this.touch(host);
  }

  /** Writes a host and its queue into the tables; it leaves memory unless something of it is out. */
  flush(host: Host): void {
    const { store, journal, fingerprints } = this.#parts;
    const unplaced = host.waiting > 0 && !host.indexed;
    if (host.dirty || host.leases.length > 0 || unplaced) {
      for (const { entries } of host.takeAll()) this.#write(host, entries);
      this.#schedule.remove(host);
      this.excluded.delete(host);
      if (!host.held && host.waiting > 0) {
        host.indexed = true;
        host.indexClass = host.diskClass;
        host.indexDue = host.excluded === null ? host.dueAt : 0;
        this.#schedule.indexed(host.indexClass, host.indexDue);
      }
      store.saveHost(host, fingerprints.ofHost(host.name));
      host.touched = false;
      journal.flushed(host);
      // Each goes before the last one when it is read back.
      for (const { entry } of [...host.leases].reverse()) journal.carry(host, entry);
      if (host.held) journal.taken(host);
    }
    if (host.held || host.leases.length > 0) return;
    this.#byName.delete(host.name);
    this.#byId.delete(host.id);
    if (this.#last === host) this.#last = undefined;
  }
}
