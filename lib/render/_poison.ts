/** Pages that broke a renderer, by key, the newest of them. */
export class PoisonList {
  readonly #reasons = new Map<string, string>();
  readonly #most: number;
  /** How many were added since the start. */
  found = 0;

  constructor(known: Iterable<readonly [key: string, reason: string]>, most: number) {
    this.#most = most;
    for (const [key, reason] of known) this.#keep(key, reason);
  }

  /** Why the page is not to be tried. */
  get(key: string): string | undefined {
    return this.#reasons.get(key);
  }

  /** Remember one more. */
  add(key: string, reason: string): void {
    this.found++;
    this.#keep(key, reason);
  }

  #keep(key: string, reason: string): void {
    this.#reasons.delete(key);
    this.#reasons.set(key, reason);
    if (this.#reasons.size <= this.#most) return;
    for (const oldest of this.#reasons.keys()) {
      this.#reasons.delete(oldest);
      break;
    }
  }
}
