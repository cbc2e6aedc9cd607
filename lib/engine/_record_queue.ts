/** A queue from one producer to its readers, each item for one of them: `push`, `end`, and `next`, which waits. */
export class RecordQueue<T> {
  #items: T[] = [];
  #head = 0;
  #ended = false;
  #waiting: ((item: T | undefined) => void)[] = [];

  /** Items not yet taken. */
  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) waiting(item);
    else this.#items.push(item);
  }

  end(): void {
    this.#ended = true;
    for (const waiting of this.#waiting.splice(0)) waiting(undefined);
  }

  /** The next item; undefined once the queue has ended and is empty. */
  next(): Promise<T | undefined> | T | undefined {
    if (this.#head < this.#items.length) {
      const item = this.#items[this.#head]!;
      this.#items[this.#head++] = undefined as T;
      if (this.#head === this.#items.length || this.#head === 1024) {
        this.#items.splice(0, this.#head);
        this.#head = 0;
      }
      return item;
    }
    if (this.#ended) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
