/**
 * Which host comes next: those in memory in one heap a class, those on disk in the index of the
 * state, brought in a few hundred at a time. Memory holds only hosts that have moved lately.
 *
 * @module
 */

import { DueHeap } from "./_heap.ts";
import type { Host } from "./_host.ts";
import type { HostRow, Store } from "./_store.ts";

const REFILL = 256;

/** Hosts that have something to hand out, ordered by class, then by how long they have been due. */
export class Schedule {
  readonly #store: Store;
  readonly #heaps: Map<number, DueHeap<Host>> = new Map();
  /** For each class of the index on disk, a moment before which none of it is due. */
  readonly #disk: Map<number, number> = new Map();
  /** Classes of both, best first; undefined when it has to be made anew. */
  #classes: number[] | undefined;

  constructor(store: Store) {
    this.#store = store;
    for (const { cls, due } of store.indexClasses()) this.#disk.set(cls, due);
  }

  /** Puts a host of memory in its place, or moves it there. */
  place(host: Host): void {
    const cls = host.bestClass, due = host.dueAt;
    if (host.heapAt >= 0) {
      if (host.heapClass === cls && host.due === due) return;
      this.remove(host);
    }
    let heap = this.#heaps.get(cls);
    if (heap === undefined) {
      this.#heaps.set(cls, heap = new DueHeap());
      this.#classes = undefined;
    }
    host.heapClass = cls;
    host.due = due;
    heap.push(host);
  }

  remove(host: Host): void {
    if (host.heapAt < 0) return;
    const heap = this.#heaps.get(host.heapClass)!;
    heap.remove(host);
    if (heap.size === 0) {
      this.#heaps.delete(host.heapClass);
      this.#classes = undefined;
    }
  }

  /** Notes that the index on disk has a host of this class that becomes due then. */
  indexed(cls: number, due: number): void {
    const least = this.#disk.get(cls);
    if (least === undefined) this.#classes = undefined;
    if (least === undefined || due < least) this.#disk.set(cls, due);
  }

  /**
   * Takes the next host that is due by `limit` out of the schedule. `bring` makes a host of the
   * index one of memory and schedules it.
   */
  next(limit: number, bring: (row: HostRow) => void): Host | undefined {
    for (const cls of this.#order()) {
      for (;;) {
        const top = this.#heaps.get(cls)?.top;
        const disk = this.#disk.get(cls) ?? Infinity;
        if (disk <= limit && (top === undefined || disk <= top.due)) {
          this.#refill(cls, limit, bring);
          continue;
        }
        if (top === undefined || top.due > limit) break;
        this.remove(top);
        return top;
      }
    }
    return undefined;
  }

  #order(): number[] {
    this.#classes ??= [...new Set([...this.#heaps.keys(), ...this.#disk.keys()])]
      .sort((a, b) => b - a);
    return this.#classes;
  }

  #refill(cls: number, limit: number, bring: (row: HostRow) => void): void {
    for (const row of this.#store.takeDue(cls, limit, REFILL)) bring(row);
    const least = this.#store.leastDue(cls);
    if (least < Infinity) {
      this.#disk.set(cls, least);
    } else {
      this.#disk.delete(cls);
      this.#classes = undefined;
    }
  }

  /** Hosts that must wait, the longest due moment, and the soonest one of those that wait. */
  waiting(now: number): { blocked: number; oldest: number; next: number } {
    let { blocked, oldest, next } = this.#waitingOnDisk(now);
    for (const heap of this.#heaps.values()) {
      const { count, least } = heap.after(now);
      blocked += count;
      oldest = Math.min(oldest, heap.top!.due);
      next = Math.min(next, least);
    }
    return { blocked, oldest, next };
  }

  #waitingOnDisk(now: number): { blocked: number; oldest: number; next: number } {
    let blocked = 0, oldest = Infinity, next = Infinity;
    for (const row of this.#store.waitingByClass(now)) {
      blocked += row.n;
      oldest = Math.min(oldest, row.oldest);
      next = Math.min(next, row.next);
    }
    return { blocked, oldest, next };
  }
}
