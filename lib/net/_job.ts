import type { Connection } from "./_connection.ts";
import { FetchError } from "./errors.ts";
import type { Expiring, Sweep } from "./_sweep.ts";

/** Why a job's current phase was ended from outside. */
export interface Ended {
  readonly reason: unknown;
  /** Whether it was the deadline, and not the user. */
  readonly deadline: boolean;
}

/**
 * One exchange's time, and the one thing at a moment that must stop when it is over or the user says so.
 * An exchange passes through phases (resolving, waiting for a place, connecting, conversing); each has a
 * deadline, and only `pause` does not use up the exchange's own.
 */
export class Job implements Expiring {
  deadline: number;
  readonly #sweep: Sweep;
  readonly #now: () => number;
  readonly #host: string;
  readonly #timeoutMs: number;
  /** When the exchange's own time is over. */
  #total: number;
  #ended: Ended | undefined;
  #stop: ((reason: unknown) => void) | undefined;
  #tooLate: (() => FetchError) | undefined;

  /** Starts the clock. */
  constructor(sweep: Sweep, now: () => number, timeoutMs: number, host: string) {
    this.#sweep = sweep;
    this.#now = now;
    this.#host = host;
    this.#timeoutMs = timeoutMs;
    this.#total = now() + timeoutMs;
    this.deadline = this.#total;
    sweep.add(this);
  }

  /** Called by the sweep when the phase's deadline is over. */
  expire(): void {
    const reason = this.#tooLate?.() ?? new FetchError(
      "timeout",
      `Cannot fetch from ${this.#host}: no whole answer within ${Math.round(this.#timeoutMs)} ms`,
    );
    // An address's share may be over without the whole being so.
    if (this.deadline >= this.#total || this.#tooLate) this.#end({ reason, deadline: true });
    else this.deadline = Infinity;
    this.#stop?.(reason);
  }

  /** Ends the exchange at once, whatever it is at. */
  abort(reason: unknown): void {
    this.#end({ reason, deadline: false });
    this.#stop?.(reason);
  }

  /** Whether the exchange was ended by someone, and not by its deadline. */
  get aborted(): boolean {
    return this.#ended !== undefined && !this.#ended.deadline;
  }

  /** Why the exchange is over, if it is. */
  get ended(): Ended | undefined {
    return this.#ended;
  }

  /** Throws if the exchange is over. */
  check(): void {
    if (this.#ended !== undefined) throw this.#ended.reason;
  }

  /** Sets the phase's deadline to one of `parts` equal shares of the time left. */
  share(parts: number): void {
    if (this.#ended !== undefined) return;
    const now = this.#now();
    this.deadline = parts === 1 ? this.#total : now + (this.#total - now) / parts;
  }

  /**
   * Runs something that a signal stops. If it pays the signal no heed it is left behind, and what it may
   * still bring is given to `discard`.
   */
  run<T>(
    work: (signal: AbortSignal) => Promise<T>,
    discard?: (late: T) => void,
  ): Promise<T> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended.reason);
    const controller = new AbortController();
    return new Promise<T>((resolve, reject) => {
      let over = false;
      this.#stop = (reason) => {
        over = true;
        this.#stop = undefined;
        controller.abort(reason);
        reject(reason);
      };
      work(controller.signal).then((value) => {
        if (over) return discard?.(value);
        this.#stop = undefined;
        resolve(value);
      }, (e) => {
        if (over) return;
        this.#stop = undefined;
        reject(e);
      });
    });
  }

  /**
   * Runs something that is not on the exchange's time, but on `forMs` of its own. `undo` is called if it
   * succeeds when nobody waits for it any more.
   */
  async pause(
    forMs: number,
    tooLate: (forMs: number) => FetchError,
    work: (signal: AbortSignal) => Promise<void>,
    undo: () => void,
  ): Promise<void> {
    const from = this.#now();
    this.deadline = from + forMs;
    this.#tooLate = () => tooLate(forMs);
    try {
      await this.run(work, undo);
    } finally {
      this.#tooLate = undefined;
      this.#total += this.#now() - from;
      this.share(1);
    }
  }

  /** Hands the job a connection to close when its time is over, or takes it back. */
  own(connection: Connection | undefined): void {
    this.#stop = connection && (() => connection.close());
  }

  /** Takes the job off the clock. */
  end(): void {
    this.#sweep.delete(this);
  }

  #end(ended: Ended): void {
    this.#ended ??= ended;
    this.deadline = Infinity;
  }
}
