/**
 * A worker's ways to the writers, bounded by bytes.
 *
 * @module
 */

import type { LaneCells, SinkCells } from "./_pool_cells.ts";
import { SpareBuffers } from "./_pool_message.ts";
import type { RowsGivenBack, RowsMessage } from "./rows.ts";

const MOST_SPARE = 6;
/** Buffers for rows are multiples of this, so that they fit other rows too. */
const ROUND = 64 * 1024;
/** Rows go together in buffers of this size, smaller where the window is; those of more than half of it go alone. */
const BATCH_BYTES = 256 * 1024;

/** Gathers rows and sends them to whichever writer has the least to do. */
export class RowPorts {
  readonly #ports: readonly { readonly port: MessagePort; sent: number }[];
  readonly #window: number;
  readonly #most: number;
  readonly #lane: LaneCells;
  readonly #sink: SinkCells;
  readonly #spare = new SpareBuffers(MOST_SPARE, ROUND);
  #sent = 0;
  #whenRoom: (() => void) | undefined;
  /** The rows that have not gone: one as it was made, or several in a buffer. */
  #single: Uint8Array<ArrayBuffer> | undefined;
  #batch: Uint8Array<ArrayBuffer> | undefined;
  #lengths: number[] = [];
  #bytes = 0;

  /** @param window Most bytes under way, unless a single row is longer. */
  constructor(ports: readonly MessagePort[], window: number, lane: LaneCells, sink: SinkCells) {
    this.#window = window;
    const half = Math.floor(window / 2 / ROUND) * ROUND;
    this.#most = Math.min(BATCH_BYTES, Math.max(ROUND, half));
    this.#lane = lane;
    this.#sink = sink;
    this.#ports = ports.map((port) => {
      const way = { port, sent: 0 };
      port.onmessage = ({ data }: MessageEvent<RowsGivenBack>) => {
        const bytes = typeof data === "number" ? data : data[0];
        if (typeof data !== "number") this.#spare.give(data[1]);
        way.sent -= bytes;
        this.#count(-bytes);
        if (!this.fits) return;
        this.#whenRoom?.();
        this.#whenRoom = undefined;
      };
      return way;
    });
  }

  /** Bytes to write a row into. */
  readonly allocate = (length: number): Uint8Array<ArrayBuffer> =>
    new Uint8Array(this.#spare.take(Math.ceil(length / ROUND) * ROUND), 0, length);

  /** Rows that have not gone. */
  get rows(): number {
    return this.#lengths.length;
  }

  /** Whether a row can be added to them; without one, whether any could. */
  takes(row: Uint8Array | undefined): boolean {
    if (this.rows === 0) return true;
    const most = this.#most, length = row?.length ?? 1;
    if (this.#single !== undefined && this.#single.length > most / 2) return false;
    return length <= most / 2 && this.#bytes + length <= most;
  }

  /** Add one that {@linkcode takes} allows. */
  add(row: Uint8Array<ArrayBuffer>): void {
    if (this.rows === 0) this.#single = row;
    else {
      if (this.#single !== undefined) {
        this.#batch = new Uint8Array(this.#spare.take(this.#most));
        this.#append(this.#single);
        this.#single = undefined;
      }
      this.#append(row);
    }
    this.#lengths.push(row.length);
    this.#bytes += row.length;
  }

  /** Copy one behind the others; its buffer is free again. */
  #append(row: Uint8Array<ArrayBuffer>): void {
    this.#batch!.set(row, this.#single === undefined ? this.#bytes : 0);
    this.#spare.give(row.buffer);
  }

  /** Whether what there is may go now. What counts is memory, so whole buffers do. */
  get fits(): boolean {
    const { byteLength = 0 } = this.#single?.buffer ?? this.#batch?.buffer ?? {};
    return this.#sent === 0 || this.#sent + byteLength <= this.#window;
  }

  /** Resolves when it may. */
  room(): Promise<void> {
    return this.fits ? Promise.resolve() : new Promise((resolve) => this.#whenRoom = resolve);
  }

  /** Let it go; the number of rows. */
  send(): number {
    let way = this.#ports[0]!;
    for (const other of this.#ports) if (other.sent < way.sent) way = other;
    const lengths = this.#lengths, bytes = this.#bytes;
    const rows = this.#single ?? this.#batch!.subarray(0, bytes);
    this.#single = this.#batch = undefined;
    this.#lengths = [];
    this.#bytes = 0;
    const { byteLength } = rows.buffer;
    way.sent += byteLength;
    this.#count(byteLength);
    const message: RowsMessage = lengths.length === 1 ? rows : [rows, lengths];
    way.port.postMessage(message, [rows.buffer]);
    return lengths.length;
  }

  /** Say that no row follows. */
  end(): void {
    for (const { port } of this.#ports) {
      port.postMessage(null satisfies RowsMessage);
      port.close();
    }
  }

  #count(bytes: number): void {
    this.#sent += bytes;
    this.#lane.sent = this.#sent;
    this.#sink.add(bytes);
  }
}
