/**
 * A map bounded by entries and bytes, that forgets the least recently used.
 *
 * The order is a list through the entries. Keeping it in a Map's own order (delete and set at every
 * hit) costs tens of microseconds for a key asked for again and again: a deleted entry stays in its
 * hash chain until the table is next rebuilt.
 */

interface Entry<V> {
  readonly key: string;
  value: V;
  bytes: number;
  /** Used next before, and next after, this one. */
  older: Entry<V> | undefined;
  newer: Entry<V> | undefined;
}

export class LruMap<V> {
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #entries = new Map<string, Entry<V>>();
  #oldest: Entry<V> | undefined;
  #newest: Entry<V> | undefined;
  #bytes = 0;

  constructor(maxEntries: number, maxBytes: number) {
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Sum of what entries were said to hold. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The value of a key, which is thereby the most recently used. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry !== this.#newest) {
      this.#unlink(entry);
      this.#append(entry);
    }
    return entry.value;
  }

  /** Keeps a value; others, or itself when it is larger than the bound, are forgotten for it. */
  set(key: string, value: V, bytes: number): void {
    this.delete(key);
    const entry: Entry<V> = { key, value, bytes, older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
    this.#bytes += bytes;
    while (this.#entries.size > this.#maxEntries || this.#bytes > this.#maxBytes) {
      this.delete(this.#oldest!.key);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#unlink(entry);
    this.#bytes -= entry.bytes;
  }

  #unlink(entry: Entry<V>): void {
    if (entry.older === undefined) this.#oldest = entry.newer;
    else entry.older.newer = entry.newer;
    if (entry.newer === undefined) this.#newest = entry.older;
    else entry.newer.older = entry.older;
  }

  #append(entry: Entry<V>): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }
}
