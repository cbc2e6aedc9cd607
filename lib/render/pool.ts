import { LanguageThread } from "./_language_thread.ts";
import { type Job, Lane, type LaneEvents } from "./_pool_lane.ts";
import { SinkCells } from "./_pool_cells.ts";
import { Effort, SpareBuffers } from "./_pool_message.ts";
import { PoisonList } from "./_poison.ts";
import { release } from "./_release.ts";
import { RenderPoolError } from "./pool_error.ts";
import type { RenderPoolFigures, RenderPoolOptions } from "./pool_options.ts";
import type { PoolPage } from "./pool_types.ts";
import { receiveRows, type RowReceiver } from "./rows.ts";

/** Pages go to a worker together below this: a message costs as much as a small page. */
const BATCH_BYTES = 192 * 1024;
/** Pages wait behind others in a worker only below this, so that few are held up by a slow one. */
const PREFETCH_BYTES = 256 * 1024;
/** What a page counts for beside its bytes. */
const PAGE_OVERHEAD = 4096;
/** A worker that does not start within this never will. */
const START_MS = 60_000;
/** Workers that may end one after the other without a page between them. */
const MOST_LOST = 5;
/** Threads that may go on unseen, each perhaps at full speed, before the process is better started anew. */
const MOST_STUCK = 8;

/**
 * Renders pages on several threads, in bounded memory, whatever the pages are.
 *
 * Every page comes out as one row, once: rendered, or with the reason why not. What breaks a worker (an
 * endless loop, its heap's limit, a crash) costs that worker, which is replaced, and is remembered.
 * Rows come in no particular order.
 *
 * No thread can be ended from outside: a page's time and heap are bounded by asking the engine to stop at the
 * next check, which nearly every loop has, but not every compiled one. So this is the second line: the
 * extractor `main` is bounded by itself, and the others run in child processes, which can be killed.
 */
export class RenderPool implements AsyncDisposable {
  readonly #options: RenderPoolOptions;
  readonly #queueBound: number;
  readonly #sinkBound: number;
  readonly #limitMs: number;
  readonly #poison: PoisonList;
  readonly #sink = new SinkCells();
  readonly #spare: SpareBuffers;
  readonly #languages: LanguageThread | undefined;
  /** Workers, each with its place at the language thread, which its successor inherits. */
  readonly #lanes = new Map<Lane, number>();
  readonly #receivers = new Set<RowReceiver>();
  readonly #queue: Job[] = [];
  readonly #waiting: { job: Job; resolve: () => void; reject: (error: Error) => void }[] = [];
  readonly #begun = performance.now();
  readonly #watch: ReturnType<typeof setInterval>;
  readonly #lookEveryMs: number;
  #lookedAt = performance.now();
  /** Time between looks. What passed while this thread, or the whole process, stood still is not all in it. */
  #watchedMs = 0;
  #ended: number | undefined;
  #held = 0;
  #peak = 0;
  #rows = 0;
  #pages = 0;
  #failed = 0;
  #remembered = 0;
  #stuck = 0;
  #spent = { rendering: 0, waiting: 0 };
  #lostInARow = 0;
  #closed = false;
  #stopped = false;
  #error: RenderPoolError | undefined;
  #whenDrained: PromiseWithResolvers<void> | undefined;

