/**
 * The thread that tells languages for all workers of a pool. Its tables take about as much memory as
 * everything else in a worker, and what lives long in a thread that makes much garbage costs time.
 *
 * @module
 */

import process from "node:process";
import type { Worker } from "node:worker_threads";
import { LanguageCells, type Question } from "./_language_cells.ts";
import { threadModule } from "./_thread_module.ts";

/** A thread that has not begun to answer after so many starts in a row never will. */
const MOST_STARTS = 5;
/** Threads that may be left at a question, each perhaps at full speed. */
const MOST_STUCK = 4;
/** How long a start may take, in ms. */
const START_MS = 60_000;
/** How long a question of a thousand letters, which is a matter of a millisecond, may take, in ms. */
const QUESTION_MS = 10_000;
/** What it holds is loaded once and stays; the garbage of a question is next to nothing. */
const MEMORY_MB = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 6 };

/** What it tells the pool. */
export interface LanguageThreadEvents {
  /** It answers, for the first time or again. */
  ready(): void;
  /** It cannot be kept alive. `restart`: a new process may get further. */
  fatal(message: string, restart: boolean): void;
}

/** What a thread is given: the questions, and how long it may answer them. */
export interface LanguageTerm {
  readonly cells: SharedArrayBuffer;
  readonly term: number;
}

/**
 * The thread, started anew if it should end. The question that it ended at, or that it hangs at, is answered with
 * no language; the others wait for the next thread, as long as those who ask are patient.
 */
export class LanguageThread {
  readonly cells: LanguageCells;
  readonly #events: LanguageThreadEvents;
  readonly #module: URL;
  #worker: Worker | undefined;
  #ready = false;
  #stopped = false;
  #starts = 0;
  #stuck = 0;
  #answered = 0;
  /** What was seen at the last look, and when that was first seen. */
  #seen: { ready: boolean; question: Question | undefined; at: number } | undefined;

  /** @param places How many may ask at once. */
  constructor(
    places: number,
    events: LanguageThreadEvents,
    module: URL = new URL("./_language_worker.ts", import.meta.url),
  ) {
    this.#module = module;
    this.cells = new LanguageCells(places);
    this.#events = events;
    this.#start();
  }

  /** Whether it answers. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Has a thread replaced that is at the same question for too long: to be called now and then. */
  look(now: number): void {
    if (this.#stopped) return;
    const ready = this.#ready, question = this.cells.serving, seen = this.#seen;
    const same = seen !== undefined && seen.ready === ready &&
      seen.question?.place === question?.place && seen.question?.ticket === question?.ticket;
    if (!same || (ready && question === undefined)) {
      this.#seen = { ready, question, at: now };
      return;
    }
    if (now - seen.at <= (ready ? QUESTION_MS : START_MS)) return;
    if (!ready) return this.#fail("it does not start", false);
    // It says that it ended before terminate() returns: that must not be taken for an end of its own.
    const stuck = this.#worker!;
    this.#worker = undefined;
    void stuck.terminate();
    if (++this.#stuck > MOST_STUCK) {
      return this.#fail(`${this.#stuck} of them hang at what they were asked; start again`, true);
    }
    this.#again("it hangs");
  }

  /** End it. Whoever waits for an answer gets none. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#ready = false;
    this.cells.close();
    await this.#worker?.terminate();
  }

  #start(): void {
    this.#starts++;
    this.#answered = this.cells.answered;
    this.#seen = undefined;
    const threads = process.getBuiltinModule("node:worker_threads");
    const worker = this.#worker = new threads.Worker(threadModule(this.#module), {
      workerData: {
        cells: this.cells.buffer,
        term: this.cells.nextTerm(),
      } satisfies LanguageTerm,
      resourceLimits: MEMORY_MB,
    });
    let error = "";
    worker.on("message", () => {
      if (worker !== this.#worker || this.#stopped) return;
      this.#ready = true;
      this.#events.ready();
    });
    worker.on("error", (cause: unknown) => {
      error = cause instanceof Error ? cause.message : String(cause);
    });
    worker.on("exit", (code: number) => {
      if (worker !== this.#worker || this.#stopped) return;
      this.#again(error === "" ? `it ends with code ${code}` : error);
    });
  }

  #again(why: string): void {
    this.#ready = false;
    const question = this.cells.serving;
    if (question !== undefined) this.cells.giveUp(question);
    if (this.cells.answered !== this.#answered) this.#starts = 0;
    if (this.#starts >= MOST_STARTS) return this.#fail(why, false);
    this.#start();
  }

  #fail(why: string, restart: boolean): void {
    void this.stop();
    this.#events.fatal(`the thread that tells languages does not live: ${why}`, restart);
  }
}
