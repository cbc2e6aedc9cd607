/**
 * When something is looked at again: as soon as what changed it is over, and at a moment to come.
 */

/** Calls back once however often it is asked to, and at one moment at a time. */
export class Alarm {
  readonly #call: () => void;
  #soon = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #at = Infinity;

  /** @param call Called in a turn of its own, or within the microtasks of this one. */
  constructor(call: () => void) {
    this.#call = call;
  }

  /** Calls behind what is being done. */
  soon(): void {
    if (this.#soon) return;
    this.#soon = true;
    queueMicrotask(() => {
      this.#soon = false;
      this.#call();
    });
  }

  /** Calls at `at` of `performance.now()`, or sooner if that was asked for and is to come; Infinity asks for nothing. */
  at(at: number): void {
    const now = performance.now();
    if (at >= this.#at && this.#at > now) return;
    this.clear();
    this.#at = at;
    if (at === Infinity) return;
    this.#timer = setTimeout(() => {
      this.#at = Infinity;
      this.#call();
    }, Math.max(0, Math.ceil(at - now)));
  }

  /** Forgets the moment. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#at = Infinity;
  }
}
