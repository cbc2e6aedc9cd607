/**
 * What an earlier pass knows of each URL: its validators, joined from disk.
 *
 * @module
 */

import { RunError, type RunExitCode } from "./errors.ts";

/** What a conditional request is made of, and what its 304 refers to. */
export interface Validator {
  /** URL of the resource that they are of: where redirects had led, else the URL asked for. */
  readonly url: string;
  readonly etag: string;
  readonly lastModified: string;
  /** Base32 SHA-1 of the decoded body that was stored. */
  readonly digest: string;
}

/** To the thread that holds them. */
export type ToValidators =
  | { readonly kind: "open"; readonly path: string; readonly hub: string | undefined }
  | { readonly kind: "get"; readonly urls: readonly string[] };

/** And back. */
export type FromValidators =
  | { readonly kind: "opened"; readonly count: number }
  | { readonly kind: "waiting"; readonly ms: number; readonly reason: string }
  | { readonly kind: "got"; readonly found: readonly (Validator | undefined)[] }
  | { readonly kind: "failed"; readonly message: string; readonly exitCode: RunExitCode };

/**
 * The validators of an earlier pass's captures. They lie in a temporary SQLite file and are looked up
 * on a thread of their own: memory does not follow their number.
 */
export class Validators {
  #worker: Worker;
  #asked: { urls: string[]; answers: PromiseWithResolvers<Validator | undefined>[] } | undefined;
  #out: PromiseWithResolvers<Validator | undefined>[][] = [];
  #failure: RunError | undefined;
  #count = 0;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /**
   * Reads a file or folder of captures, or those of a dataset repo (`owner/name`).
   *
   * @throws {RunError} When they cannot be read.
   * @throws The signal's reason, when it aborts first.
   */
  static async open(
    path: string,
    { hub, signal, onWait }: {
      readonly hub?: string;
      readonly signal?: AbortSignal;
      /** Told of each wait for a hub that does not answer, and why. */
      readonly onWait?: (ms: number, reason: string) => void;
    } = {},
  ): Promise<Validators> {
    signal?.throwIfAborted();
    const worker = new Worker(new URL("./_validators_worker.ts", import.meta.url), {
      type: "module",
    });
    const opened = Promise.withResolvers<void>();
    const validators = new Validators(worker);
    worker.onmessage = ({ data }: MessageEvent<FromValidators>) => {
      if (data.kind === "opened") {
        validators.#count = data.count;
        opened.resolve();
      } else if (data.kind === "waiting") onWait?.(data.ms, data.reason);
      else if (data.kind === "failed") opened.reject(new RunError(data.message, data));
      else validators.#out.shift()!.forEach(({ resolve }, i) => resolve(data.found[i]));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      const error = new RunError(`Cannot read --validators ${path}: ${event.message}`);
      opened.reject(error);
      validators.#fail(error);
    };
    const abort = () => opened.reject(signal!.reason);
    signal?.addEventListener("abort", abort, { once: true });
    worker.postMessage({ kind: "open", path, hub } satisfies ToValidators);
    try {
      await opened.promise;
    } catch (e) {
      worker.terminate();
      throw e;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
    return validators;
  }

  /** Pages that something is known of, one that was fetched twice counted twice. */
  get count(): number {
    return this.#count;
  }

  /**
   * What is known of a URL, as the earlier pass asked for it.
   *
   * @throws {RunError} When they can no longer be looked up.
   */
  get(url: string): Promise<Validator | undefined> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#asked === undefined) {
      const asked = this.#asked = { urls: [], answers: [] };
      queueMicrotask(() => {
        this.#asked = undefined;
        this.#out.push(asked.answers);
        this.#worker.postMessage({ kind: "get", urls: asked.urls } satisfies ToValidators);
      });
    }
    const answer = Promise.withResolvers<Validator | undefined>();
    this.#asked.urls.push(url);
    this.#asked.answers.push(answer);
    return answer.promise;
  }

  #fail(error: RunError): void {
    this.#failure = error;
    for (const { reject } of this.#out.flat()) reject(error);
    this.#out = [];
  }

  /** Lets go of the thread and its file. */
  close(): void {
    this.#worker.terminate();
  }
}

/** Longest validator that is sent back: servers refuse requests whose head is longer than some 8 KB. */
const MAX_VALIDATOR = 4096;
/** Control characters: servers refuse requests that hold any. */
// deno-lint-ignore no-control-regex -- control characters are what is looked for
const UNSENDABLE = /[\0-\x08\x0a-\x1f\x7f]/;

/**
 * The conditions of a request for a page that is known (RFC 9110, section 13.1). What a server gave as
 * a validator and no request can hold is left out: it would cost the page.
 */
export function conditionsOf(
  validator: Pick<Validator, "etag" | "lastModified"> | undefined,
): [name: string, value: string][] {
  if (validator === undefined) return [];
  const { etag, lastModified } = validator;
  const conditions: [string, string][] = [];
  if (isSendable(etag)) conditions.push(["If-None-Match", etag]);
  if (isSendable(lastModified)) conditions.push(["If-Modified-Since", lastModified]);
  return conditions;
}

function isSendable(validator: string): boolean {
  return validator !== "" && validator.length <= MAX_VALIDATOR && !UNSENDABLE.test(validator);
}
