/**
 * A time limit that is asked, not enforced: nothing can stop a busy thread, so the loops stop
 * themselves. The clock is read once in some hundred questions.
 *
 * @module
 */

const QUESTIONS_A_READING = 256;

/** Asked by every loop whose length a page decides. Once passed it stays passed. */
export class Deadline {
  readonly #at: number;
  readonly #now: () => number;
  #questions = 0;
  #passed = false;

  constructor(ms: number, now: () => number = () => performance.now()) {
    this.#now = now;
    this.#at = now() + ms;
  }

  /** Whether the time is up. */
  get passed(): boolean {
    if (this.#passed) return true;
    if (this.#questions++ % QUESTIONS_A_READING === 0) this.#passed = this.#now() > this.#at;
    return this.#passed;
  }
}
