/** Something that must not outlive a moment. */
export interface Expiring {
  /** On the sweep's clock, in milliseconds; `Infinity` for never. */
  deadline: number;
  /** Called once the deadline is over, at every pass until it is moved or the entry removed. */
  expire(): void;
}

/**
 * Deadlines kept by one timer: a pass over what is live, every so often, instead of a timer each. The timer
 * runs only while there is something to watch.
 */
export class Sweep {
  readonly #now: () => number;
  readonly #every: number;
  readonly #live = new Set<Expiring>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** A sweep that looks every `every` milliseconds. */
  constructor(now: () => number, every: number) {
    this.#now = now;
    this.#every = every;
  }

  /** How many entries are watched. */
  get size(): number {
    return this.#live.size;
  }

  /** Watches an entry. */
  add(entry: Expiring): void {
    this.#live.add(entry);
    this.#timer ??= setInterval(() => this.#pass(), this.#every);
  }

  /** Watches it no longer. */
  delete(entry: Expiring): void {
    this.#live.delete(entry);
  }

  /** Stops the timer, whatever is watched. */
  close(): void {
    this.#live.clear();
    this.#stop();
  }

  #pass(): void {
    // Stopping here and not in delete() spares a timer's start and stop for every exchange.
    if (this.#live.size === 0) return this.#stop();
    const now = this.#now();
    for (const entry of this.#live) if (now >= entry.deadline) entry.expire();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
