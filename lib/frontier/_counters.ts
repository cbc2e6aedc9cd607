/**
 * The figures of a state that commit with what they count.
 *
 * @module
 */

import type { ClockMark } from "./_clock.ts";

/** Most classes and reasons counted apart; the rest count as `other`. */
const MAX_KINDS = 64;
/** The ring of (moment, answered) pairs behind "pages a second". */
const RING = 31, RING_STEP = 2000;

/** Everything the state counts. Kept as one JSON value. */
export interface Counters {
  nextSeq: number;
  nextHost: number;
  generation: number;
  /** URLs that are not ended. */
  live: number;
  /** Those of them under lease at the last commit. */
  leased: number;
  answered: number;
  failed: number;
  skipped: number;
  failedBy: Record<string, number>;
  skippedBy: Record<string, number>;
  known: number;
  staged: number;
  /** Pages that are visited again, and those of them that are queued or under lease. */
  visits: number;
  revisiting: number;
  /** URLs in the log of ended ones. */
  ended: number;
  activeHosts: number;
  excludedHosts: number;
  paused: boolean;
  clock: ClockMark | undefined;
  ring: [at: number, answered: number][];
}

/** The figures of a new state. */
export function newCounters(): Counters {
  return {
    nextSeq: 1,
    nextHost: 1,
    generation: 1,
    live: 0,
    leased: 0,
    answered: 0,
    failed: 0,
    skipped: 0,
    failedBy: {},
    skippedBy: {},
    known: 0,
    staged: 0,
    visits: 0,
    revisiting: 0,
    ended: 0,
    activeHosts: 0,
    excludedHosts: 0,
    paused: false,
    clock: undefined,
    ring: [],
  };
}

/** Counts one of a kind, within the bound. */
export function countKind(counts: Record<string, number>, kind: string): void {
  const key = kind === "" ? "other" : kind.slice(0, 200);
  const named = Object.hasOwn(counts, key) || Object.keys(counts).length < MAX_KINDS
    ? key
    : "other";
  // An own property even for a name like "__proto__".
  Object.defineProperty(counts, named, {
    value: (Object.hasOwn(counts, named) ? counts[named]! : 0) + 1,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

/** Notes how many pages were answered by now. */
export function ringMark(counters: Counters, now: number): void {
  const last = counters.ring.at(-1);
  if (last !== undefined && now - last[0] < RING_STEP) return;
  counters.ring.push([now, counters.answered]);
  if (counters.ring.length > RING) counters.ring.shift();
}

/** Answered pages a second over the last minute. */
export function ringRate(counters: Counters, now: number): number {
  const first = counters.ring.find(([at]) => now - at <= 60_000);
  if (first === undefined || now <= first[0]) return 0;
  return (counters.answered - first[1]) * 1000 / (now - first[0]);
}
