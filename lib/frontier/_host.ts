/**
 * A host in memory: its numbers, the part of its queue that is in memory, its leases.
 *
 * @module
 */

import { classOf, type Entry, entryBytes } from "./_entry.ts";
import type { HeapNode } from "./_heap.ts";

/** The class of a host that has nothing in that place. */
export const NO_CLASS = -Infinity;
/** A moment that never comes, as the state writes it. */
export const NEVER = 8.64e15;

/** A URL under lease. */
export interface Lease {
  readonly id: number;
  readonly host: Host;
  readonly entry: Entry;
}

/** The entries of one class. `head` came back from disk or from a lease and goes before the disk. */
interface ClassQueue {
  readonly cls: number;
  head: Entry[];
  /** First entry of `head` that is not taken. */
  at: number;
  tail: Entry[];
  /** First entry of `tail` that is not taken. */
  tailAt: number;
}

/** What the row of a host holds, times on the state's clock. */
export interface HostNumbers {
  named: boolean;
  admitted: number;
  failures: number;
  deferrals: number;
  /** -1 for none. */
  delay: number;
  notBefore: number;
  blockedUntil: number;
  excluded: string | null;
}

// Shared by all, never changed.
const NO_LEASES: Lease[] = [];
const NO_ENTRIES: Entry[] = [];

/** A host that is in memory. */
export class Host implements HeapNode, HostNumbers {
  readonly id: number;
  readonly name: string;
  /** Whether the state has a row of it. */
  stored = false;
  named = false;
  admitted = 0;
  failures = 0;
  deferrals = 0;
  delay = -1;
  notBefore = 0;
  blockedUntil = 0;
  excluded: string | null = null;
  /** Blocks on disk, the URLs in them, and the best class among them. */
  blocks = 0;
  onDisk = 0;
  diskClass = NO_CLASS;
  /** Whether the index on disk has it, so that memory does not schedule it; with which class. */
  indexed = false;
  indexClass = NO_CLASS;
  indexDue = 0;
  /** Entries in memory that are not under lease. */
  inMemory = 0;
  /** Shared and empty until the first lease. */
  leases: Lease[] = NO_LEASES;
  /** Handed out and not given back. */
  held = false;
  /** Its numbers changed since the last commit. */
  touched = false;
  /** Its row is out of date. */
  dirty = false;
  /** Counted among the hosts that have something to do. */
  active = false;
  due = 0;
  heapAt = -1;
  heapClass = NO_CLASS;
  // Best class first; almost always one or two.
  readonly #queues: ClassQueue[] = [];

  constructor(id: number, name: string) {
    this.id = id;
    this.name = name;
  }

  /** URLs that are not ended, under lease or not. */
  get live(): number {
    return this.onDisk + this.inMemory + this.leases.length;
  }

  /** URLs that can be handed out. */
  get waiting(): number {
    return this.onDisk + this.inMemory;
  }

  get memoryClass(): number {
    return this.#queues[0]?.cls ?? NO_CLASS;
  }

  get bestClass(): number {
    return Math.max(this.memoryClass, this.diskClass);
  }

  /** Bytes its entries in memory take. */
  memoryBytes(): number {
    let bytes = 0;
    for (const { head, at, tail, tailAt } of this.#queues) {
      for (let i = at; i < head.length; i++) bytes += entryBytes(head[i]!);
      for (let i = tailAt; i < tail.length; i++) bytes += entryBytes(tail[i]!);
    }
    return bytes;
  }

  /** When it may next be handed out. */
  get dueAt(): number {
    return Math.max(this.notBefore, this.blockedUntil);
  }

  addLease(lease: Lease): void {
    if (this.leases === NO_LEASES) this.leases = [lease];
    else this.leases.push(lease);
  }

  dropLease(lease: Lease): void {
    if (this.leases.length === 1) this.leases = NO_LEASES;
    else this.leases.splice(this.leases.indexOf(lease), 1);
  }

  /** Puts an entry at the end of its class; how many the end then holds. */
  append(entry: Entry): number {
    const queue = this.#queue(classOf(entry.priority));
    // Most hosts have one URL: an array of one is far smaller than one that was pushed to.
    if (queue.tail.length === 0) queue.tail = [entry];
    else queue.tail.push(entry);
    this.inMemory++;
    return queue.tail.length - queue.tailAt;
  }

  /** Puts entries before everything of their class. */
  prepend(entries: readonly Entry[]): void {
    for (let i = entries.length - 1; i >= 0; i--) {
      const entry = entries[i]!;
      const queue = this.#queue(classOf(entry.priority));
      if (queue.at > 0) queue.head[--queue.at] = entry;
      else queue.head = [entry, ...queue.head];
    }
    this.inMemory += entries.length;
  }

