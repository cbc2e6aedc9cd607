/**
 * A worker's ways to the writers, bounded by bytes.
 *
 * @module
 */

import type { LaneCells, SinkCells } from "./_pool_cells.ts";
import { SpareBuffers } from "./_pool_message.ts";

const MOST_SPARE = 4;
/** Buffers for rows are multiples of this, so that they fit other rows too. */
const ROUND = 64 * 1024;

/** Sends rows to whichever writer has the least to do. */
export class RowPorts {
  readonly #ports: readonly { readonly port: MessagePort; sent: number }[];
  readonly #window: number;
  readonly #lane: LaneCells;
  readonly #sink: SinkCells;
  readonly #spare = new SpareBuffers(MOST_SPARE, ROUND);
  #sent = 0;
  #waiting: { readonly bytes: number; readonly resolve: () => void } | undefined;

  /** @param window Most bytes under way, unless a single row is longer. */
  constructor(ports: readonly MessagePort[], window: number, lane: LaneCells, sink: SinkCells) {
    this.#window = window;
    this.#lane = lane;
    this.#sink = sink;
    this.#ports = ports.map((port) => {
      const way = { port, sent: 0 };
      port.onmessage = ({ data }: MessageEvent<number | [number, ArrayBuffer]>) => {
        const bytes = typeof data === "number" ? data : data[0];
        if (typeof data !== "number") this.#spare.give(data[1]);
        way.sent -= bytes;
        this.#count(-bytes);
        if (this.#waiting !== undefined && this.fits(this.#waiting.bytes)) {
          this.#waiting.resolve();
          this.#waiting = undefined;
        }
      };
      return way;
    });
  }

  /** Bytes to write a row into. */
  readonly allocate = (length: number): Uint8Array<ArrayBuffer> =>
    new Uint8Array(this.#spare.take(Math.ceil(length / ROUND) * ROUND), 0, length);

  /** Whether a row may go now. */
  fits(bytes: number): boolean {
    return this.#sent === 0 || this.#sent + bytes <= this.#window;
  }

  /** Resolves when it may. Asked by one at a time. */
  room(bytes: number): Promise<void> {
    if (this.fits(bytes)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting = { bytes, resolve });
  }

  send(row: Uint8Array<ArrayBuffer>): void {
    let way = this.#ports[0]!;
    for (const other of this.#ports) if (other.sent < way.sent) way = other;
    const { byteLength } = row;
    way.sent += byteLength;
    this.#count(byteLength);
    way.port.postMessage(row, [row.buffer]);
  }

  /** Say that no row follows. */
  end(): void {
    for (const { port } of this.#ports) {
      port.postMessage(null);
      port.close();
    }
  }

  #count(bytes: number): void {
    this.#sent += bytes;
    this.#lane.sent = this.#sent;
    this.#sink.add(bytes);
  }
}
