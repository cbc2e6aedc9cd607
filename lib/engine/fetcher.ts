/**
 * One URL, end to end: robots, the host's clock, the exchange, retries, redirects in place.
 *
 * @module
 */

import { type Exchange, FetchError, type HttpClient, isBadPort, toFetchError } from "../net/mod.ts";
import type { RobotsCache } from "../robots/mod.ts";
import { canonicalUrl, hostOf } from "../url/mod.ts";
import { pickHeaders } from "./archiver.ts";
import type { HostClocks } from "./clocks.ts";
import { isRedirect } from "./page.ts";
import { isTransient } from "./robots_fetch.ts";

/** What fetching in place needs. */
export interface FetcherOptions {
  readonly client: HttpClient;
  readonly clocks: HostClocks;
  /** Header lines after Host. */
  readonly headers: readonly (readonly [string, string])[];
  readonly userAgent: string;
  /** Checked before every hop; undefined does not ask. */
  readonly robots?: RobotsCache;
  /** Shortest time between two page requests of a host, in ms. */
  readonly delayMs: number;
  /** A host that asks for a longer Crawl-delay is not fetched. */
  readonly maxCrawlDelayMs: number;
  /** One page's budget: connecting, fetching, retries and hops; not the wait before the first request. */
  readonly timeoutMs: number;
  /** Further attempts after a transport failure. */
  readonly retries: number;
  readonly bodyCap: number;
  readonly keepWire: boolean;
  /** Redirects followed. @default 5 */
  readonly maxRedirects?: number;
}

/** What a URL came to. */
export interface Fetched {
  /** Every exchange that was answered, in order; the last one is the result. */
  readonly hops: readonly Exchange[];
  /** Why there is no result; the hops before it are kept. */
  readonly error?: FetchError;
  /** URL of the last hop that was tried, be it answered or not. */
  readonly last: URL;
  /** Wall clock (unix ms) at the first request, or now where none was sent. */
  readonly date: number;
  /** From the first request to the end, in ms. */
  readonly durationMs: number;
}

/** What one fetch is given besides its URL. */
export interface FetchOptions {
  /** Header lines for the request of `url` alone: validators are those of one resource. */
  readonly conditions?: {
    readonly url: string;
    readonly headers: readonly (readonly [string, string])[];
  };
  /** Moved with every read, so that a fetch that receives nothing can be told. */
  readonly progress?: { at: number; bytes: number };
  /** Called before a page is asked for, when robots.txt has said yes. */
  readonly onFetching?: () => void;
  readonly signal?: AbortSignal;
}

/** Fetches URLs, following redirects in place. */
export class Fetcher {
  #options: FetcherOptions;

  constructor(options: FetcherOptions) {
    this.#options = options;
  }

