import type { RenderPoolError } from "./pool_error.ts";
import type { PoolExtractor } from "./pool_types.ts";

/** How a {@linkcode RenderPool} is made. */
export interface RenderPoolOptions {
  /**
   * Module that every worker runs: it calls `serveRenderPool` with the parts it brings along. To be written
   * as `new URL("./worker.ts", import.meta.url)`, so that tools which bundle and compile find it.
   */
  readonly worker: URL;
  /** Workers. */
  readonly width: number;
  /** What finds the content of pages. @default "main" */
  readonly extractor?: PoolExtractor;
  /** Bytes of pages that may be in the pool, unless a single page is larger. @default 67108864 */
  readonly queueBytes?: number;
  /** Bytes of rows that may be under way to the writers, all workers together. @default queueBytes */
  readonly sinkBytes?: number;
  /** Milliseconds a page may take. @default 5000 */
  readonly deadlineMs?: number;
  /** Heap of each worker, or of its child, in MB. Bodies and rows are outside it. @default 256 */
  readonly memoryMb?: number;
  /** Most bytes that a body decodes to. @default 67108864 */
  readonly maxDecodedBytes?: number;
  /** Program and arguments that start the children of `readability` and `raw`; see `IsolatedOptions`. */
  readonly childCommand?: readonly [program: string, ...args: string[]];
  /** Handed to the worker's `assembler`; must be possible to clone. */
  readonly setup?: unknown;
  /**
   * Where rows go: called for every worker that starts, replacements included, for its ends of channels to
   * the writers, one a writer. The writers' ends speak as `receiveRows` does.
   */
  readonly connect?: () => readonly MessagePort[];
  /**
   * Takes the rows on this thread, where there is no `connect`. What it returns is waited for before the
   * row's bytes are used again. If it throws, the pool fails.
   */
  readonly onRow?: (row: Uint8Array<ArrayBuffer>) => void | Promise<void>;
  /** Pages known to break renderers, by key, with the reason: they are not tried again. */
  readonly poison?: Iterable<readonly [key: string, reason: string]>;
  /** Most such pages remembered; the oldest are forgotten. @default 10000 */
  readonly maxPoison?: number;
  /** Told of each new one, so that it can be kept for the next start. If it throws, the pool fails. */
  readonly onPoison?: (key: string, reason: string) => void;
  /** Told once when the pool cannot go on. {@linkcode RenderPool.push} and `close` reject with the same. */
  readonly onError?: (error: RenderPoolError) => void;
}

/** What a pool did. The three times add up to `width` times `elapsedMs`. */
export interface RenderPoolFigures {
  /** Workers. */
  readonly width: number;
  /** Milliseconds since the pool was made, until it was closed. */
  readonly elapsedMs: number;
  /** Milliseconds that workers were at a page. */
  readonly renderingMs: number;
  /** Milliseconds that workers held a row for which the sink had no room. */
  readonly waitingMs: number;
  /** Milliseconds that workers had nothing to do, starting included. */
  readonly idleMs: number;
  /** Pages whose row has been sent. */
  readonly pages: number;
  /** Of them, those that could not be rendered. */
  readonly failed: number;
  /** Of those, the ones that a worker or its child did not survive. */
  readonly poison: number;
  /** Of those that could not be rendered, the ones remembered from before and not tried. */
  readonly remembered: number;
  /** Threads that did not stop at the deadline by themselves; nothing can end one but the process's end. */
  readonly stuck: number;
  /** Most bytes of pages in the pool. */
  readonly queueBound: number;
  /** Bytes of the pages in it now. */
  readonly queueBytes: number;
  /** The most there were. */
  readonly queuePeak: number;
  /** Most bytes of rows under way to the writers. */
  readonly sinkBound: number;
  /** Bytes of the rows under way now. */
  readonly sinkBytes: number;
  /** The most there were. */
  readonly sinkPeak: number;
}
