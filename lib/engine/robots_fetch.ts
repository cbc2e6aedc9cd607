/**
 * Asking a host for its robots.txt (RFC 9309, section 2.3).
 *
 * @module
 */

import {
  decodeBody,
  type Exchange,
  FetchError,
  type HttpClient,
  toFetchError,
} from "../net/mod.ts";
import type { RobotsAnswer } from "../robots/mod.ts";
import { hostOf } from "../url/mod.ts";
import type { HostClocks } from "./clocks.ts";
import { pickHeaders } from "./archiver.ts";

/** What fetching robots.txt needs. */
export interface RobotsFetchOptions {
  readonly client: HttpClient;
  readonly clocks: HostClocks;
  readonly headers: readonly (readonly [string, string])[];
  /** Milliseconds for one robots.txt, hops and retry together. */
  readonly budgetMs: number;
  /** Called with each exchange, so that robots answers are archived like pages. */
  readonly archive?: (x: Exchange) => void;
  /** Keep the wire bytes of every answer, for an archive that stores them. @default false */
  readonly keepWire?: boolean;
  readonly signal?: AbortSignal;
}

/** Redirects followed (RFC 9309, section 2.3.1.2). */
const MAX_HOPS = 5;
/** Bytes asked for: the parse limit is 500 KiB, the rest would be dropped anyway. */
const MAX_BYTES = 512_000 + 1024;

/**
 * Makes the function that a `RobotsCache` asks hosts with. A request waits for the host's request in
 * flight, not for its delay. A transport failure is retried once within the budget.
 */
export function robotsFetcher(
  options: RobotsFetchOptions,
): (url: URL) => Promise<RobotsAnswer> {
  return async (first) => {
    let left = options.budgetMs;
    let url = first;
    let retried = false;
    for (let hops = 0;;) {
      const start = performance.now();
      let x: Exchange;
      try {
        x = await ask(options, url, left);
      } catch (e) {
        if (options.signal?.aborted) throw e;
        const error = toFetchError(e);
        if (error.reason === "descriptors") throw error; // ours alone: the host has not been asked
        left -= performance.now() - start;
        if (!retried && left > 0 && isTransient(error)) {
          retried = true;
          continue;
        }
        // what a redirect led to says nothing of the host itself: it could not be asked, for now
        const elsewhere = hops > 0 && (error.kind === "tls" || error.kind === "skip");
        return {
          status: 0,
          body: new Uint8Array(0),
          failure: elsewhere ? "other" : error.kind,
          detail: error.message,
        };
      }
      left -= x.endedAt - start;
      const { contentEncoding, location } = pickHeaders(x);
      if (x.status >= 300 && x.status < 400 && location !== "") {
        const target = httpUrl(location, url);
        if (target === undefined || hops === MAX_HOPS) {
          return { status: 404, body: new Uint8Array(0) }; // unavailable: the rules are as if absent
        }
        if (left <= 0) return { status: 0, body: new Uint8Array(0), failure: "timeout" };
        hops++;
        url = target;
        continue;
      }
      if (x.status < 300 && (x.truncated === "time" || x.truncated === "disconnect")) {
        // half of the rules are none to go by: what they forbid may stand in the other half
        if (!retried && left > 0 && x.truncated === "disconnect") {
          retried = true;
          continue;
        }
        return {
          status: 0,
          body: new Uint8Array(0),
          failure: x.truncated === "time" ? "timeout" : "other",
          detail: `Cannot read robots.txt of ${url.host}: it was cut (${x.truncated})`,
        };
      }
      const body = contentEncoding === ""
        ? x.body
        : decodeBody(x.body, contentEncoding, MAX_BYTES).bytes;
      const cacheControl = x.headers.filter(([name]) => name.toLowerCase() === "cache-control")
        .map(([, value]) => value).join(", ");
      return { status: x.status, body, ...(cacheControl === "" ? {} : { cacheControl }) };
    }
  };
}

async function ask(options: RobotsFetchOptions, url: URL, timeoutMs: number): Promise<Exchange> {
  const host = hostOf(url.href);
  const { signal } = options;
  await options.clocks.enter(host, { spaced: false, ...(signal === undefined ? {} : { signal }) });
  try {
    const x = await options.client.exchange({
      url,
      headers: options.headers,
      timeoutMs,
      bodyCap: MAX_BYTES,
      keepWire: options.keepWire ?? false,
      ...(signal === undefined ? {} : { signal }),
    });
    options.archive?.(x);
    return x;
  } finally {
    options.clocks.leave(host);
  }
}

/** Whether asking again could help: the connection failed, not the name, the address or the certificate. */
export function isTransient(error: FetchError): boolean {
  return error.kind === "refused" || error.kind === "timeout" || error.kind === "other" ||
    (error.kind === "dns" && error.reason === "resolver");
}

function httpUrl(location: string, base: URL): URL | undefined {
  const url = URL.parse(location, base);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") ? url : undefined;
}