  /** Puts the entries of a block, all of one class, at the head. */
  load(entries: Entry[]): void {
    const first = entries[0];
    if (first === undefined) return;
    const queue = this.#queue(classOf(first.priority));
    queue.head = queue.head.slice(queue.at).concat(entries);
    queue.at = 0;
    this.inMemory += entries.length;
  }

  /** Takes the first entry of the best class in memory; undefined when the disk comes before it. */
  take(): Entry | undefined {
    const queue = this.#queues[0];
    if (queue === undefined || queue.cls < this.diskClass) return undefined;
    let entry: Entry | undefined;
    if (queue.at < queue.head.length) {
      entry = queue.head[queue.at++];
    } else if (queue.cls === this.diskClass) {
      return undefined;
    } else {
      entry = queue.tail[queue.tailAt++];
      // Keep the taken part short, so that memory follows what waits.
      if (queue.tailAt >= 1024 && queue.tailAt * 2 > queue.tail.length) {
        queue.tail = queue.tail.slice(queue.tailAt);
        queue.tailAt = 0;
      }
    }
    this.inMemory--;
    if (queue.at >= queue.head.length) {
      queue.head = NO_ENTRIES;
      queue.at = 0;
      if (queue.tailAt >= queue.tail.length) this.#queues.shift();
    }
    return entry;
  }

  /** Takes the first `count` entries off the end part of a class, to be written as a block. */
  takeTail(cls: number, count: number): Entry[] {
    const queue = this.#queues.find((queue) => queue.cls === cls);
    if (queue === undefined) return [];
    const entries = queue.tail.slice(queue.tailAt, queue.tailAt + count);
    queue.tailAt += entries.length;
    queue.tail = queue.tail.slice(queue.tailAt);
    queue.tailAt = 0;
    this.inMemory -= entries.length;
    if (queue.tail.length === 0 && queue.at >= queue.head.length) {
      this.#queues.splice(this.#queues.indexOf(queue), 1);
    }
    return entries;
  }

  /** Takes everything in memory, class by class: what goes before the disk, and what after it. */
  takeAll(): { cls: number; entries: Entry[] }[] {
    const out: { cls: number; entries: Entry[] }[] = [];
    for (const queue of this.#queues) {
      const head = queue.head.slice(queue.at), tail = queue.tail.slice(queue.tailAt);
      if (head.length > 0) out.push({ cls: queue.cls, entries: head });
      if (tail.length > 0) out.push({ cls: queue.cls, entries: tail });
    }
    this.#queues.length = 0;
    this.inMemory = 0;
    return out;
  }

  /** Takes the named entries out of memory, wherever they stand. */
  drop(seqs: ReadonlySet<number>): void {
    const keep = (entry: Entry) => !seqs.has(entry.seq);
    this.inMemory = 0;
    for (let i = this.#queues.length - 1; i >= 0; i--) {
      const queue = this.#queues[i]!;
      queue.head = queue.head.slice(queue.at).filter(keep);
      queue.tail = queue.tail.slice(queue.tailAt).filter(keep);
      queue.at = queue.tailAt = 0;
      const left = queue.head.length + queue.tail.length;
      if (left === 0) this.#queues.splice(i, 1);
      this.inMemory += left;
    }
  }

  /**
   * Puts everything in memory in the order of admission; `firstOnDisk` tells for a class where its
   * blocks begin, which go between what is older and what is younger.
   */
  sort(firstOnDisk: ReadonlyMap<number, number>): void {
    for (const queue of this.#queues) {
      const all = queue.head.slice(queue.at).concat(queue.tail.slice(queue.tailAt))
        .sort((a, b) => a.seq - b.seq);
      const first = firstOnDisk.get(queue.cls) ?? 0;
      queue.head = all.filter((entry) => entry.seq < first);
      queue.tail = all.filter((entry) => entry.seq >= first);
      queue.at = queue.tailAt = 0;
    }
  }

  /** Gives everything in memory one priority, in the order of admission. */
  reclass(priority: number): void {
    const all = this.takeAll().flatMap((part) => part.entries).sort((a, b) => a.seq - b.seq);
    for (const entry of all) entry.priority = priority;
    const first = all[0];
    if (first === undefined) return;
    this.#queue(classOf(priority)).tail = all;
    this.inMemory = all.length;
  }

  #queue(cls: number): ClassQueue {
    let at = 0;
    for (; at < this.#queues.length; at++) {
      const queue = this.#queues[at]!;
      if (queue.cls === cls) return queue;
      if (queue.cls < cls) break;
    }
    const queue = { cls, head: NO_ENTRIES, at: 0, tail: NO_ENTRIES, tailAt: 0 };
    this.#queues.splice(at, 0, queue);
    return queue;
  }
}
