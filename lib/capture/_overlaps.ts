/**
 * Rows of a work list that more than one part holds.
 *
 * @module
 */

import type { RowRange } from "./ranges.ts";

/** A part and the work-list rows it reaches from and to, in one part of the list. */
export interface Span {
  readonly file: string;
  readonly part: number;
  readonly first: number;
  readonly last: number;
}

/** Rows that two files hold. */
export interface Overlap extends RowRange {
  /** The file that holds them too. */
  readonly file: string;
  /** The one that held them first. */
  readonly other: string;
}

interface Cursor {
  readonly file: string;
  readonly ranges: Iterator<RowRange>;
  range: RowRange;
  /** Place among the spans, so that files which begin alike come in one order. */
  readonly order: number;
}

function before(a: Cursor, b: Cursor): boolean {
  return a.range.first < b.range.first ||
    (a.range.first === b.range.first && a.order < b.order);
}

/**
 * Finds rows that more than one file holds. Only of files whose spans reach over each other are the
 * ranges held at the same time.
 *
 * @param spans Where each file begins and ends; sorted here.
 * @param ranges A file's ranges in one part of the work list, in order.
 */
export async function* findOverlaps(
  spans: Span[],
  ranges: (file: string, part: number) => Promise<Iterable<RowRange>>,
): AsyncGenerator<Overlap, void, undefined> {
  spans.sort((a, b) => a.part - b.part || a.first - b.first);
  const heap = new CursorHeap();
  let next = 0;
  let part = -1, end = -1, holder = "";
  while (next < spans.length || heap.size > 0) {
    if (heap.size === 0 && spans[next]!.part !== part) {
      part = spans[next]!.part;
      end = -1;
    }
    // A file joins once the rows before its first have been seen.
    while (
      next < spans.length && spans[next]!.part === part &&
      (heap.size === 0 || spans[next]!.first <= heap.top.range.first)
    ) {
      const order = next++, { file } = spans[order]!;
      const iterator = (await ranges(file, part))[Symbol.iterator]();
      const { value, done } = iterator.next();
      if (!done) heap.push({ file, ranges: iterator, range: value, order });
    }
    if (heap.size === 0) continue;
    const { file, range } = heap.top;
    if (range.first <= end) {
      yield { file, other: holder, part, first: range.first, last: Math.min(range.last, end) };
    }
    if (range.last > end) {
      end = range.last;
      holder = file;
    }
    heap.advance();
  }
}

/** Cursors by where their range begins. */
class CursorHeap {
  readonly #items: Cursor[] = [];

  get size(): number {
    return this.#items.length;
  }

  get top(): Cursor {
    return this.#items[0]!;
  }

  push(cursor: Cursor): void {
    const items = this.#items;
    let at = items.length;
    items.push(cursor);
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (!before(cursor, items[up]!)) break;
      items[at] = items[up]!;
      at = up;
    }
    items[at] = cursor;
  }

  /** Takes the top one on to its next range. */
  advance(): void {
    const top = this.top, { value, done } = top.ranges.next();
    if (done) {
      const last = this.#items.pop()!;
      if (this.#items.length > 0) this.#sink(last);
    } else {
      top.range = value;
      this.#sink(top);
    }
  }

  #sink(cursor: Cursor): void {
    const items = this.#items;
    let at = 0;
    while (true) {
      let down = 2 * at + 1;
      if (down >= items.length) break;
      if (down + 1 < items.length && before(items[down + 1]!, items[down]!)) {
        down++;
      }
      if (!before(items[down]!, cursor)) break;
      items[at] = items[down]!;
      at = down;
    }
    items[at] = cursor;
  }
}
