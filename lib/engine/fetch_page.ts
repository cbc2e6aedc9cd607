/**
 * Fetching a single page, as a well-behaved crawler does it.
 *
 * @module
 */

import { decodeBody, type Exchange, type FetchError, MAX_DECODED } from "../net/mod.ts";
import { USER_AGENT } from "../version.ts";
import { pickHeaders } from "./archiver.ts";
import { Fetcher } from "./fetcher.ts";
import { openNetwork } from "./_network.ts";
import { isRedirect, type PageFacts, readPage } from "./page.ts";

/** Options of {@linkcode fetchPage}. Times are in milliseconds, sizes in bytes. */
export interface FetchPageOptions {
  /** User-Agent of the page and robots.txt alike. @default "CCrawl/2.0 (+the bot page)" */
  readonly userAgent?: string;
  /** Ask robots.txt before every hop, and obey it. @default false */
  readonly robots?: boolean;
  /** Shortest time between two page requests of a host (a redirect within it waits). @default 1000 */
  readonly delayMs?: number;
  /** A host that asks for a longer Crawl-delay is not fetched. @default 300 000 */
  readonly maxCrawlDelayMs?: number;
  /** Budget for connecting, fetching, retries and hops. @default 30 000 */
  readonly timeoutMs?: number;
  /** Budget for one robots.txt. @default 10 000 */
  readonly robotsTimeoutMs?: number;
  /** Further attempts after a transport failure. @default 2 */
  readonly retries?: number;
  /** Redirects followed. @default 5 */
  readonly maxRedirects?: number;
  /** Body bytes taken of one answer. @default 10 MiB */
  readonly bodyCap?: number;
  /** Keep the wire bytes of every answer. @default false */
  readonly keepWire?: boolean;
  /** Name servers to ask, `IP` or `IP:PORT`, instead of the system's and the public ones. */
  readonly resolvers?: readonly string[];
  /** Connect to addresses that are not globally reachable too. @default false */
  readonly allowPrivate?: boolean;
  /** Take any certificate. @default false */
  readonly insecure?: boolean;
  /** PEM certificates trusted beside the system's. */
  readonly caCerts?: readonly string[];
  /** Ends the fetch at once; the promise rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** What a URL came to. */
export interface FetchedPage {
  /** URL asked for. */
  readonly url: string;
  /** URL of the result, after redirects. */
  readonly finalUrl: string;
  /** Status of the result; 0 where there is none. */
  readonly status: number;
  /** Header fields of the result as served. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Content-Type of the result as served; empty where none was sent. */
  readonly contentType: string;
  /** Body of the result as served: transfer coding removed, content coding kept. */
  readonly body: Uint8Array;
  /** Why there is no result. */
  readonly error?: FetchError;
  /** Every answered exchange, redirects and result, in order. */
  readonly hops: readonly Exchange[];
  /** robots.txt exchanges that were needed on the way. */
  readonly robotsHops: readonly Exchange[];
  /** Where a redirect that was not followed points to; empty otherwise. */
  readonly redirectTo: string;
  /** Unix ms of the first request. */
  readonly date: number;
  /** Milliseconds from the first request to the end of the result. */
  readonly durationMs: number;
  /** The body with its content coding undone; as served where that fails. At most `most` bytes. */
  decoded(most?: number): Uint8Array;
  /** Digest, links and directives of the result. */
  facts(): PageFacts;
}

/**
 * Fetches one URL, following up to five redirects under the address rule, robots (when asked for)
 * and each host's clock. A page that could not be fetched is returned with its `error`, not thrown.
 *
 * @throws The signal's reason, when it aborts.
 * @throws {TypeError} When `url` is no URL.
 */
export async function fetchPage(
  url: string | URL,
  options: FetchPageOptions = {},
): Promise<FetchedPage> {
  const userAgent = options.userAgent ?? USER_AGENT;
  const keepWire = options.keepWire ?? false;
  const robotsHops: Exchange[] = [];
  const network = openNetwork({
    userAgent,
    workers: 1,
    resolvers: options.resolvers ?? [],
    dnsLookups: 16,
    allowPrivate: options.allowPrivate ?? false,
    insecure: options.insecure ?? false,
    caCerts: options.caCerts ?? [],
    perIp: 16,
    robots: options.robots ?? false,
    robotsTimeoutMs: options.robotsTimeoutMs ?? 10_000,
    robotsCacheEntries: 16,
    robotsCacheBytes: 2 ** 24,
  }, { archive: (x) => robotsHops.push(x), keepWire });
  const end = () => network.ended.abort(options.signal?.reason);
  options.signal?.addEventListener("abort", end, { once: true });
  try {
    const { client, clocks, headers, robots } = network;
    const fetcher = new Fetcher({
      client,
      clocks,
      headers,
      userAgent,
      ...(robots === undefined ? {} : { robots }),
      delayMs: options.delayMs ?? 1000,
      maxCrawlDelayMs: options.maxCrawlDelayMs ?? 300_000,
      timeoutMs: options.timeoutMs ?? 30_000,
      retries: options.retries ?? 2,
      bodyCap: options.bodyCap ?? 10 * 2 ** 20,
      keepWire,
      maxRedirects: options.maxRedirects ?? 5,
    });
    const asked = new URL(url).href;
    const fetched = await fetcher.fetch(
      asked,
      options.signal === undefined ? {} : { signal: options.signal },
    );
    return pageOf(asked, fetched, robotsHops);
  } finally {
    options.signal?.removeEventListener("abort", end);
    network.close();
  }
}

function pageOf(
  url: string,
  fetched: Awaited<ReturnType<Fetcher["fetch"]>>,
  robotsHops: Exchange[],
): FetchedPage {
  const { hops, error } = fetched;
  const result = error === undefined ? hops.at(-1) : undefined;
  const picked = result === undefined
    ? { contentType: "", contentEncoding: "", location: "", robotsTag: "" }
    : pickHeaders(result);
  const body = result?.body ?? new Uint8Array(0);
  const finalUrl = (result ?? hops.at(-1))?.url.href ?? url;
  const status = result?.status ?? 0;
  const redirects = isRedirect(status) && picked.location !== "";
  return {
    url,
    finalUrl,
    status,
    headers: result?.headers ?? [],
    contentType: picked.contentType,
    body,
    ...(error === undefined ? {} : { error }),
    hops,
    robotsHops,
    redirectTo: redirects ? URL.parse(picked.location, finalUrl)?.href ?? "" : "",
    date: fetched.date,
    durationMs: fetched.durationMs,
    decoded: (most = MAX_DECODED) =>
      picked.contentEncoding === "" ? body : decodeBody(body, picked.contentEncoding, most).bytes,
    facts: () => readPage({ url: finalUrl, status, ...picked, body }),
  };
}
