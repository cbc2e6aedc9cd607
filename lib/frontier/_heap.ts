/**
 * A binary heap whose members know their place, so that one can be taken out or moved.
 *
 * @module
 */

/** What a member carries. `heapAt` belongs to the heap; -1 outside of it. */
export interface HeapNode {
  readonly due: number;
  heapAt: number;
  readonly id: number;
}

/** Least `due` first; of equal ones the least `id`. Neither changes while a member is in the heap. */
export class DueHeap<T extends HeapNode> {
  readonly #nodes: T[] = [];
  // Beside the members, so that comparing touches none of them.
  readonly #dues: number[] = [];
  readonly #ids: number[] = [];

  get size(): number {
    return this.#nodes.length;
  }

  get top(): T | undefined {
    return this.#nodes[0];
  }

  push(node: T): void {
    const { due, id } = node;
    this.#nodes.push(node);
    this.#dues.push(due);
    this.#ids.push(id);
    this.#up(this.#nodes.length - 1, node, due, id);
  }

  remove(node: T): void {
    const at = node.heapAt;
    node.heapAt = -1;
    const last = this.#nodes.pop()!, due = this.#dues.pop()!, id = this.#ids.pop()!;
    if (last === node) return;
    if (!this.#up(at, last, due, id)) this.#down(at, last, due, id);
  }

  /** How many members are due after `now`, and the least `due` among those. */
  after(now: number): { count: number; least: number } {
    // Only the members that are due, and their children, are visited.
    let dueCount = 0, least = Infinity;
    const stack = [0];
    while (stack.length > 0) {
      const at = stack.pop()!;
      const due = this.#dues[at];
      if (due === undefined) continue;
      if (due > now) {
        if (due < least) least = due;
        continue;
      }
      dueCount++;
      stack.push(at * 2 + 1, at * 2 + 2);
    }
    return { count: this.#nodes.length - dueCount, least };
  }

  #up(at: number, node: T, due: number, id: number): boolean {
    const start = at, dues = this.#dues, ids = this.#ids;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(due, id, dues[parent]!, ids[parent]!)) break;
      this.#put(at, this.#nodes[parent]!, dues[parent]!, ids[parent]!);
      at = parent;
    }
    this.#put(at, node, due, id);
    return at !== start;
  }

  #down(at: number, node: T, due: number, id: number): void {
    const dues = this.#dues, ids = this.#ids;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= dues.length) break;
      const right = child + 1;
      if (
        right < dues.length && before(dues[right]!, ids[right]!, dues[child]!, ids[child]!)
      ) child = right;
      if (!before(dues[child]!, ids[child]!, due, id)) break;
      this.#put(at, this.#nodes[child]!, dues[child]!, ids[child]!);
      at = child;
    }
    this.#put(at, node, due, id);
  }

  #put(at: number, node: T, due: number, id: number): void {
    this.#nodes[at] = node;
    this.#dues[at] = due;
    this.#ids[at] = id;
    node.heapAt = at;
  }
}

function before(dueA: number, idA: number, dueB: number, idB: number): boolean {
  return dueA < dueB || (dueA === dueB && idA < idB);
}
