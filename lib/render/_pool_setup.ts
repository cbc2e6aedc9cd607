/** What the pool and its workers say to each other, pages aside. */

import type { PoolExtractor } from "./pool_types.ts";

/** Given to a worker when it starts. */
export interface LaneSetup {
  readonly lane: SharedArrayBuffer;
  readonly sink: SharedArrayBuffer;
  /** Where languages are asked for, and this worker's place there; absent where nothing is rendered. */
  readonly languages?: { readonly cells: SharedArrayBuffer; readonly place: number };
  readonly extractor: PoolExtractor;
  readonly deadlineMs: number;
  readonly memoryMb: number;
  readonly maxDecoded: number;
  /** Bytes of this worker's rows under way. */
  readonly window: number;
  readonly childCommand?: readonly [program: string, ...args: string[]];
  /** For the assembly of rows. */
  readonly assembly: unknown;
}

/** To a worker: its ports; pages; or that none follow. */
export type ToLane = { readonly ports: readonly MessagePort[] } | ArrayBuffer | "end";

/** From a worker. Pages are known by their ordinal: the first one given to it is 1. */
export type FromLane =
  /** It listens: what is sent before may be late, or in another order. */
  | "listening"
  /** It has its ports and can begin. */
  | "ready"
  /** A buffer is read, and how many pages' rows have been sent. */
  | readonly [buffer: ArrayBuffer, finished: number]
  /** How many have been sent, said before waiting for the sink. */
  | number
  /** A page could not be rendered; its row is yet to come. */
  | { readonly ordinal: number; readonly failed: string; readonly poison: boolean }
  /** Work was stopped halfway: it is to be replaced. All rows there are have been sent. */
  | "unfit"
  /** It has ended as told. */
  | "ended"
  /** The pool cannot work. */
  | { readonly fatal: string };
