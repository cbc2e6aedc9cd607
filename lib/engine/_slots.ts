/** The hosts that the crawl holds a lease on, ordered by when they may be asked next. */

import type { HostLease, LeasedUrl } from "../frontier/mod.ts";
import type { Waiter } from "./_crowds.ts";
import { Heap } from "./_heap.ts";
import { decodeMemo, type PageMemo } from "./_memo.ts";

/** A leased URL and what was already spent on it. */
export interface Job {
  readonly lease: LeasedUrl;
  /** Transport failures so far in this page's budget. */
  tries: number;
  /** Milliseconds of the page's budget that are left. */
  leftMs: number;
  /** `performance.now()` of the first request; undefined before it. */
  startedAt?: number;
  /** What is known of a page that was visited before. */
  readonly memo: PageMemo | undefined;
}

/** One leased host. */
export interface Slot extends Waiter {
  readonly host: string;
  readonly jobs: Job[];
  /** `performance.now()` before which nothing is asked. */
  nextAt: number;
  /** ⌊log2⌋ of the first job's priority. */
  class: number;
  /** An operator's delay, in ms. */
  delayMs: number | undefined;
  failures: number;
  deferrals: number;
  busy: boolean;
  order: number;
  /** Set from outside: give the host back as soon as it is not busy. */
  blocked: boolean;
}

/** Slots by host; the due ones come out highest class first, then in the order they became due. */
export class SlotTable {
  #slots = new Map<string, Slot>();
  #waiting = new Heap<Slot>((a, b) => a.nextAt < b.nextAt);
  #due = new Heap<Slot>((a, b) => a.class !== b.class ? a.class > b.class : a.order < b.order);
  #order = 0;

  get size(): number {
    return this.#slots.size;
  }

  /** How many hosts are due, or will be at `at`; beyond `most` it does not matter. */
  countUntil(at: number, most: number): number {
    return this.#due.size + this.#waiting.count((slot) => slot.nextAt <= at, most);
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  get(host: string): Slot | undefined {
    return this.#slots.get(host);
  }

  /** Takes a lease in; `now` is `performance.now()`, `wall` the unix ms of the same moment. */
  add(lease: HostLease, timeoutMs: number, now: number, wall: number): Slot {
    const slot: Slot = {
      host: lease.host,
      jobs: lease.urls.map((url) => ({
        lease: url,
        tries: 0,
        leftMs: timeoutMs,
        memo: decodeMemo(url.memo),
      })),
      nextAt: now + Math.max(0, lease.notBefore - wall),
      class: 0,
      delayMs: lease.delayMs,
      failures: lease.failures,
      deferrals: lease.deferrals,
      busy: false,
      order: 0,
      crowd: undefined,
      blocked: false,
    };
    this.#slots.set(slot.host, slot);
    this.park(slot);
    return slot;
  }

  /** Puts a slot that is not busy back in line, to come out at its `nextAt`. */
  park(slot: Slot): void {
    slot.busy = false;
    slot.class = Math.floor(Math.log2(slot.jobs[0]!.lease.priority));
    slot.order = this.#order++;
    this.#waiting.push(slot);
  }

  /** The best slot that is due at `now`, marked busy; undefined for none. */
  take(now: number): Slot | undefined {
    for (let slot; (slot = this.#waiting.peek()) !== undefined && slot.nextAt <= now;) {
      this.#due.push(this.#waiting.pop()!);
    }
    const slot = this.#due.pop();
    if (slot !== undefined) slot.busy = true;
    return slot;
  }

  /** When the next waiting slot becomes due. */
  nextAt(): number | undefined {
    return this.#waiting.peek()?.nextAt;
  }

  /** Forgets a slot that was taken. */
  remove(slot: Slot): void {
    this.#slots.delete(slot.host);
  }

  /** Takes a host out of line, unless it is busy. */
  withdraw(host: string): Slot | undefined {
    const slot = this.#slots.get(host);
    if (slot === undefined || slot.busy) return undefined;
    this.#waiting.take((s) => s === slot) ?? this.#due.take((s) => s === slot);
    this.#slots.delete(host);
    return slot;
  }

  /**
   * Takes the waiting slots out of line that become due last, and not before `after`, `most` of them at
   * the most, so that their places can go to hosts that are due now. One whose page is between two
   * attempts stays. One pass over all, as there may be a thousand to take out of a hundred thousand.
   */
  withdrawLast(most: number, after: number): Slot[] {
    const last = new Heap<Slot>((a, b) => a.nextAt < b.nextAt);
    for (const slot of most > 0 ? this.#waiting : []) {
      if (slot.nextAt < after || slot.jobs[0]!.tries > 0) continue;
      if (last.size === most) {
        if (slot.nextAt <= last.peek()!.nextAt) continue;
        last.pop();
      }
      last.push(slot);
    }
    const taken = new Set(last.drain());
    if (taken.size === 0) return [];
    this.#waiting.keep((slot) => !taken.has(slot));
    for (const { host } of taken) this.#slots.delete(host);
    return [...taken];
  }

  /** Takes out everything that is not busy. */
  drain(): Slot[] {
    const idle = [...this.#waiting.drain(), ...this.#due.drain()];
    for (const slot of idle) this.#slots.delete(slot.host);
    return idle;
  }
}
