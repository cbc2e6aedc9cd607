/**
 * Asking the hub: retries, redirects, and who may see the token.
 *
 * @module
 */

import {
  HubAccessError,
  HubBusyError,
  HubError,
  HubMissingError,
  HubNetworkError,
} from "./errors.ts";
import { reason } from "./_source.ts";
import type { WorkListStats } from "./types.ts";

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What {@linkcode HubClient} needs. */
export interface HubClientOptions {
  /** Base URL of the hub, without a slash at its end. */
  readonly hub: string;
  /** Credential; sent to the hub and to nobody it points to. */
  readonly token: string | undefined;
  readonly fetch: Fetch;
  /** Waits; a test's own. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Monotonic ms. */
  readonly now: () => number;
  /** Ms for which one request is asked again and again. */
  readonly retryFor: number;
  /** Ms without a byte after which a request has failed. */
  readonly idle: number;
  readonly signal: AbortSignal | undefined;
  readonly stats: WorkListStats;
}

/** An answer 2xx, and what it takes to read its body under the idle limit. */
export interface HubAnswer {
  readonly response: Response;
  /** Where the answer came from in the end. */
  readonly url: string;
  /** Chunks of the body. Ends the request when it is left. */
  body(): AsyncGenerator<Uint8Array, void, unknown>;
  /** Ends the request without its body. */
  drop(): void;
}

const MAX_HOPS = 5;
const FIRST_WAIT = 1000;
const MOST_WAIT = 60_000;

/** A failure after which the same may be asked again. */
class Again extends Error {
  readonly status: number;
  /** Ms that the server wants to be left alone. */
  readonly after: number | undefined;
  constructor(message: string, status: number, after: number | undefined, cause?: unknown) {
    super(message, { cause });
    this.status = status;
    this.after = after;
  }
}

/** The hub. */
export class HubClient {
  readonly #options: HubClientOptions;

  constructor(options: HubClientOptions) {
    this.#options = options;
  }

  /** Base URL of the hub. */
  get hub(): string {
    return this.#options.hub;
  }

  /**
   * Sends a GET and hands the answer to `use`; both are done again when the hub is busy or the
   * connection fails, for as long as `retryFor` without progress. `use` tells of progress by
   * `progressed`, and may throw a {@linkcode HubError}, which ends it.
   */
  async get<T>(
    url: string,
    headers: Readonly<Record<string, string>>,
    use: (answer: HubAnswer, progressed: () => void) => Promise<T>,
    change: () => { url: string; headers: Readonly<Record<string, string>> } = () => ({
      url,
      headers,
    }),
  ): Promise<T> {
    const { now, sleep, retryFor, stats, signal } = this.#options;
    let since = now();
    let wait = FIRST_WAIT;
    const progressed = () => {
      since = now();
      wait = FIRST_WAIT;
    };
    for (let tries = 1;; tries++) {
      try {
        const request = change();
        const answer = await this.#send(request.url, request.headers);
        try {
          return await use(answer, progressed);
        } finally {
          answer.drop();
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof Again)) throw error;
        const again = error;
        // Jitter keeps the machines of a fleet from coming back as one.
        const pause = again.after ?? wait * (0.75 + Math.random() / 2);
        wait = Math.min(wait * 2, MOST_WAIT);
        if (now() - since + pause > retryFor) {
          const place = bare(change().url);
          const message = `Cannot read ${place}: ${again.message}, after ${tries} ` +
            `${tries === 1 ? "attempt" : "attempts"}. `;
          throw again.status === 0
            ? new HubNetworkError(message + "Look at the network, and run it again.", place, 0, {
              cause: again.cause,
            })
            : new HubBusyError(message + "Run it again later.", place, again.status);
        }
        stats.retries++;
        await sleep(pause, signal);
      }
    }
  }

  async #send(url: string, headers: Readonly<Record<string, string>>): Promise<HubAnswer> {
    const { hub, token, idle, stats, signal } = this.#options;
    const home = new URL(hub).origin;
    let at = url;
    for (let hop = 0; hop <= MAX_HOPS; hop++) {
      const stop = new AbortController();
      const onAbort = () => stop.abort(signal?.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
      let timer: ReturnType<typeof setTimeout> | undefined;
      const rest = () => clearTimeout(timer);
      const alive = () => {
        rest();
        timer = setTimeout(() => {
          stop.abort(
            new Again(`nothing came for ${Math.round(idle / 1000)} seconds`, 0, undefined),
          );
        }, idle);
      };
      const drop = () => {
        rest();
        signal?.removeEventListener("abort", onAbort);
        stop.abort();
      };
      signal?.throwIfAborted();
      alive();
      let response: Response;
      try {
        stats.requests++;
        const own = token !== undefined && new URL(at).origin === home;
        response = await this.#options.fetch(at, {
          headers: {
            // A coded body would have another length than the range that was asked for.
            "accept-encoding": "identity",
            ...headers,
            ...(own ? { authorization: `Bearer ${token}` } : {}),
          },
          redirect: "manual",
          signal: stop.signal,
        });
      } catch (error) {
        const failure = failed(error, stop.signal);
        drop();
        throw failure;
      }
      if (response.status >= 300 && response.status < 400 && response.headers.has("location")) {
        await response.body?.cancel();
        drop();
        const target = URL.parse(response.headers.get("location")!, at);
        if (target === null || !/^https?:$/.test(target.protocol)) {
          throw new HubError(
            `Cannot read ${bare(at)}: it redirects to no URL`,
            bare(at),
            response.status,
          );
        }
        if (at.startsWith("https:") && target.protocol !== "https:") {
          throw new HubError(
            `Cannot read ${bare(at)}: it redirects from https to http, which is not followed`,
            bare(at),
            response.status,
          );
        }
        at = target.href;
        continue;
      }
      if (response.status >= 200 && response.status < 300) {
        return {
          response,
          url: at,
          body: () => chunks(response, { alive, rest, drop }, stop.signal, stats),
          drop,
        };
      }
      const after = retryAfter(response.headers.get("retry-after"));
      await response.body?.cancel();
      drop();
      throw failure(
        response.status,
        at,
        after,
        token !== undefined && new URL(at).origin === home,
        at !== url,
      );
    }
    throw new HubError(`Cannot read ${bare(url)}: more than ${MAX_HOPS} redirects`, bare(url), 0);
  }
}

