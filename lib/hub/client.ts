/**
 * Asking the hub: retries, redirects, who may see the token, and what its refusals mean.
 *
 * @module
 */

import {
  HubAccessError,
  HubConflictError,
  HubError,
  HubMissingError,
  HubQuotaError,
} from "./errors.ts";
import { readReason, shownWords, waitAsked } from "./refusal.ts";
import { Again, retrying, type RetryOptions } from "./retry.ts";

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What asking cost. */
export interface HubStats {
  /** Requests sent. */
  requests: number;
  /** Of them, those sent again. */
  retries: number;
  /** Bytes of bodies received. */
  bytes: number;
}

/** What {@linkcode HubClient} needs. */
export interface HubClientOptions extends Omit<RetryOptions, "onWait"> {
  /** Base URL of the hub, without a slash at its end. */
  readonly hub: string;
  /** Credential; sent to the hub and to nobody it points to. */
  readonly token: string | undefined;
  /** Sends requests. */
  readonly fetch: Fetch;
  /** Ms without a byte after which a request has failed. */
  readonly idle: number;
  /** Where it is counted what asking cost. */
  readonly stats: HubStats;
  /** Told of each wait, before it. */
  readonly onWait?: (ms: number, why: string) => void;
}

/** An answer 2xx, and what it takes to read its body under the idle limit. */
export interface HubAnswer {
  /** Its status and head; the body is for {@linkcode HubAnswer.body}. */
  readonly response: Response;
  /** Where the answer came from in the end. */
  readonly url: string;
  /** Chunks of the body. Ends the request when it is left. */
  body(): AsyncGenerator<Uint8Array, void, unknown>;
  /** Ends the request without its body. */
  drop(): void;
}

/** What is asked, beside the address. */
export interface HubRequest {
  /** How it is sent. @default GET */
  readonly method?: "GET" | "POST";
  /** Fields beside the token's. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body, held in memory. */
  readonly body?: string;
  /** Sends no token to the hub either: the address is signed. @default false */
  readonly signed?: boolean;
  /** How many times as long as others it may take until something comes. @default 1 */
  readonly patience?: number;
  /** What is done, as in "Cannot <verb> <address>". @default read */
  readonly verb?: string;
}

const MAX_HOPS = 5;
/** Bytes a second that an answer comes with at the least, once it has been waited for as long as for one byte. */
const SLOWEST = 128;

/** The hub. */
export class HubClient {
  readonly #options: HubClientOptions;

  /** A client of one hub, with one credential. */
  constructor(options: HubClientOptions) {
    this.#options = options;
  }

  /** Base URL of the hub. */
  get hub(): string {
    return this.#options.hub;
  }

  /** What it means that the hub, in an answer that is a good one otherwise, refuses something. */
  refused(verb: string, url: string, status: number, words: string): Error {
    const reason = shownWords(words, this.#options.token);
    return refusal({
      status,
      at: url,
      verb,
      after: undefined,
      reason,
      withToken: true,
      redirected: false,
    });
  }

  /**
   * Sends a GET and hands the answer to `use`; both are done again when the hub is busy or the
   * connection fails, for as long as `retryFor` without progress. `use` tells of progress by
   * `progressed`, and may throw a {@linkcode HubError}, which ends it.
   */
  get<T>(
    url: string,
    headers: Readonly<Record<string, string>>,
    use: (answer: HubAnswer, progressed: () => void) => Promise<T>,
    change: () => { url: string; headers: Readonly<Record<string, string>> } = () => ({
      url,
      headers,
    }),
  ): Promise<T> {
    return this.#retrying(() => ({ verb: "read", place: bare(change().url) }), (progressed) => {
      const request = change();
      return this.#use(request.url, { headers: request.headers }, (answer) => {
        return use(answer, progressed);
      });
    });
  }

  /**
   * Sends a request that may be sent again, and hands the answer to `use`, as {@linkcode get} does.
   *
   * @throws {HubError} If the hub does not do it.
   */
  ask<T>(
    url: string,
    request: HubRequest,
    use: (answer: HubAnswer) => Promise<T>,
  ): Promise<T> {
    return this.#retrying(
      () => ({ verb: request.verb ?? "read", place: bare(url) }),
      () => this.#use(url, request, use),
    );
  }

  /**
   * Sends a request once, for what must not be done twice unseen.
   *
   * @throws {Again} If it is not known what became of it, or the hub wants to be asked later.
   * @throws {HubError} If the hub refuses it.
   */
  once<T>(url: string, request: HubRequest, use: (answer: HubAnswer) => Promise<T>): Promise<T> {
    return this.#use(url, request, use);
  }

  /** Does `work` again as long as it throws {@linkcode Again}, under this client's limits. */
  retrying<T>(verb: string, url: string, work: (progressed: () => void) => Promise<T>): Promise<T> {
    return this.#retrying(() => ({ verb, place: bare(url) }), work);
  }

  #retrying<T>(
    tried: () => { verb: string; place: string },
    work: (progressed: () => void) => Promise<T>,
  ): Promise<T> {
    const onWait = (ms: number, why: string) => {
      this.#options.stats.retries++;
      this.#options.onWait?.(ms, why);
    };
    return retrying({ ...this.#options, onWait }, tried, work);
  }

  async #use<T>(
    url: string,
    request: HubRequest,
    use: (answer: HubAnswer) => Promise<T>,
  ): Promise<T> {
    const answer = await this.#send(url, request);
    try {
      return await use(answer);
    } finally {
      answer.drop();
    }
  }

  async #send(url: string, request: HubRequest): Promise<HubAnswer> {
    const { hub, token, stats, signal, now } = this.#options;
    const idle = this.#options.idle * (request.patience ?? 1);
    const { method = "GET", headers = {}, body, verb = "read", signed = false } = request;
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
      const own = token !== undefined && !signed && new URL(at).origin === home;
      let response: Response;
      try {
        stats.requests++;
        response = await this.#options.fetch(at, {
          ...(method === "GET" ? {} : { method }),
          ...(body === undefined ? {} : { body }),
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
        const failure = failed(error, stop.signal, at);
        drop();
        throw failure;
      }
      const { status } = response;
      if (status >= 300 && status < 400 && response.headers.has("location")) {
        await response.body?.cancel();
        drop();
        const refused = (why: string) =>
          new HubError(`Cannot ${verb} ${bare(at)}: ${why}`, bare(at), status);
        // What is sent again elsewhere is sent to whom the hub did not say may have it.
        if (method !== "GET") throw refused("it redirects what was sent to it");
        const target = URL.parse(response.headers.get("location")!, at);
        if (target === null || !/^https?:$/.test(target.protocol)) {
          throw refused("it redirects to no URL");
        }
        if (at.startsWith("https:") && target.protocol !== "https:") {
          throw refused("it redirects from https to http, which is not followed");
        }
        at = target.href;
        continue;
      }
      if (status >= 200 && status < 300) {
        return {
          response,
          url: at,
          body: () =>
            chunks(response, { alive, rest, drop, pace: pace(now, idle) }, stop.signal, stats),
          drop,
        };
      }
      const after = waitAsked(response.headers);
      alive();
      let reason: string;
      try {
        reason = await readReason(response, token);
      } finally {
        drop();
      }
      throw refusal({ status, at, verb, after, reason, withToken: own, redirected: at !== url });
    }
    throw new HubError(
      `Cannot ${verb} ${bare(url)}: more than ${MAX_HOPS} redirects`,
      bare(url),
      0,
    );
  }
}

