/**
 * What an earlier pass knows of each URL: its validators, joined from disk.
 *
 * @module
 */

import { RunError } from "./errors.ts";

/** What a conditional request is made of, and what its 304 refers to. */
export interface Validator {
  readonly etag: string;
  readonly lastModified: string;
  /** Base32 SHA-1 of the decoded body that was stored. */
  readonly digest: string;
}

/** To the thread that holds them. */
export type ToValidators =
  | { readonly kind: "open"; readonly path: string }
  | { readonly kind: "get"; readonly urls: readonly string[] };

/** And back. */
export type FromValidators =
  | { readonly kind: "opened"; readonly count: number }
  | { readonly kind: "got"; readonly found: readonly (Validator | undefined)[] }
  | { readonly kind: "failed"; readonly message: string };

/**
 * The validators of an earlier pass's captures. They lie in a temporary SQLite file and are looked up
 * on a thread of their own: memory does not follow their number.
 */
export class Validators {
  #worker: Worker;
  #asked: { urls: string[]; answers: ((found: Validator | undefined) => void)[] } | undefined;
  #out: ((found: Validator | undefined) => void)[][] = [];

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /**
   * Reads a file or folder of captures.
   *
   * @throws {RunError} When they cannot be read.
   */
  static async open(path: string): Promise<Validators> {
    const worker = new Worker(new URL("./_validators_worker.ts", import.meta.url), {
      type: "module",
    });
    const opened = Promise.withResolvers<void>();
    const validators = new Validators(worker);
    worker.onmessage = ({ data }: MessageEvent<FromValidators>) => {
      if (data.kind === "opened") opened.resolve();
      else if (data.kind === "failed") opened.reject(new RunError(data.message));
      else validators.#out.shift()!.forEach((answer, i) => answer(data.found[i]));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      opened.reject(new RunError(`Cannot read --validators ${path}: ${event.message}`));
    };
    worker.postMessage({ kind: "open", path } satisfies ToValidators);
    try {
      await opened.promise;
    } catch (e) {
      worker.terminate();
      throw e;
    }
    return validators;
  }

  /** What is known of a URL, as the earlier pass asked for it. */
  get(url: string): Promise<Validator | undefined> {
    return new Promise((resolve) => {
      if (this.#asked === undefined) {
        const asked = this.#asked = { urls: [], answers: [] };
        queueMicrotask(() => {
          this.#asked = undefined;
          this.#out.push(asked.answers);
          this.#worker.postMessage({ kind: "get", urls: asked.urls } satisfies ToValidators);
        });
      }
      this.#asked.urls.push(url);
      this.#asked.answers.push(resolve);
    });
  }

  /** Lets go of the thread and its file. */
  close(): void {
    this.#worker.terminate();
  }
}
