/**
 * One worker of the pool as the pool sees it.
 *
 * @module
 */

import process from "node:process";
import type { Worker } from "node:worker_threads";
import { Doing, LaneCells } from "./_pool_cells.ts";
import { type Effort, encodePages, type SpareBuffers } from "./_pool_message.ts";
import type { FromLane, LaneSetup, ToLane } from "./_pool_setup.ts";
import type { PoolPage } from "./pool_types.ts";
import { threadModule } from "./_thread_module.ts";

/** Of each worker's heap, for what has just been made: with half of it garbage costs more, twice gains little. */
const YOUNG_MB = 24;

/** A page on its way through the pool. */
export interface Job {
  readonly page: PoolPage;
  /** Bytes it counts for. */
  readonly size: number;
  /** Whether it was remembered as one that breaks renderers. */
  readonly known: boolean;
  effort: Effort;
  reason: string;
}

/** What a lane tells the pool. */
export interface LaneEvents {
  /** It may be given pages for the first time. */
  ready(lane: Lane): void;
  /** It may be given more. */
  free(lane: Lane): void;
  /** A page's row has been sent. */
  finished(lane: Lane, job: Job): void;
  /** A page could not be rendered, its row is yet to come. `poison`: the worker did not survive it. */
  failed(lane: Lane, job: Job, reason: string, poison: boolean): void;
  /**
   * The worker is gone, or must go. `blamed` is the page it was at, which has no row; `left` are those
   * that it had not begun.
   */
  lost(lane: Lane, blamed: Job | undefined, left: readonly Job[], reason: string): void;
  /** The pool cannot work. */
  fatal(message: string): void;
}

/** A worker with the pages given to it. */
export class Lane {
  readonly cells = new LaneCells();
  readonly #worker: Worker;
  readonly #ports: readonly MessagePort[];
  readonly #events: LaneEvents;
  readonly #spare: SpareBuffers;
  readonly #listening = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #jobs: Job[] = [];
  #settled = 0;
  #bytes = 0;
  /** Buffers it has. */
  #batches = 0;
  #ready = false;
  #gone = false;
  #error = "";
  /** What was seen at the last look, and when that was first seen. */
  #seen = { started: -1, doing: Doing.Idle, at: 0 };

  constructor(
    module: URL,
    setup: Omit<LaneSetup, "lane">,
    ports: readonly MessagePort[],
    spare: SpareBuffers,
    events: LaneEvents,
  ) {
    this.#ports = ports;
    this.#events = events;
    this.#spare = spare;
    // Loaded when it is needed, not by everyone who imports the room for its links.
    const threads = process.getBuiltinModule("node:worker_threads");
    this.#worker = new threads.Worker(threadModule(module), {
      workerData: { ...setup, lane: this.cells.buffer } satisfies LaneSetup,
      resourceLimits: {
        maxOldGenerationSizeMb: setup.memoryMb,
        maxYoungGenerationSizeMb: YOUNG_MB,
      },
    });
    this.#worker.on("message", (message: FromLane) => this.#message(message));
    this.#worker.on("error", (error: unknown) => {
      this.#error = error instanceof Error ? error.message : String(error);
    });
    this.#worker.on("exit", (code: number) => {
      const out = this.#error.includes("memory limit");
      this.lose(
        out
          ? "it ran out of memory"
          : `the thread that rendered it ended (code ${code}${this.#error && `: ${this.#error}`})`,
      );
    });
  }

  /** Whether it takes pages. */
  get ready(): boolean {
    return this.#ready;
  }

  /** How many times it was given pages that it has not come to the end of. */
  get batches(): number {
    return this.#batches;
  }

  /** Bytes of the pages given to it and not finished. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Give it pages. */
  send(jobs: readonly Job[]): void {
    for (const job of jobs) {
      this.#jobs.push(job);
      this.#bytes += job.size;
    }
    this.#batches++;
    const buffer = encodePages(jobs, this.#spare);
    this.#worker.postMessage(buffer satisfies ToLane, [buffer]);
  }

  /**
   * Whether it has been at the same page, or at starting, for too long: to be asked now and then. Time counts
   * from when it was first seen there.
   */
  overdue(pageMs: number, startMs: number, now: number): boolean {
    if (this.#gone) return false;
    const { started, doing } = this.cells, seen = this.#seen;
    const resting = this.#ready && doing !== Doing.Rendering;
    if (resting || seen.started !== started || seen.doing !== doing) {
      this.#seen = { started, doing, at: now };
      return false;
    }
    return now - seen.at > (this.#ready ? pageMs : startMs);
  }

  /** Settle what it finished, then give up on it: whoever hears of that is to stop it. */
  lose(reason: string): void {
    if (this.#gone) return;
    this.#gone = true;
    const { started, finished, doing } = this.cells;
    this.#settle(finished);
    const at = doing === Doing.Rendering ? started - finished - 1 : -1;
    const blamed = this.#jobs[at];
    const left = this.#jobs.filter((job) => job !== blamed);
    this.#jobs = [];
    this.#events.lost(this, blamed, left, reason);
  }

  /** Let it finish what it has, say so to the writers, and end. */
  async end(): Promise<void> {
    // What is said to a thread that does not listen yet is lost; it cannot have pages either.
    await Promise.race([this.#listening.promise, this.#ended.promise]);
    if (!this.#gone) this.#worker.postMessage("end" satisfies ToLane);
    await this.#ended.promise;
    await this.stop();
  }

  /** End it now. A thread that is busy in native code may go on until that returns. */
  async stop(): Promise<void> {
    this.#gone = true;
    this.#ready = false;
    this.#ended.resolve();
    await this.#worker.terminate();
  }

  #message(message: FromLane): void {
    if (this.#gone) return;
    if (message === "listening") {
      const ports = this.#ports;
      // deno-lint-ignore no-explicit-any
      this.#worker.postMessage({ ports } satisfies ToLane, ports as any);
      this.#listening.resolve();
    } else if (message === "ready") {
      this.#ready = true;
      this.#events.ready(this);
    } else if (message === "unfit") this.lose("");
    else if (message === "ended") this.#ended.resolve();
    else if (typeof message === "number") {
      this.#settle(message);
      this.#events.free(this);
    } else if ("fatal" in message) this.#events.fatal(message.fatal);
    else if ("failed" in message) {
      const job = this.#jobs[message.ordinal - this.#settled - 1]!;
      this.#events.failed(this, job, message.failed, message.poison);
    } else {
      this.#spare.give(message[0]);
      this.#batches--;
      this.#settle(message[1]);
      this.#events.free(this);
    }
  }

  #settle(finished: number): void {
    while (this.#settled < finished) {
      this.#settled++;
      const job = this.#jobs.shift()!;
      this.#bytes -= job.size;
      this.#events.finished(this, job);
    }
  }
}