async function* chunks(
  response: Response,
  watch: { alive(): void; rest(): void; drop(): void; pace: Pace },
  signal: AbortSignal,
  stats: HubStats,
): AsyncGenerator<Uint8Array, void, unknown> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  try {
    for (;;) {
      watch.alive();
      const keepPace = watch.pace();
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
      keepPace(chunk.value.length);
      yield chunk.value;
    }
  } finally {
    watch.drop();
  }
}

/** Called before a chunk is waited for; gives what is called with its size. */
type Pace = () => (bytes: number) => void;

/** Refuses an answer that comes by drops: none of them is late, and together they have no end. */
function pace(now: () => number, idle: number): Pace {
  let waited = 0, bytes = 0;
  return () => {
    const begun = now();
    return (count) => {
      waited += now() - begun;
      bytes += count;
      if (waited <= idle || bytes >= waited / 1000 * SLOWEST) return;
      throw new Again(
        `no more than ${bytes} bytes came in ${Math.round(waited / 1000)} seconds`,
        0,
        undefined,
      );
    };
  };
}

/** A refusal, and what is known of it. */
interface Refusal {
  readonly status: number;
  readonly at: string;
  readonly verb: string;
  readonly after: number | undefined;
  /** The server's own words; empty where it has none. */
  readonly reason: string;
  readonly withToken: boolean;
  readonly redirected: boolean;
}

function refusal({ status, at, verb, after, reason, withToken, redirected }: Refusal): Error {
  const place = bare(at);
  const words = reason === "" ? "" : ` (${reason})`;
  const message = `Cannot ${verb} ${place}: the server answers ${status}${words}`;
  if (status === 429 || status === 408 || status >= 500) {
    return new Again(`the server answers ${status}${words}`, status, after);
  }
  // A full account is told by 402 or 403 and by words alone.
  if (status === 402 || (status === 403 && /\b(storage|quota)\b/i.test(reason))) {
    return new HubQuotaError(
      `${message}. Make room in the account or enlarge it, and run it again.`,
      place,
      status,
    );
  }
  if (status === 401 || status === 403) {
    const right = verb === "read" ? "read" : "write";
    const advice = redirected
      ? "The address that the hub gave is refused."
      : withToken
      ? `The token in HF_TOKEN is not accepted, or may not ${right} there.`
      : right === "read"
      ? "If the repo is private or gated, set HF_TOKEN to a token that may read it."
      : "Set HF_TOKEN to a token that may write there.";
    return new HubAccessError(`${message}. ${advice}`, place, status);
  }
  if (status === 404 || status === 410) return new HubMissingError(message, place, status);
  if (status === 409 || status === 412) return new HubConflictError(message, place, status);
  return new HubError(message, place, status);
}

/** What a failed `fetch` or read of a body is: why it was ended, or what the network says. */
function failed(error: unknown, signal: AbortSignal, at?: string): unknown {
  if (signal.aborted) return signal.reason;
  // The error itself is not kept: it has the whole address in it.
  return new Again(plain(error, at), 0, undefined);
}

/** The network's own words, without the URL in them, which may carry a signature. */
function plain(error: unknown, at: string | undefined): string {
  // The runtime says "fetch failed", and what it was in the cause.
  const said = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const words = said instanceof Error ? said.message : String(said);
  const shown = at === undefined ? words : words.replaceAll(new URL(at).href, "");
  const rest = /^error sending request for url \(\)(.*)$/s.exec(shown)?.[1];
  if (rest !== undefined && !rest.includes("://")) return `the request failed${rest}`;
  return shown.includes("http") ? "the request failed" : shown;
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

/** A path of a repo as it stands in a URL. */
export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