  /** Start the workers. That they do not start shows in {@linkcode RenderPool.push}. */
  constructor(options: RenderPoolOptions) {
    const { width, queueBytes = 64 * 2 ** 20, deadlineMs = 5_000 } = options;
    if (!Number.isInteger(width) || width < 1) {
      throw new RangeError(`Cannot make a render pool: ${width} is no number of workers`);
    }
    this.#options = options;
    this.#queueBound = queueBytes;
    this.#sinkBound = options.sinkBytes ?? queueBytes;
    // A page may take its time twice: to be rendered, and as the row of one that was not.
    this.#limitMs = 3 * deadlineMs + (isolated(options) ? 12_000 : 2_000);
    this.#poison = new PoisonList(options.poison ?? [], options.maxPoison ?? 10_000);
    this.#spare = new SpareBuffers(width * 2 + 2);
    this.#lookEveryMs = Math.min(1_000, Math.max(20, deadlineMs / 4));
    this.#watch = setInterval(() => this.#look(), this.#lookEveryMs);
    if (options.extractor !== "none") {
      this.#languages = new LanguageThread(width, {
        ready: () => this.#dispatch(),
        fatal: (message, restart) =>
          this.#fail(new RenderPoolError(`Cannot render: ${message}`, { restart }), true),
      });
    }
    for (let place = 0; place < width; place++) this.#start(place);
  }

  /**
   * Give a page to the pool. Resolves when it has room for it, which is to be waited for before the next.
   *
   * @throws {RenderPoolError} When the pool has failed, was aborted, or was closed before.
   */
  push(page: PoolPage): Promise<void> {
    const refused = this.#error ?? (this.#closed ? closedError() : undefined);
    if (refused !== undefined) return Promise.reject(refused);
    const size = page.body.length + page.rest.length + PAGE_OVERHEAD;
    const reason = this.#poison.get(page.key);
    const job: Job = {
      page,
      size,
      known: reason !== undefined,
      effort: reason === undefined ? Effort.Render : Effort.Decode,
      reason: reason ?? "",
    };
    if (this.#waiting.length === 0 && this.#fits(size)) {
      this.#admit(job);
      this.#dispatch();
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => this.#waiting.push({ job, resolve, reject }));
  }

  /** What it did so far. */
  get figures(): RenderPoolFigures {
    const { width } = this.#options;
    const elapsedMs = (this.#ended ?? performance.now()) - this.#begun;
    let { rendering, waiting } = this.#spent;
    for (const lane of this.#lanes.keys()) {
      rendering += lane.cells.spent.rendering;
      waiting += lane.cells.spent.waiting;
    }
    const all = width * elapsedMs;
    rendering = Math.min(rendering, all);
    waiting = Math.min(waiting, all - rendering);
    return {
      width,
      elapsedMs,
      renderingMs: rendering,
      waitingMs: waiting,
      idleMs: all - rendering - waiting,
      pages: this.#pages,
      failed: this.#failed,
      poison: this.#poison.found,
      remembered: this.#remembered,
      stuck: this.#stuck,
      queueBound: this.#queueBound,
      queueBytes: this.#held,
      queuePeak: this.#peak,
      sinkBound: this.#sinkBound,
      sinkBytes: this.#sink.bytes,
      sinkPeak: this.#sink.peak,
    };
  }

  /**
   * Take no more, let everything pushed come out, and end the workers, each of which tells its writers so. With
   * `onRow`, resolves after the last row was handled.
   *
   * @throws {RenderPoolError} When the pool has failed.
   */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#error === undefined && !this.#drained()) {
      this.#whenDrained ??= Promise.withResolvers();
      await this.#whenDrained.promise;
    }
    if (this.#error !== undefined) throw this.#error;
    if (this.#stopped) return;
    await Promise.all([...this.#lanes.keys()].map((lane) => lane.end()));
    await this.#stop();
  }

  /** End at once; what is in the pool is lost. Does nothing after `close`. */
  async abort(): Promise<void> {
    this.#closed = true;
    if (!this.#stopped) {
      this.#fail(new RenderPoolError("Cannot render: the pool was aborted"), false);
    }
    await this.#stop();
  }

  /** The same as {@linkcode RenderPool.abort}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }

  #fits(size: number): boolean {
    return this.#held === 0 || this.#held + size <= this.#queueBound;
  }

  #admit(job: Job): void {
    this.#held += job.size;
    if (this.#held > this.#peak) this.#peak = this.#held;
    this.#queue.push(job);
  }

  /** Give pages to whoever has the least to do: as many small ones at a time as are there for each. */
  #dispatch(): void {
    if (this.#languages?.ready === false) return; // a page would wait for it, in its own time
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      const lane = this.#leastLoaded(next.size);
      if (lane === undefined) return;
      const most = Math.ceil(this.#queue.length / this.#lanes.size);
      let count = 1, bytes = next.size;
      while (count < most && bytes + this.#queue[count]!.size <= BATCH_BYTES) {
        bytes += this.#queue[count++]!.size;
      }
      lane.send(this.#queue.splice(0, count));
    }
  }

  /** One without work, else one with so little that more may wait behind it. */
  #leastLoaded(size: number): Lane | undefined {
    let best: Lane | undefined;
    for (const lane of this.#lanes.keys()) {
      if (!lane.ready) continue;
      if (lane.batches === 0) return lane;
      if (lane.batches > 1 || lane.bytes + size > PREFETCH_BYTES) continue;
      if (best === undefined || lane.bytes < best.bytes) best = lane;
    }
    return best;
  }

  readonly #events: LaneEvents = {
    ready: () => this.#dispatch(),
    free: () => {
      this.#admitWaiting();
      this.#dispatch();
    },
    finished: (_, job) => this.#finished(job),
    failed: (_, job, reason, poison) => {
      // One that was not tried is counted when it is finished.
      if (job.effort !== Effort.Render) return;
      job.reason = reason;
      if (poison) this.#remember(job, reason);
    },
    lost: (lane, blamed, left, reason) => this.#lost(lane, blamed, left, reason),
    fatal: (message) => this.#fail(new RenderPoolError(`Cannot render: ${message}`), true),
  };

  #finished(job: Job): void {
    this.#lostInARow = 0;
    this.#held -= job.size;
    if (job.page.owned) release(job.page.body);
    this.#pages++;
    if (job.reason !== "") this.#failed++;
    if (job.known) this.#remembered++;
    this.#tellDrained();
  }

  #admitWaiting(): void {
    for (let next = this.#waiting[0]; next && this.#fits(next.job.size); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#admit(next.job);
      next.resolve();
    }
  }

  get #failing(): boolean {
    return this.#stopped || this.#error !== undefined;
  }

  #remember(job: Job, reason: string): void {
    this.#poison.add(job.page.key, reason);
    try {
      this.#options.onPoison?.(job.page.key, reason);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      this.#fail(new RenderPoolError(`Cannot remember a page: ${why}`, { cause }), true);
    }
  }

  #lost(lane: Lane, blamed: Job | undefined, left: readonly Job[], reason: string): void {
    const place = this.#lanes.get(lane)!;
    this.#retire(lane);
    // Once it has ended; until then it counts what comes back itself.
    void lane.stop().then(() => this.#sink.add(-lane.cells.sent));
    if (this.#failing) return;
    // Those that failed on the way and whose row has not gone are tried again.
    for (const job of left) if (job.effort === Effort.Render) job.reason = "";
    this.#queue.unshift(...left);
    if (blamed !== undefined) {
      if (blamed.effort === Effort.Render) {
        // Else it was told before the worker died of what followed.
        if (blamed.reason === "") this.#remember(blamed, reason);
        if (this.#failing) return;
      } else if (blamed.effort === Effort.Bare) {
        return this.#fail(new RenderPoolError(`Cannot make a row: ${reason}`), true);
      }
      blamed.effort++;
      blamed.reason ||= reason;
      this.#queue.unshift(blamed);
    } else if (++this.#lostInARow > MOST_LOST) {
      return this.#fail(new RenderPoolError(`Cannot start a worker of the pool: ${reason}`), true);
    }
    this.#start(place);
    this.#admitWaiting();
    this.#dispatch();
  }

  /** Keep the figures of one that ends. */
  #retire(lane: Lane): void {
    if (!this.#lanes.delete(lane)) return;
    const { rendering, waiting } = lane.cells.spent;
    this.#spent.rendering += rendering;
    this.#spent.waiting += waiting;
  }

  #start(place: number): void {
    const { extractor = "main", deadlineMs = 5_000, memoryMb = 256, width } = this.#options;
    const { childCommand, maxDecodedBytes = 64 * 2 ** 20, setup } = this.#options;
    const lane = new Lane(
      this.#options.worker,
      {
        sink: this.#sink.buffer,
        ...(this.#languages && { languages: { cells: this.#languages.cells.buffer, place } }),
        extractor,
        deadlineMs,
        memoryMb,
        maxDecoded: maxDecodedBytes,
        window: Math.floor(this.#sinkBound / width),
        ...(childCommand !== undefined && { childCommand }),
        assembly: setup,
      },
      this.#options.connect?.() ?? [this.#ownPort()],
      this.#spare,
      this.#events,
    );
    this.#lanes.set(lane, place);
  }

  /** A way from a worker to this thread. */
  #ownPort(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const receiver = receiveRows(port1, async (row) => {
      await this.#options.onRow?.(row);
      this.#rows++;
      this.#tellDrained();
    });
    this.#receivers.add(receiver);
    receiver.ended.catch((cause) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      this.#fail(new RenderPoolError(`Cannot take a row: ${why}`, { cause }), true);
    });
    return port2;
  }

  #look(): void {
    const at = performance.now();
    const now = this.#watchedMs += Math.min(at - this.#lookedAt, 2 * this.#lookEveryMs);
    this.#lookedAt = at;
    this.#languages?.look(now);
    for (const lane of this.#lanes.keys()) {
      if (!lane.overdue(this.#limitMs, START_MS, now)) continue;
      if (!lane.ready) {
        lane.lose("it does not start");
        continue;
      }
      if (!lane.cells.shut()) continue; // it does something after all
      const { deadlineMs = 5_000 } = this.#options;
      lane.lose(`it took longer than ${deadlineMs} ms`);
      if (++this.#stuck <= MOST_STUCK) continue;
      const why =
        `${this.#stuck} threads hang at pages that they cannot be stopped at; start again`;
      this.#fail(new RenderPoolError(`Cannot go on rendering: ${why}`, { restart: true }), true);
    }
  }

  #drained(): boolean {
    return this.#held === 0 && this.#waiting.length === 0 &&
      (this.#options.connect !== undefined || this.#rows === this.#pages);
  }

  #tellDrained(): void {
    if (this.#whenDrained !== undefined && this.#drained()) this.#whenDrained.resolve();
  }

  #fail(error: RenderPoolError, tell: boolean): void {
    if (this.#error !== undefined || this.#stopped) return;
    this.#error = error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    this.#whenDrained?.resolve();
    if (tell) this.#options.onError?.(error);
    void this.#stop();
  }

  async #stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#watch);
    this.#ended ??= performance.now();
    this.#queue.length = 0;
    for (const receiver of this.#receivers) receiver.close();
    const lanes = [...this.#lanes.keys()];
    for (const lane of lanes) this.#retire(lane);
    await Promise.all([...lanes.map((lane) => lane.stop()), this.#languages?.stop()]);
  }
}

function closedError(): RenderPoolError {
  return new RenderPoolError("Cannot render: the pool is closed");
}

function isolated({ extractor }: RenderPoolOptions): boolean {
  return extractor === "readability" || extractor === "raw";
}
