/** A binary heap over an array; `before(a, b)` says that `a` comes out first. */
export class Heap<T> {
  #items: T[] = [];
  #before: (a: T, b: T) => boolean;

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let i = items.length;
    items.push(item);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!this.#before(item, items[parent]!)) break;
      items[i] = items[parent]!;
      i = parent;
    }
    items[i] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return top;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#before(items[child + 1]!, items[child]!)) child++;
      if (!this.#before(items[child]!, last)) break;
      items[i] = items[child]!;
      i = child;
    }
    items[i] = last;
    return top;
  }

  /** Takes out every item, in no order. */
  drain(): T[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  /** Takes out the first item for which `match` holds; linear in the heap. */
  take(match: (item: T) => boolean): T | undefined {
    const at = this.#items.findIndex(match);
    if (at < 0) return undefined;
    const item = this.#items[at]!;
    const rest = this.drain();
    for (let i = 0; i < rest.length; i++) if (i !== at) this.push(rest[i]!);
    return item;
  }

  /** Lets go of every item for which `holds` does not hold; linear in the heap, about. */
  keep(holds: (item: T) => boolean): void {
    for (const item of this.drain()) if (holds(item)) this.push(item);
  }

  /**
   * How many items `holds` is true of, `most` at the most. It has to hold for whatever comes out before
   * an item of which it holds; so only those and their followers are looked at.
   */
  count(holds: (item: T) => boolean, most: number): number {
    const items = this.#items;
    const open = items.length > 0 ? [0] : [];
    let count = 0;
    while (open.length > 0 && count < most) {
      const i = open.pop()!;
      if (!holds(items[i]!)) continue;
      count++;
      if (2 * i + 1 < items.length) open.push(2 * i + 1);
      if (2 * i + 2 < items.length) open.push(2 * i + 2);
    }
    return count;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items[Symbol.iterator]();
  }
}
