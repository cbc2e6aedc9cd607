/**
 * The life of a run: opened when its records are asked for, stopped by whoever wants to, closed once.
 */

import { asRunError } from "./errors.ts";

/** What does the work of a run. */
export interface RunLoop<R> {
  /** Whether nothing more is fetched. */
  readonly over: boolean;
  /** Whether something went wrong. */
  readonly failed: boolean;
  /** Yields records until the run is over; throws what ended it. */
  records(): AsyncGenerator<R, void, void>;
  /**
   * Resolves when everything is durable or given back; throws what ended the run where `records` did not
   * come to it.
   */
  end(): Promise<void>;
}

/** Takes a step of a start back. */
export type Undo = () => unknown;

/** What {@linkcode RunLife} needs. */
export interface RunLifeOptions<P> {
  /** Ends the run, as {@linkcode RunLife.stop} does. */
  readonly signal: AbortSignal | undefined;
  /** Told once that the run is to end before its work does. */
  readonly onStopping: (reason: string) => void;
  /** Opens what the run is made of, and puts into `undo` how each step of that is taken back. */
  readonly open: (stop: AbortSignal, undo: Undo[]) => Promise<P>;
  /** Told when all that was open is closed. */
  readonly onEnd: () => void;
}

/** See the module. A run without a `loop` has nothing to do. */
export class RunLife<R, P extends { readonly loop?: RunLoop<R> }> {
  readonly #options: RunLifeOptions<P>;
  readonly #stop = new AbortController();
  /** Aborted when nobody need be listened to any more: a listener keeps a timeout's process alive. */
  readonly #left = new AbortController();
  readonly #undo: Undo[] = [];
  #opening: Promise<P> | undefined;
  /** Whether the opening is under way. */
  #atOpening = false;
  #closing: Promise<void> | undefined;
  #parts: P | undefined;

  constructor(options: RunLifeOptions<P>) {
    this.#options = options;
    const { signal } = options;
    const stop = () => this.stop("told to stop");
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true, signal: this.#left.signal });
  }

  /** What the run is made of, once it is open. */
  get parts(): P | undefined {
    return this.#parts;
  }

  /** Ends the run before its work is done; one that is over by itself is not said to be stopped. */
  stop(reason: string): void {
    if (this.#stop.signal.aborted) return;
    const over = this.#parts !== undefined && this.#parts.loop?.over !== false;
    if (!over) this.#options.onStopping(reason);
    this.#stop.abort();
  }

  /**
   * Opens the run and yields its records; when these end or are left, it is closed. Several readers share
   * them. Nothing is opened once it was disposed of.
   */
  async *records(): AsyncGenerator<R, void, void> {
    if (this.#opening === undefined && this.#left.signal.aborted) return;
    try {
      const { loop } = await (this.#opening ??= this.#open());
      if (loop !== undefined) yield* loop.records();
    } catch (e) {
      // told to stop before it had begun
      if (!this.#stop.signal.aborted || e !== this.#stop.signal.reason) throw e;
    } finally {
      await this.dispose();
    }
  }

  /** Ends the run, if it was begun, and waits until all is closed; throws what nobody was told. */
  async dispose(): Promise<void> {
    this.#left.abort();
    if (this.#opening === undefined) return;
    if (this.#atOpening) this.stop("left by its reader"); // a hub may be waited for
    if (this.#closing === undefined) await (this.#closing = this.#close());
    else await this.#closing.catch(() => {}); // whoever came first was told
  }

  async #open(): Promise<P> {
    this.#atOpening = true;
    try {
      return this.#parts = await this.#options.open(this.#stop.signal, this.#undo);
    } catch (e) {
      // That a step cannot be taken back, on the same full disk as a rule, tells nobody more.
      await takeBack(this.#undo);
      this.#options.onEnd();
      throw asRunError(e);
    } finally {
      this.#atOpening = false;
    }
  }

  async #close(): Promise<void> {
    const parts = await this.#opening!.catch(() => undefined);
    if (parts === undefined) return; // whoever asked for records was told why it could not be opened
    const { loop } = parts;
    this.stop("left by its reader");
    let errors: unknown[] = [];
    try {
      await loop?.end();
    } finally {
      errors = await takeBack(this.#undo);
      this.#options.onEnd();
    }
    // What ended the run is told; that what it broke cannot be closed well adds nothing.
    if (errors.length > 0 && loop?.failed !== true) throw asRunError(errors[0]);
  }
}

/** Takes steps back, the last first, all of them whatever happens; gives what was thrown, in that order. */
async function takeBack(steps: readonly Undo[]): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (const step of steps.toReversed()) {
    try {
      await step();
    } catch (e) {
      errors.push(e);
    }
  }
  return errors;
}
