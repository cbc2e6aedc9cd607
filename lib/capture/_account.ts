/**
 * Figures that several threads keep together.
 *
 * @module
 */

/** Bytes of one unit of what is held, so that 32 bits are enough. */
const UNIT = 1024;
/** Places of the shared integers. */
const HELD = 0, PEAK = 1, FAILED = 2;
const INTS = 4;
/** Figures that each writer keeps. */
const PER_WRITER = 4;

/** What one writer says of itself. */
export interface WriterFigures {
  /** Milliseconds spent writing. */
  busyMs: number;
  /** Rows taken. */
  rows: number;
  /** Bytes before compression. */
  payload: number;
  /** Bytes of memory held. */
  bufferedBytes: number;
}

/** Bytes on their way to the writers, and each writer's figures, in shared memory. */
export class Account {
  readonly shared: SharedArrayBuffer;
  readonly #ints: Int32Array;
  readonly #figures: Float64Array;

  /** @param shared Memory that another thread's account made. */
  constructor(shared: SharedArrayBuffer) {
    this.shared = shared;
    this.#ints = new Int32Array(shared, 0, INTS);
    this.#figures = new Float64Array(shared, INTS * 4);
  }

  /** The first account of some writers. */
  static of(writers: number): Account {
    return new Account(new SharedArrayBuffer(INTS * 4 + writers * PER_WRITER * 8));
  }

  /** Bytes held now. */
  get held(): number {
    return Atomics.load(this.#ints, HELD) * UNIT;
  }

  /** The most that was ever held. */
  get peak(): number {
    return Atomics.load(this.#ints, PEAK) * UNIT;
  }

  /** Whether a writer is gone, so that nothing it held will be retired. */
  get failed(): boolean {
    return Atomics.load(this.#ints, FAILED) !== 0;
  }

  fail(): void {
    Atomics.store(this.#ints, FAILED, 1);
  }

  hold(bytes: number): void {
    const units = Math.ceil(bytes / UNIT);
    const held = Atomics.add(this.#ints, HELD, units) + units;
    for (let peak = Atomics.load(this.#ints, PEAK); held > peak;) {
      peak = Atomics.compareExchange(this.#ints, PEAK, peak, held);
    }
  }

  retire(bytes: number): void {
    Atomics.sub(this.#ints, HELD, Math.ceil(bytes / UNIT));
  }

  /** A writer's figures; only that writer sets them. */
  set(writer: number, figures: WriterFigures): void {
    const at = writer * PER_WRITER, to = this.#figures;
    to[at] = figures.busyMs;
    to[at + 1] = figures.rows;
    to[at + 2] = figures.payload;
    to[at + 3] = figures.bufferedBytes;
  }

  get(writer: number): WriterFigures {
    const [busyMs, rows, payload, bufferedBytes] = this.#figures.subarray(
      writer * PER_WRITER,
    ) as unknown as [number, number, number, number];
    return { busyMs, rows, payload, bufferedBytes };
  }
}
