/**
 * A host in memory: its numbers, the part of its queue that is in memory, its leases.
 *
 * @module
 */

import type { Arena } from "./_arena.ts";
import type { LoadedBlock } from "./_block.ts";
import { classOf, type Entry, entryBytes, RawEntry } from "./_entry.ts";
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

/**
 * The entries of one class, in their order: `head` came back from leases, `block` from disk, and both go
 * before what is on disk; the tail is a list in the arena.
 */
interface ClassQueue {
  cls: number;
  head: Entry[];
  /** First entry of `head` that is not taken. */
  at: number;
  block: LoadedBlock | undefined;
  /** Addresses of the tail's ends, 0 when it is empty; and its length. */
  first: number;
  last: number;
  count: number;
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
const NO_QUEUES: ClassQueue[] = [];
const scratch = new RawEntry();

function isEmpty({ count, head, block }: ClassQueue): boolean {
  return count === 0 && head.length === 0 && block === undefined;
}

/** A host that is in memory. */
export class Host implements HeapNode, HostNumbers {
  readonly id: number;
  readonly name: string;
  /** The first 48 bits of the name's fingerprint, as 32 signed and 16 unsigned ones. */
  readonly hashHigh: number;
  readonly hashLow: number;
  /** Whether the state's list of names has it. */
  listed = false;
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
  /** Bytes that those of them take which are not in the arena. */
  headBytes = 0;
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
  /** Its place among those that stay in memory with nothing to write; -1 when it is none. */
  resident = -1;
  // Best class first; almost always one or two.
  #queues: ClassQueue[] = NO_QUEUES;

  constructor(id: number, name: string, hashHigh: number, hashLow: number) {
    this.id = id;
    this.name = name;
    this.hashHigh = hashHigh;
    this.hashLow = hashLow;
  }

  /** Those 48 bits as one number. */
  get hash(): number {
    return (this.hashHigh >>> 0) * 65536 + this.hashLow;
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
  append(arena: Arena, raw: RawEntry): number {
    const queue = this.#queue(classOf(raw.priority));
    queue.last = arena.append(raw, queue.last);
    if (queue.first === 0) queue.first = queue.last;
    this.inMemory++;
    return ++queue.count;
  }

  /** Puts entries before everything of their class. */
  prepend(entries: readonly Entry[]): void {
    for (let i = entries.length - 1; i >= 0; i--) {
      const entry = entries[i]!;
      const queue = this.#queue(classOf(entry.priority));
      if (queue.at > 0) queue.head[--queue.at] = entry;
      else queue.head = [entry, ...queue.head];
      this.headBytes += entryBytes(entry);
    }
    this.inMemory += entries.length;
  }

  /** Puts a block before the tail of its class, of which nothing else goes before the disk. */
  load(block: LoadedBlock): void {
    this.#queue(classOf(block.next.priority)).block = block;
    this.inMemory += block.left;
    this.headBytes += block.bytes;
  }

  /** Puts entries, all of one class, behind those of the head. */
  extendHead(entries: Entry[]): void {
    const first = entries[0];
    if (first === undefined) return;
    const queue = this.#queue(classOf(first.priority));
    queue.head = queue.head.slice(queue.at).concat(entries);
    queue.at = 0;
    this.inMemory += entries.length;
    for (const entry of entries) this.headBytes += entryBytes(entry);
  }

  /** Takes the first entry of the best class in memory; undefined when the disk comes before it. */
  take(arena: Arena): Entry | undefined {
    const queue = this.#queues[0];
    if (queue === undefined || queue.cls < this.diskClass) return undefined;
    let entry: Entry;
    if (queue.at < queue.head.length) {
      entry = queue.head[queue.at++]!;
      this.headBytes -= entryBytes(entry);
      if (queue.at === queue.head.length) {
        queue.head = NO_ENTRIES;
        queue.at = 0;
      }
    } else if (queue.block !== undefined) {
      entry = queue.block.next.toEntry(this.name);
      this.#advance(queue, queue.block);
    } else if (queue.cls === this.diskClass) {
      return undefined;
    } else {
      this.#shift(arena, queue, scratch);
      entry = scratch.toEntry(this.name);
    }
    this.inMemory--;
    if (isEmpty(queue)) this.#queues.shift();
    return entry;
  }

  #advance(queue: ClassQueue, block: LoadedBlock): void {
    block.advance();
    if (block.left > 0) return;
    this.headBytes -= block.bytes;
    queue.block = undefined;
  }

  #shift(arena: Arena, queue: ClassQueue, raw: RawEntry): void {
    queue.first = arena.read(queue.first, raw);
    if (--queue.count === 0) queue.first = queue.last = 0;
  }

  /** Takes the first `count` entries off the tail of a class, to be written as a block. */
  takeTail(arena: Arena, cls: number, count: number, visit: (raw: RawEntry) => void): void {
    const queue = this.#queues.find((queue) => queue.cls === cls);
    if (queue === undefined) return;
    for (let left = Math.min(count, queue.count); left > 0; left--) {
      this.#shift(arena, queue, scratch);
      this.inMemory--;
      visit(scratch);
    }
    if (isEmpty(queue)) {
      this.#queues.splice(this.#queues.indexOf(queue), 1);
    }
  }

