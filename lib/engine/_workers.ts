/**
 * Who holds a worker. A host that accepts and never answers must not hold the pool: what has brought
 * next to nothing for longer than answers take is stalled, goes on beside the workers as far as a
 * bound allows, and holds one again once bytes come.
 */

/** What a worker is doing: the shares of worker time. */
export type Phase = "robots" | "fetching";

/** An attempt at a page, in flight. */
export interface Attempt {
  phase: Phase;
  /** The client moves it with every read. */
  readonly progress: { at: number; bytes: number };
  stalled: boolean;
  /** When it was last looked at, and the bytes it had then. */
  seenAt: number;
  seenBytes: number;
  /** Ends it for the crawl, whatever it is waiting for. */
  readonly abandon: () => void;
}

/** An attempt is stalled when it is silent for so many times what a first byte takes to come … */
const PATIENCE = 3;
/** … held between these, in ms. */
const PATIENCE_LEAST = 25, PATIENCE_MOST = 1000;
/** Bytes in that time that count as none: a host that drips is as good as silent. */
const DRIP = 256;
/** Bytes that all that go on beside the workers may have brought: they are held until their ends. */
const MAX_STALLED_BYTES = 64 << 20;
/** The first byte is taken to come after so many ms before any has. */
const FIRST_GUESS = 100;
const FIRST_FEW = 16;

/** The attempts in flight and the workers they hold. */
export class Workers implements Iterable<Attempt> {
  readonly #attempts = new Set<Attempt>();
  readonly #maxStalled: number;
  /** Workers held, by what they do. */
  readonly active: Record<Phase, number> = { robots: 0, fetching: 0 };
  #stalled = 0;
  #typical = FIRST_GUESS;
  #answers = 0;

  /** @param maxStalled Most attempts that go on beside the workers. */
  constructor(maxStalled: number) {
    this.#maxStalled = maxStalled;
  }

  /** Workers held. */
  get busy(): number {
    return this.active.robots + this.active.fetching;
  }

  /** Attempts that hold none. */
  get stalled(): number {
    return this.#stalled;
  }

  /** Attempts in flight. */
  get size(): number {
    return this.#attempts.size;
  }

  /** What a first byte takes to come, in ms, as far as is known. */
  get typicalMs(): number {
    return this.#typical;
  }

  has(attempt: Attempt): boolean {
    return this.#attempts.has(attempt);
  }

  [Symbol.iterator](): Iterator<Attempt> {
    return this.#attempts.values();
  }

  /** An attempt takes a worker. */
  begin(now: number, abandon: () => void): Attempt {
    const attempt: Attempt = {
      phase: "robots",
      progress: { at: now, bytes: 0 },
      stalled: false,
      seenAt: now,
      seenBytes: 0,
      abandon,
    };
    this.#attempts.add(attempt);
    this.active.robots++;
    return attempt;
  }

  /** The attempt goes over to fetching its page; it holds a worker from now on. */
  fetching(attempt: Attempt, now: number): void {
    this.#leave(attempt);
    attempt.stalled = false;
    attempt.phase = "fetching";
    attempt.seenAt = now;
    this.active.fetching++;
  }

  /** The attempt is over. */
  end(attempt: Attempt): void {
    this.#attempts.delete(attempt);
    this.#leave(attempt);
  }

  /**
   * A first byte took `ms` to come. What is typical follows the middle of these, which a few very slow
   * hosts do not move; the first few, which may be all that come for a while, count for more.
   */
  answered(ms: number): void {
    const off = Math.max(ms, 1) / this.#typical;
    if (this.#answers < FIRST_FEW) this.#typical *= off ** (1 / ++this.#answers);
    else this.#typical *= off > 1 ? 1.05 : 1 / 1.05;
    this.#typical = Math.min(
      Math.max(this.#typical, PATIENCE_LEAST / PATIENCE),
      PATIENCE_MOST / PATIENCE,
    );
  }

  /** Looks at who is stalled; whether a worker changed hands. */
  sweep(now: number): boolean {
    const patience = this.#typical * PATIENCE;
    let changed = false, held = 0;
    for (const { stalled, progress } of this.#attempts) if (stalled) held += progress.bytes;
    for (const attempt of this.#attempts) {
      if (now - attempt.seenAt < patience) continue;
      const { bytes } = attempt.progress;
      const stalled = bytes - attempt.seenBytes < DRIP;
      attempt.seenAt = now;
      attempt.seenBytes = bytes;
      if (stalled === attempt.stalled) continue;
      // One that sends megabytes and falls silent keeps its worker: a thousand of it fill the memory.
      const mayGo = this.#stalled < this.#maxStalled && held + bytes <= MAX_STALLED_BYTES;
      if (stalled && !mayGo) continue;
      held += stalled ? bytes : -bytes;
      attempt.stalled = stalled;
      this.#stalled += stalled ? 1 : -1;
      this.active[attempt.phase] += stalled ? -1 : 1;
      changed = true;
    }
    return changed;
  }

  #leave(attempt: Attempt): void {
    if (attempt.stalled) this.#stalled--;
    else this.active[attempt.phase]--;
  }
}
