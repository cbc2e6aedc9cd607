/**
 * Pages on their way to a worker: several small ones or a large one in a buffer, which comes back and is used
 * again. A message costs more than a small page's rendering, and fresh memory more than a copy.
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

/** Effort, whether to render, then the lengths of five strings and two runs of bytes. */
const HEAD = 9 * 4;
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
    let best = -1, length = Infinity;
    for (const [at, { byteLength }] of this.#spare.entries()) {
      if (byteLength < bytes || byteLength >= length) continue;
      best = at;
      length = byteLength;
    }
    if (best < 0) return new ArrayBuffer(Math.max(bytes, this.#size));
    return this.#spare.splice(best, 1)[0]!;
  }

  give(buffer: ArrayBuffer): void {
    const { byteLength } = buffer;
    if (byteLength < this.#size || byteLength > MOST_SPARE_BYTES) return;
    // The newest stays: the sizes in use change with the pages.
    if (this.#spare.length === this.#most) this.#spare.shift();
    this.#spare.push(buffer);
  }
}

/** A page to be sent, and how much is to be tried. */
export interface Sending {
  readonly page: PoolPage;
  readonly effort: Effort;
  readonly reason: string;
}

/** Write pages into a buffer: their number, and one after the other. */
export function encodePages(pages: readonly Sending[], spare: SpareBuffers): ArrayBuffer {
  let most = 4;
  for (const { page, reason } of pages) {
    const units = page.key.length + page.url.length + page.contentType.length +
      page.contentEncoding.length + reason.length;
    most += HEAD + units * 3 + page.rest.length + page.body.length;
  }
  const buffer = spare.take(most);
  const bytes = new Uint8Array(buffer), numbers = new DataView(buffer);
  numbers.setUint32(0, pages.length, true);
  let at = 4;
  for (const { page, effort, reason } of pages) {
    let field = at;
    const number = (value: number) => {
      numbers.setUint32(field, value, true);
      field += 4;
    };
    at += HEAD;
    number(effort);
    number(page.render === false ? 0 : 1);
    for (const s of [page.key, page.url, page.contentType, page.contentEncoding, reason]) {
      const { written } = encoder.encodeInto(s, bytes.subarray(at));
      number(written);
      at += written;
    }
    for (const blob of [page.rest, page.body]) {
      number(blob.length);
      bytes.set(blob, at);
      at += blob.length;
    }
  }
  return buffer;
}

/** Read them back, one at a time: bytes are views of the buffer. */
export function* decodePages(buffer: ArrayBuffer): Generator<PageMessage> {
  const numbers = new DataView(buffer);
  let at = 4;
  for (let left = numbers.getUint32(0, true); left > 0; left--) {
    let field = at;
    at += HEAD;
    const number = () => numbers.getUint32((field += 4) - 4, true);
    const take = () => {
      const length = number();
      return new Uint8Array(buffer, (at += length) - length, length);
    };
    const text = () => decoder.decode(take());
    const effort: Effort = number(), render = number() === 1;
    const key = text(), url = text(), contentType = text(), contentEncoding = text();
    const reason = text(), rest = take(), body = take();
    yield {
      page: { key, url, contentType, contentEncoding, body, rest, render },
      effort,
      reason,
    };
  }
}
