/** What the pool and its workers say to each other, pages aside. */

import type { PoolExtractor } from "./pool_types.ts";

/** Given to a worker when it starts. */
export interface LaneSetup {
  readonly lane: SharedArrayBuffer;
  readonly sink: SharedArrayBuffer;
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

/** To a worker: its ports; a page; or that none follows. */
export type ToLane = { readonly ports: readonly MessagePort[] } | ArrayBuffer | "end";

/**
 * From a worker: that it can begin; a page's buffer once its row is sent; the same of a page that could
 * not be rendered; that it has ended; that the pool cannot work.
 */
export type FromLane =
  | "ready"
  | ArrayBuffer
  | {
    readonly buffer: ArrayBuffer;
    readonly failed: string;
    /** Whether the worker must be replaced. */
    readonly unfit: boolean;
  }
  | "ended"
  | { readonly fatal: string };