  /**
   * Fetches `url`. A failure is returned, not thrown.
   *
   * @throws The signal's reason, when it aborts.
   */
  async fetch(url: string, fetch: FetchOptions = {}): Promise<Fetched> {
    const { signal } = fetch;
    const hops: Exchange[] = [];
    let started: number | undefined;
    let date = Date.now();
    let next = new URL(url);
    const maxRedirects = this.#options.maxRedirects ?? 5;
    try {
      for (;;) {
        const deadline = started === undefined ? Infinity : started + this.#options.timeoutMs;
        const x = await this.#hop(
          next,
          deadline,
          (at) => {
            if (started !== undefined) return;
            started = at;
            date = Date.now();
          },
          fetch,
          fetch.conditions?.url === next.href ? fetch.conditions.headers : [],
        );
        if (x === undefined) break; // could not start in time: the 3xx before it is the result
        hops.push(x);
        const { location } = pickHeaders(x);
        if (!isRedirect(x.status) || location === "" || hops.length > maxRedirects) break;
        const target = canonicalUrl(location, x.url.href);
        if (target === undefined) break;
        next = new URL(target);
      }
    } catch (e) {
      if (signal?.aborted) throw e;
      return { hops, error: toFetchError(e), last: next, date, durationMs: elapsed(started) };
    }
    return { hops, last: next, date, durationMs: elapsed(started) };
  }

  /**
   * One request with its retries; undefined when it could not start before the deadline.
   *
   * @throws What the last attempt failed with, also where another could not start in time.
   */
  async #hop(
    url: URL,
    deadline: number,
    onStart: (at: number) => void,
    { signal, progress, onFetching }: FetchOptions,
    more: readonly (readonly [string, string])[],
  ): Promise<Exchange | undefined> {
    const options = this.#options;
    const host = hostOf(url.href);
    const delayMs = await before(this.#allowed(url), deadline);
    if (delayMs === undefined) return undefined;
    onFetching?.();
    let failure: unknown;
    for (let attempt = 0;; attempt++) {
      const entered = await options.clocks.enter(host, {
        spaced: true,
        notAfter: deadline,
        ...(signal === undefined ? {} : { signal }),
      });
      if (!entered) {
        if (failure !== undefined) throw failure;
        return undefined;
      }
      const begun = performance.now();
      if (deadline === Infinity) {
        deadline = begun + options.timeoutMs;
        onStart(begun);
      }
      const left = deadline - begun;
      if (left <= 0) {
        options.clocks.leave(host);
        if (failure !== undefined) throw failure;
        return undefined;
      }
      try {
        // a connection that fails is a visit too: the next one keeps its distance from it
        options.clocks.sent(host, begun);
        return await options.client.exchange({
          url,
          headers: more.length === 0 ? options.headers : [...options.headers, ...more],
          timeoutMs: left,
          bodyCap: options.bodyCap,
          keepWire: options.keepWire,
          onSent: (at) => options.clocks.sent(host, at),
          onWritten: (at) => options.clocks.sent(host, at),
          beforeAgain: (signal) => options.clocks.again(host, delayMs, signal),
          ...(progress === undefined ? {} : { progress }),
          ...(signal === undefined ? {} : { signal }),
        });
      } catch (e) {
        const error = toFetchError(e);
        if (signal?.aborted || attempt >= options.retries || !isTransient(error)) throw e;
        if (performance.now() >= deadline) throw e;
        failure = e;
      } finally {
        options.clocks.leave(host, delayMs);
      }
    }
  }

  /** The delay to keep at the URL's host; throws where robots.txt says no. */
  async #allowed(url: URL): Promise<number> {
    const { robots, delayMs, maxCrawlDelayMs, userAgent } = this.#options;
    if (robots === undefined) return this.#spaced(url, delayMs);
    const { rules, state, failure, detail } = await robots.get(url);
    if (state === "unreachable" && failure === "skip") {
      // we would not ask this host for anything: that is no word of its robots.txt
      throw new FetchError("skip", detail ?? `Cannot connect to ${url.host}: it is not public`, {
        reason: url.port !== "" && isBadPort(Number(url.port)) ? "bad-port" : "private-address",
      });
    }
    if (state === "unreachable") {
      // a host that does not answer fails the page as it would have without robots.txt
      const kind = failure === undefined || failure === "5xx" ? "skip" : failure;
      throw new FetchError(
        kind,
        `robots.txt of ${url.host} could not be had (${
          detail ?? failure ?? "5xx"
        }), so nothing may be fetched`,
        { reason: "robots-unreachable" },
      );
    }
    const verdict = rules.check(userAgent, url.href);
    if (!verdict.allowed) {
      throw new FetchError(
        "skip",
        `robots.txt of ${url.host} disallows it${
          verdict.line === undefined ? "" : ` (line ${verdict.line})`
        }`,
        { reason: "robots" },
      );
    }
    const asked = (verdict.crawlDelay ?? 0) * 1000;
    if (asked > maxCrawlDelayMs) {
      throw new FetchError(
        "skip",
        `robots.txt of ${url.host} asks for ${verdict.crawlDelay} s between requests, more than --max-crawl-delay`,
        { reason: "crawl-delay" },
      );
    }
    return this.#spaced(url, Math.max(delayMs, asked));
  }

  /** The page before this one may have been spaced by less than the host asks for since. */
  #spaced(url: URL, delayMs: number): number {
    this.#options.clocks.space(hostOf(url.href), delayMs);
    return delayMs;
  }
}

/** What a promise comes to, or undefined once `deadline` is over; what comes later is let go. */
function before<T>(promise: Promise<T>, deadline: number): Promise<T | undefined> {
  if (deadline === Infinity) return promise;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, Math.max(0, deadline - performance.now()), undefined);
    promise.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

function elapsed(started: number | undefined): number {
  return started === undefined ? 0 : performance.now() - started;
}
