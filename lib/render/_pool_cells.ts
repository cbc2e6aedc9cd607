/**
 * Figures of one worker of the pool in memory that both sides see, so that they are true also after the
 * worker ended amid a page.
 *
 * @module
 */

/** What a worker is doing. */
export enum Doing {
  Idle,
  Rendering,
  /** Has a row that the sink has no room for. */
  WaitingForSink,
}

enum Cell {
  Doing,
  /** Microseconds since the epoch when that began. */
  Since,
  Started,
  Finished,
  RenderingUs,
  WaitingUs,
  /** Bytes of the rows sent and not given back. */
  Sent,
  Gate,
  Count,
}

/** Whether rows may be sent: open, or one is being sent, or the pool has given the worker up. */
const OPEN = 0n, SENDING = 1n, SHUT = 2n;

/** Microseconds since the epoch, by the clock that does not jump. */
function now(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000));
}

/** One worker's figures. Only the worker writes, but for the gate that both sides go through. */
export class LaneCells {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: BigInt64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(8 * Cell.Count)) {
    this.buffer = buffer;
    this.#cells = new BigInt64Array(buffer);
  }

  get doing(): Doing {
    return Number(Atomics.load(this.#cells, Cell.Doing));
  }

  /** Pages begun. */
  get started(): number {
    return Number(Atomics.load(this.#cells, Cell.Started));
  }

  /** Pages whose row has been sent. */
  get finished(): number {
    return Number(Atomics.load(this.#cells, Cell.Finished));
  }

  /** Milliseconds spent, what is under way included. */
  get spent(): { readonly rendering: number; readonly waiting: number } {
    const { doing } = this;
    const under = Math.max(0, Number(now() - Atomics.load(this.#cells, Cell.Since)));
    const us = (cell: Cell, kind: Doing) =>
      Number(Atomics.load(this.#cells, cell)) + (doing === kind ? under : 0);
    return {
      rendering: us(Cell.RenderingUs, Doing.Rendering) / 1000,
      waiting: us(Cell.WaitingUs, Doing.WaitingForSink) / 1000,
    };
  }

  /** Bytes sent and not given back. */
  get sent(): number {
    return Number(Atomics.load(this.#cells, Cell.Sent));
  }

  set sent(bytes: number) {
    Atomics.store(this.#cells, Cell.Sent, BigInt(bytes));
  }

  /** The worker is about to send rows; false when it was given up, and others have its pages. */
  enter(): boolean {
    return Atomics.compareExchange(this.#cells, Cell.Gate, OPEN, SENDING) === OPEN;
  }

  /** They have been sent, and counted. */
  leave(): void {
    Atomics.store(this.#cells, Cell.Gate, OPEN);
  }

  /** The pool gives the worker up: no row follows. False while some are being sent, so that it lives. */
  shut(): boolean {
    return Atomics.compareExchange(this.#cells, Cell.Gate, OPEN, SHUT) !== SENDING;
  }

  /** A page is begun. */
  start(): void {
    Atomics.add(this.#cells, Cell.Started, 1n);
    this.turn(Doing.Rendering);
  }

  /** The rows of so many pages have been sent. */
  finish(pages: number): void {
    Atomics.add(this.#cells, Cell.Finished, BigInt(pages));
  }

  /** Do something else from here on. */
  turn(doing: Doing): void {
    const cells = this.#cells, at = now();
    const spent = at - Atomics.load(cells, Cell.Since);
    const before = this.doing;
    if (before !== Doing.Idle && spent > 0n) {
      const cell = before === Doing.Rendering ? Cell.RenderingUs : Cell.WaitingUs;
      Atomics.add(cells, cell, spent);
    }
    Atomics.store(cells, Cell.Since, at);
    Atomics.store(cells, Cell.Doing, BigInt(doing));
  }
}

/** Bytes of all workers' rows under way, and the most there ever were. */
export class SinkCells {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: BigInt64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(16)) {
    this.buffer = buffer;
    this.#cells = new BigInt64Array(buffer);
  }

  get bytes(): number {
    return Number(Atomics.load(this.#cells, 0));
  }

  get peak(): number {
    return Number(Atomics.load(this.#cells, 1));
  }

  add(bytes: number): void {
    const held = Atomics.add(this.#cells, 0, BigInt(bytes)) + BigInt(bytes);
    let peak = Atomics.load(this.#cells, 1);
    while (held > peak) {
      const found = Atomics.compareExchange(this.#cells, 1, peak, held);
      if (found === peak) break;
      peak = found;
    }
  }
}
