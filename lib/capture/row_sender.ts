/**
 * Handing rows to the writers, from any thread.
 *
 * @module
 */

import { Account } from "./_account.ts";
import type { RetiredMessage, RowsMessage } from "./_writer_messages.ts";
import type { RowBatch } from "./codec.ts";

/**
 * One sender's connection to every writer. It is made by `WriterPool.connect` and may be posted to
 * another thread, its ports in the transfer list.
 */
export interface WriterLink {
  /** A port to each writer. */
  readonly ports: MessagePort[];
  /** Figures shared by all threads. */
  readonly account: SharedArrayBuffer;
  /** Bytes that may be on their way from this sender. */
  readonly bytes: number;
}

/** Buffers kept for the next batches, and the largest worth keeping. */
const SPARE_BUFFERS = 4;
const SPARE_BYTES = 4 << 20;
/** Milliseconds between looks at whether there still is anyone to wait for. */
const LOOK_MS = 1000;

/**
 * Sends batches of rows to the writer that has the least to do, and waits where the bound on bytes
 * under way is reached. One batch may always be on its way, however large.
 */
export class RowSender {
  readonly #link: WriterLink;
  readonly #account: Account;
  /** Bytes on their way, by writer. */
  readonly #sent: number[];
  #outstanding = 0;
  #next = 0;
  readonly #spare: ArrayBuffer[] = [];
  readonly #waiting: (() => void)[] = [];

  /** Takes up a link, which must not be used by another sender. */
  constructor(link: WriterLink) {
    this.#link = link;
    this.#account = new Account(link.account);
    this.#sent = link.ports.map(() => 0);
    link.ports.forEach((port, writer) => {
      port.onmessage = ({ data }: MessageEvent<RetiredMessage>) => this.#retired(writer, data);
    });
  }

  /** Bytes on their way to the writers. */
  get outstanding(): number {
    return this.#outstanding;
  }

  /** Whether {@linkcode RowSender.send} would not have to wait for a batch of so many bytes. */
  hasRoom(bytes: number): boolean {
    return this.#outstanding === 0 || this.#outstanding + bytes <= this.#link.bytes;
  }

  /**
   * Sends the rows of a batch, which is empty afterwards and may be filled again once this resolves.
   *
   * @throws {Error} If a writer's thread is gone.
   */
  async send(batch: RowBatch): Promise<void> {
    if (batch.rows === 0) return;
    await this.#until(() => this.hasRoom(batch.length));
    const bytes = batch.take(this.#spare.pop());
    const writer = this.#idlest();
    this.#sent[writer]! += bytes.length;
    this.#outstanding += bytes.length;
    this.#account.hold(bytes.length);
    const message: RowsMessage = { bytes };
    this.#link.ports[writer]!.postMessage(message, [bytes.buffer]);
  }

  /**
   * Waits until every row sent is with an open part, so that the next seal has it.
   *
   * @throws {Error} If a writer's thread is gone.
   */
  async drain(): Promise<void> {
    await this.#until(() => this.#outstanding === 0);
  }

  /** Ends the connection. */
  close(): void {
    for (const port of this.#link.ports) port.close();
  }

  #retired(writer: number, { bytes, buffer }: RetiredMessage): void {
    this.#sent[writer]! -= bytes;
    this.#outstanding -= bytes;
    if (this.#spare.length < SPARE_BUFFERS && buffer.byteLength <= SPARE_BYTES) {
      this.#spare.push(buffer);
    }
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #idlest(): number {
    const writers = this.#sent.length;
    let best = this.#next % writers;
    for (let i = 1; i < writers; i++) {
      const writer = (this.#next + i) % writers;
      if (this.#sent[writer]! < this.#sent[best]!) best = writer;
    }
    this.#next = best + 1;
    return best;
  }

  async #until(ready: () => boolean): Promise<void> {
    while (!ready()) {
      if (this.#account.failed) {
        throw new Error("Cannot hand rows to the writers: one of their threads is gone");
      }
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        timer = setTimeout(resolve, LOOK_MS);
      });
      clearTimeout(timer);
    }
  }
}
