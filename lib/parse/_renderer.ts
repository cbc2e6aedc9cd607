/**
 * Rendering the pages of an archive on several threads.
 *
 * @module
 */

import { availableParallelism } from "node:os";
import { RenderPool } from "../render/mod.ts";
import type { Payload } from "./_payload.ts";

/** What is asked of each page. */
export interface Wanted {
  readonly text: boolean;
  readonly markdown: boolean;
  readonly links: boolean;
}

/** What a page renders to, as far as it was asked for. */
export interface Rendered {
  readonly title: string;
  readonly text: string;
  readonly markdown: string;
  readonly wordCount: number;
  /** ISO 639-3, or empty. */
  readonly language: string;
  readonly confidence: number;
  /** `<base href>`. */
  readonly base: string | undefined;
  /** Links as the page has them. */
  readonly links: readonly string[];
}

/** A worker's row. */
export interface PageRow {
  readonly key: string;
  /** Missing for what is no HTML, or could not be rendered. */
  readonly rendered: Rendered | undefined;
  /** Why it could not; empty when it could, or was not to be. */
  readonly failed: string;
}

const decoder = new TextDecoder();

/** Renders pages; each comes back as the promise that it was given for. */
export class PageRenderer implements AsyncDisposable {
  readonly #pool: RenderPool;
  readonly #pending = new Map<string, PromiseWithResolvers<PageRow>>();
  #next = 0;

  constructor(wanted: Wanted, workers: number = availableParallelism()) {
    this.#pool = new RenderPool({
      worker: new URL("./_render_worker.ts", import.meta.url),
      width: workers,
      setup: wanted,
      onRow: (bytes) => {
        const row = JSON.parse(decoder.decode(bytes)) as PageRow;
        this.#pending.get(row.key)?.resolve(row);
        this.#pending.delete(row.key);
      },
      onError: (error) => {
        for (const { reject } of this.#pending.values()) reject(error);
        this.#pending.clear();
      },
    });
  }

  /**
   * Takes a page. Resolves when there is room for the next, to what will come of this one.
   *
   * @throws {RenderPoolError} When pages cannot be rendered at all.
   */
  async push(page: Payload): Promise<{ readonly row: Promise<PageRow> }> {
    const key = String(this.#next++);
    const waiting = Promise.withResolvers<PageRow>();
    // Whoever waits for it is told; nobody may be left to wait when the reader has gone.
    waiting.promise.catch(() => {});
    this.#pending.set(key, waiting);
    await this.#pool.push({ ...page, key, rest: new Uint8Array(0) });
    // In an object: a promise of a promise would be waited for.
    return { row: waiting.promise };
  }

  /** Ends the threads. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.abort();
  }
}