async function* chunks(
  response: Response,
  watch: { alive(): void; rest(): void; drop(): void },
  signal: AbortSignal,
  stats: WorkListStats,
): AsyncGenerator<Uint8Array, void, unknown> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  try {
    for (;;) {
      watch.alive();
      let chunk: ReadableStreamReadResult<Uint8Array>;
      try {
        chunk = await reader.read();
      } catch (error) {
        throw failed(error, signal);
      }
      // The time that is taken to use a chunk is not the server's.
      watch.rest();
      if (chunk.done) return;
      stats.bytes += chunk.value.length;
      yield chunk.value;
    }
  } finally {
    watch.drop();
  }
}

function failure(
  status: number,
  url: string,
  after: number | undefined,
  withToken: boolean,
  redirected: boolean,
): Error {
  const place = bare(url);
  if (status === 429 || status === 408 || status >= 500) {
    return new Again(`the server answers ${status}`, status, after);
  }
  if (status === 401 || status === 403) {
    const advice = redirected
      ? "The address that the hub gave is refused."
      : withToken
      ? "The token in HF_TOKEN is not accepted, or does not reach this repo."
      : "If the repo is private or gated, set HF_TOKEN to a token that may read it.";
    return new HubAccessError(
      `Cannot read ${place}: the server answers ${status}. ${advice}`,
      place,
      status,
    );
  }
  if (status === 404 || status === 410) {
    return new HubMissingError(`Cannot read ${place}: the server answers ${status}`, place, status);
  }
  return new HubError(`Cannot read ${place}: the server answers ${status}`, place, status);
}

/** What a failed `fetch` or read of a body is: why it was ended, or what the network says. */
function failed(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  return new Again(plain(error), 0, undefined, error);
}

/** The network's own words, without the URL in them, which may carry a signature. */
function plain(error: unknown): string {
  const words = reason(error);
  const at = words.indexOf("http");
  if (at < 0) return words;
  const end = words.indexOf(")", at);
  const rest = end < 0 ? "" : words.slice(end + 1);
  return `the request failed${rest}`;
}

/** Answer shorter than it said, as a reason to go on from where it stopped. */
export function cutShort(): Error {
  return new Again("the connection was cut", 0, undefined);
}

/** A URL without its query, which may be a credential. */
export function bare(url: string): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}

/** Ms from a Retry-After of seconds or of a date (RFC 9110 section 10.2.3), at most an hour. */
function retryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 3_600_000) : undefined;
}
