/**
 * A page on its way to a worker: one buffer, which comes back and is used again. Fresh memory for every
 * page costs more than the copy.
 *
 * @module
 */

import type { PoolPage, WorkerPage } from "./pool_types.ts";

/** How much is still tried on a page. */
export enum Effort {
  /** All of it. */
  Render,
  /** It broke a renderer: decode and digest it. */
  Decode,
  /** That broke one too: only its row. */
  Bare,
}

/** A page and what was asked for it. */
export interface PageMessage {
  readonly page: WorkerPage;
  readonly effort: Effort;
  /** Why it is not all; empty when it is. */
  readonly reason: string;
}

const NUMBERS = 9;
const HEAD = NUMBERS * 4;
/** Buffers are of this size, larger only for a page that needs it. */
export const BUFFER_BYTES = 256 * 1024;
const MOST_SPARE_BYTES = 512 * 1024;

const encoder = new TextEncoder(), decoder = new TextDecoder();

/** Buffers that came back. */
export class SpareBuffers {
  readonly #most: number;
  readonly #size: number;
  readonly #spare: ArrayBuffer[] = [];

  constructor(most: number, size = BUFFER_BYTES) {
    this.#most = most;
    this.#size = size;
  }

  take(bytes: number): ArrayBuffer {
    const at = this.#spare.findIndex((buffer) => buffer.byteLength >= bytes);
    if (at < 0) return new ArrayBuffer(Math.max(bytes, this.#size));
    const [buffer] = this.#spare.splice(at, 1);
    return buffer!;
  }

  give(buffer: ArrayBuffer): void {
    const { byteLength } = buffer;
    if (byteLength < this.#size || byteLength > MOST_SPARE_BYTES) return;
    // The newest stays: the sizes in use change with the pages.
    if (this.#spare.length === this.#most) this.#spare.shift();
    this.#spare.push(buffer);
  }
}

/** Write a page into a buffer. */
export function encodePage(
  page: PoolPage,
  effort: Effort,
  reason: string,
  spare: SpareBuffers,
): ArrayBuffer {
  const strings = [page.key, page.url, page.contentType, page.contentEncoding, reason];
  const blobs = [page.rest, page.body];
  let most = HEAD;
  for (const s of strings) most += s.length * 3;
  for (const blob of blobs) most += blob.length;
  const buffer = spare.take(most);
  const bytes = new Uint8Array(buffer), numbers = new DataView(buffer);
  numbers.setUint32(0, effort, true);
  numbers.setUint32(4, page.render === false ? 0 : 1, true);
  let at = HEAD, field = 8;
  for (const s of strings) {
    const { written } = encoder.encodeInto(s, bytes.subarray(at));
    numbers.setUint32(field, written, true);
    field += 4;
    at += written;
  }
  for (const blob of blobs) {
    numbers.setUint32(field, blob.length, true);
    field += 4;
    bytes.set(blob, at);
    at += blob.length;
  }
  return buffer;
}

/** Read it back. */
export function decodePage(buffer: ArrayBuffer): PageMessage {
  const numbers = new DataView(buffer);
  let at = HEAD, field = 8;
  const take = (): Uint8Array => {
    const length = numbers.getUint32(field, true);
    field += 4;
    return new Uint8Array(buffer, (at += length) - length, length);
  };
  const text = () => decoder.decode(take());
  const key = text(), url = text(), contentType = text(), contentEncoding = text();
  const reason = text();
  const rest = take(), body = take();
  const render = numbers.getUint32(4, true) === 1;
  return {
    page: { key, url, contentType, contentEncoding, body, rest, render },
    effort: numbers.getUint32(0, true),
    reason,
  };
}
