/** How long answers are held whatever their TTL says, in seconds. */
const MIN_TTL = 60;
const MAX_TTL = 3600;

interface Entry {
  readonly addresses: readonly string[] | null;
  readonly expires: number;
}

/** What is known of names, each for its time, the least recently used dropped first. */
export class DnsCache {
  /** In the order of use: an entry that is used is set anew. */
  readonly #entries = new Map<string, Entry>();
  readonly #most: number;
  readonly #now: () => number;

  /**
   * @param most Names kept.
   * @param now Monotonic milliseconds.
   */
  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
  }

  /** Names kept now. */
  get size(): number {
    return this.#entries.size;
  }

  /** Addresses of a name, `null` where it is known not to exist, `undefined` where nothing is known. */
  get(name: string): readonly string[] | null | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    this.#entries.delete(name);
    if (entry.expires <= this.#now()) return undefined;
    this.#entries.set(name, entry);
    return entry.addresses;
  }

  /** Keeps an answer for its TTL in seconds, held between a minute and an hour. */
  set(name: string, addresses: readonly string[] | null, ttl: number): void {
    this.#entries.delete(name);
    if (this.#entries.size >= this.#most) {
      this.#entries.delete(this.#entries.keys().next().value!);
    }
    const held = Math.min(Math.max(ttl, MIN_TTL), MAX_TTL) * 1000;
    this.#entries.set(name, { addresses, expires: this.#now() + held });
  }

  /** Drops a name. */
  delete(name: string): void {
    this.#entries.delete(name);
  }
}