  /**
   * Takes everything in memory: class by class, best first, what goes before the disk and then what
   * goes after it. `visit` is told of each entry whether it begins another class or part. `keep` is asked
   * whether it takes a block, and the entries before it in its class, as they are.
   */
  takeAll(
    arena: Arena,
    visit: (raw: RawEntry, begins: boolean) => void,
    keep?: (block: LoadedBlock, back: readonly Entry[]) => boolean,
  ): void {
    for (const queue of this.#queues) {
      const { block } = queue;
      if (block === undefined || keep?.(block, queue.head.slice(queue.at)) !== true) {
        let begins = true;
        for (let i = queue.at; i < queue.head.length; i++, begins = false) {
          scratch.setEntry(this.name, queue.head[i]!);
          visit(scratch, begins);
        }
        for (; block !== undefined && block.left > 0; block.advance(), begins = false) {
          visit(block.next, begins);
        }
      }
      for (let at = queue.first, begins = true; at !== 0; begins = false) {
        at = arena.read(at, scratch);
        visit(scratch, begins);
      }
    }
    this.#queues = NO_QUEUES;
    this.inMemory = this.headBytes = 0;
  }

  /** Everything in memory as objects, in no set order. It leaves memory. */
  #takeEntries(arena: Arena): Entry[] {
    const all: Entry[] = [];
    for (const queue of this.#queues) {
      for (let i = queue.at; i < queue.head.length; i++) all.push(queue.head[i]!);
      for (const { block } = queue; block !== undefined && block.left > 0; block.advance()) {
        all.push(block.next.toEntry(this.name));
      }
      for (let at = queue.first; at !== 0;) {
        at = arena.read(at, scratch);
        all.push(scratch.toEntry(this.name));
      }
    }
    this.#queues = NO_QUEUES;
    this.inMemory = this.headBytes = 0;
    return all;
  }

  #appendEntry(arena: Arena, entry: Entry): void {
    scratch.setEntry(this.name, entry);
    this.append(arena, scratch);
  }

  /** Takes the named entries out of memory, wherever they stand save in a block. */
  drop(arena: Arena, seqs: ReadonlySet<number>): void {
    const queues = this.#queues;
    this.#queues = NO_QUEUES;
    this.inMemory = this.headBytes = 0;
    for (const { head, at, first } of queues) {
      this.extendHead(head.slice(at).filter((entry) => !seqs.has(entry.seq)));
      for (let next = first; next !== 0;) {
        next = arena.read(next, scratch);
        if (!seqs.has(scratch.seq)) this.append(arena, scratch);
      }
    }
  }

  /**
   * Puts everything in memory in the order of admission; `firstOnDisk` tells for a class where its
   * blocks begin, which go between what is older and what is younger.
   */
  sort(arena: Arena, firstOnDisk: ReadonlyMap<number, number>): void {
    if (this.#sorted(arena, firstOnDisk)) return;
    const older: Entry[] = [];
    for (const entry of this.#takeEntries(arena).sort((a, b) => a.seq - b.seq)) {
      if (entry.seq < (firstOnDisk.get(classOf(entry.priority)) ?? 0)) older.push(entry);
      else this.#appendEntry(arena, entry);
    }
    this.prepend(older);
  }

  #sorted(arena: Arena, firstOnDisk: ReadonlyMap<number, number>): boolean {
    for (const { cls, head, block, first } of this.#queues) {
      if (head.length > 0 || block !== undefined) return false;
      let last = firstOnDisk.get(cls) ?? 0;
      for (let at = first; at !== 0;) {
        at = arena.read(at, scratch);
        if (scratch.seq < last) return false;
        last = scratch.seq;
      }
    }
    return true;
  }

  /** Gives everything in memory one priority, in the order of admission. */
  reclass(arena: Arena, priority: number): void {
    const all = this.#takeEntries(arena).sort((a, b) => a.seq - b.seq);
    for (const entry of all) {
      entry.priority = priority;
      this.#appendEntry(arena, entry);
    }
  }

  #queue(cls: number): ClassQueue {
    let at = 0;
    for (; at < this.#queues.length; at++) {
      const queue = this.#queues[at]!;
      if (queue.cls === cls) return queue;
      if (queue.cls < cls) break;
    }
    const queue = { cls, head: NO_ENTRIES, at: 0, block: undefined, first: 0, last: 0, count: 0 };
    if (this.#queues.length === 0) this.#queues = [queue];
    else this.#queues.splice(at, 0, queue);
    return queue;
  }
}

/** The state's moment for Unix ms from outside, within what the state writes. */
export function toMoment(clock: { fromWall(wall: number): number }, wall: number): number {
  return Number.isNaN(wall) ? 0 : Math.min(NEVER, clock.fromWall(wall));
}

/** A whole number that is not negative. */
export function whole(value: number): number {
  return Number.isFinite(value) ? Math.max(0, Math.ceil(value)) : 0;
}
