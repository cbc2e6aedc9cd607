/**
 * One clock per host name: at most one request in flight, page requests spaced. It is the last
 * door before the socket, whatever scheduled the request.
 *
 * @module
 */

import { sleep } from "./_sleep.ts";

interface Clock {
  busy: boolean;
  /** `performance.now()` before which no page request starts. */
  nextAt: number;
  sentAt: number;
  waiting: Waiter[];
}

interface Waiter {
  spaced: boolean;
  notAfter: number;
  settle: (entered: boolean) => void;
}

/** How a request passes its host's clock. */
export interface EnterOptions {
  /** Wait for the host's delay too; robots.txt does not. */
  readonly spaced: boolean;
  /** `performance.now()` after which starting is pointless. @default Infinity */
  readonly notAfter?: number;
  readonly signal?: AbortSignal;
}

/**
 * Clocks of all hosts that a request was sent to and whose delay still runs. An entry lives only
 * while it can matter: memory follows requests a second times delay, not hosts seen.
 */
export class HostClocks {
  #clocks = new Map<string, Clock>();
  #now: () => number;
  #sweepAt = 1024;
  #earlier: number | undefined;

  constructor(options: { now?: () => number } = {}) {
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * An earlier run, of which nothing is known but that it is over, may have asked any host just now:
   * every host is taken to have been asked at this moment.
   */
  resume(): void {
    this.#earlier = this.#now();
  }

  /** Hosts with a clock in memory. */
  get size(): number {
    return this.#clocks.size;
  }

  /**
   * Resolves to true once `host` is ours: no request in flight at it and, when `spaced`, its delay
   * over. Resolves to false where that could not come before `notAfter`. Every true must be followed
   * by {@linkcode leave}.
   *
   * @throws The signal's reason, when it aborts first.
   */
  enter(host: string, options: EnterOptions): Promise<boolean> {
    options.signal?.throwIfAborted();
    const clock = this.#clock(host);
    const now = this.#now();
    const notAfter = options.notAfter ?? Infinity;
    if (!clock.busy && clock.waiting.length === 0 && (!options.spaced || clock.nextAt <= now)) {
      clock.busy = true;
      return Promise.resolve(true);
    }
    if (options.spaced && clock.nextAt > notAfter) return Promise.resolve(false);
    return new Promise((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const abort = () => {
        clock.waiting.splice(clock.waiting.indexOf(waiter), 1);
        clearTimeout(timer);
        reject(options.signal!.reason);
      };
      const waiter: Waiter = {
        spaced: options.spaced,
        notAfter,
        settle: (entered) => {
          clearTimeout(timer);
          options.signal?.removeEventListener("abort", abort);
          resolve(entered);
        },
      };
      clock.waiting.push(waiter);
      options.signal?.addEventListener("abort", abort, { once: true });
      if (notAfter !== Infinity) {
        timer = setTimeout(() => {
          const at = clock.waiting.indexOf(waiter);
          if (at < 0) return;
          clock.waiting.splice(at, 1);
          waiter.settle(false);
        }, Math.max(0, notAfter - now));
      }
      this.#wake(clock);
    });
  }

  /**
   * Waits, with the host ours as it is, until a page request may follow the one that was sent last: it is
   * to be sent once more, and the host may have read it.
   *
   * @throws The signal's reason, when it aborts.
   */
  async again(host: string, delayMs: number, signal: AbortSignal): Promise<void> {
    const due = Math.max(this.#clock(host).sentAt + delayMs, this.dueAt(host));
    const wait = due - this.#now();
    if (wait > 0) await sleep(Math.ceil(wait), signal);
  }

  /** Note that a page request's bytes went out to `host` at `at`. */
  sent(host: string, at: number): void {
    this.#clock(host).sentAt = at;
  }

  /**
   * The request entered for is over. The next page request starts no sooner than the stamped start
   * plus `delayMs`, and never before now. Returns that moment; robots requests leave it as it was.
   */
  leave(host: string, delayMs?: number): number {
    const clock = this.#clock(host);
    clock.busy = false;
    if (delayMs !== undefined) clock.nextAt = Math.max(clock.sentAt + delayMs, this.#now());
    this.#wake(clock);
    return clock.nextAt;
  }

  /**
   * The host wants this delay, which may be longer than its last page request was spaced by, or a run
   * was resumed: hold the next one back accordingly. Returns the moment it may start.
   */
  space(host: string, delayMs: number): number {
    const clock = this.#clocks.get(host);
    const asked = clock !== undefined && clock.sentAt > 0 ? clock.sentAt : this.#earlier;
    if (asked === undefined) return clock?.nextAt ?? 0;
    const due = Math.max(clock?.nextAt ?? 0, asked + delayMs);
    if (due <= this.#now()) return due;
    this.#clock(host).nextAt = due;
    return due;
  }

  /** Leave `host` alone until `at`, also where that is later than its delay. */
  block(host: string, at: number): void {
    const clock = this.#clock(host);
    clock.nextAt = Math.max(clock.nextAt, at);
  }

  /** When `host` may be asked for a page again, as far as is known: now or before when it is free. */
  dueAt(host: string): number {
    return this.#clocks.get(host)?.nextAt ?? 0;
  }

  #clock(host: string): Clock {
    let clock = this.#clocks.get(host);
    if (clock === undefined) {
      if (this.#clocks.size >= this.#sweepAt) this.#sweep();
      clock = { busy: false, nextAt: 0, sentAt: 0, waiting: [] };
      this.#clocks.set(host, clock);
    }
    return clock;
  }

  #wake(clock: Clock): void {
    if (clock.busy || clock.waiting.length === 0) return;
    const now = this.#now();
    // robots requests go first: a page of the same host usually waits for their answer
    let at = clock.waiting.findIndex((w) => !w.spaced);
    if (at < 0 && clock.nextAt <= now) at = 0;
    if (at >= 0) {
      const [waiter] = clock.waiting.splice(at, 1);
      clock.busy = true;
      waiter!.settle(true);
      return;
    }
    setTimeout(() => this.#wake(clock), Math.max(1, Math.ceil(clock.nextAt - now)));
  }

  #sweep(): void {
    const now = this.#now();
    for (const [host, clock] of this.#clocks) {
      if (!clock.busy && clock.waiting.length === 0 && clock.nextAt <= now) {
        this.#clocks.delete(host);
      }
    }
    this.#sweepAt = Math.max(1024, 2 * this.#clocks.size);
  }
}
