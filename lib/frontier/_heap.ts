/**
 * A binary heap whose members know their place, so that one can be taken out or moved.
 *
 * @module
 */

/** What a member carries. `heapAt` belongs to the heap; -1 outside of it. */
export interface HeapNode {
  due: number;
  heapAt: number;
  readonly id: number;
}

/** Least `due` first; of equal ones the least `id`. */
export class DueHeap<T extends HeapNode> {
  readonly #nodes: T[] = [];

  get size(): number {
    return this.#nodes.length;
  }

  get top(): T | undefined {
    return this.#nodes[0];
  }

  push(node: T): void {
    this.#nodes.push(node);
    this.#up(this.#nodes.length - 1, node);
  }

  remove(node: T): void {
    const at = node.heapAt;
    node.heapAt = -1;
    const last = this.#nodes.pop()!;
    if (last === node) return;
    if (!this.#up(at, last)) this.#down(at, last);
  }

  /** How many members are due after `now`, and the least `due` among those. */
  after(now: number): { count: number; least: number } {
    // Only the members that are due, and their children, are visited.
    let dueCount = 0, least = Infinity;
    const stack = [0];
    while (stack.length > 0) {
      const at = stack.pop()!;
      const node = this.#nodes[at];
      if (node === undefined) continue;
      if (node.due > now) {
        if (node.due < least) least = node.due;
        continue;
      }
      dueCount++;
      stack.push(at * 2 + 1, at * 2 + 2);
    }
    return { count: this.#nodes.length - dueCount, least };
  }

  #up(at: number, node: T): boolean {
    const start = at;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#nodes[parent]!;
      if (!before(node, above)) break;
      this.#put(at, above);
      at = parent;
    }
    this.#put(at, node);
    return at !== start;
  }

  #down(at: number, node: T): void {
    for (;;) {
      let child = at * 2 + 1;
      const left = this.#nodes[child];
      if (left === undefined) break;
      const right = this.#nodes[child + 1];
      let least = left;
      if (right !== undefined && before(right, left)) {
        least = right;
        child++;
      }
      if (!before(least, node)) break;
      this.#put(at, least);
      at = child;
    }
    this.#put(at, node);
  }

  #put(at: number, node: T): void {
    this.#nodes[at] = node;
    node.heapAt = at;
  }
}

function before(a: HeapNode, b: HeapNode): boolean {
  return a.due < b.due || (a.due === b.due && a.id < b.id);
}
