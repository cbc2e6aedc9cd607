/** One attempt at a page: its address, its host's robots.txt and clock, its exchange. */

import {
  type Exchange,
  FetchError,
  type HttpClient,
  type Resolver,
  toFetchError,
} from "../net/mod.ts";
import type { RobotsCache } from "../robots/mod.ts";
import type { HostClocks } from "./clocks.ts";
import type { FilledCrawlOptions } from "./crawl_options.ts";
import { isTransient } from "./robots_fetch.ts";
import type { Job, Slot } from "./_slots.ts";
import { conditionsOf } from "./validators.ts";
import type { SitemapDiscovery } from "./_sitemaps.ts";
import type { CrawlStatistics } from "./statistics.ts";

/** What an attempt works with. */
export interface AttemptParts {
  readonly options: FilledCrawlOptions;
  readonly headers: readonly (readonly [string, string])[];
  readonly resolver: Resolver;
  readonly client: HttpClient;
  readonly clocks: HostClocks;
  readonly robots: RobotsCache | undefined;
  readonly statistics: CrawlStatistics;
  /** Undefined where sitemaps are not read. */
  readonly sitemaps: SitemapDiscovery | undefined;
  /** Aborted when requests in flight must end. */
  readonly ended: AbortController;
}

/** What the loop is told of an attempt as it goes. */
export interface AttemptProgress {
  /** Its address has room: it no longer waits near it. */
  arrived(): void;
  /** It is about to ask for its page. */
  fetching(): void;
  /** Moved with every read of the answer. */
  readonly progress: { at: number; bytes: number };
  /** The first byte came after so many ms. */
  answered(firstByteMs: number): void;
}

/** How long a page waits, in ms, when the process has no descriptor left for its connection. */
const NO_DESCRIPTOR_WAIT = 1000;

/** How an attempt at a page ended. */
export type Ending =
  | { readonly kind: "answered"; readonly x: Exchange }
  | { readonly kind: "failed"; readonly error: FetchError }
  | { readonly kind: "refused"; readonly reason: string; readonly detail: string }
  | { readonly kind: "leave-out"; readonly reason: string; readonly detail: string }
  | { readonly kind: "defer"; readonly answered: boolean }
  | { readonly kind: "park"; readonly until: number }
  | { readonly kind: "crowded"; readonly ip: string }
  | { readonly kind: "aborted" };

/** Attempts at pages. */
export class Attempts {
  readonly #parts: AttemptParts;
  #toldOfDescriptors = false;

  constructor(parts: AttemptParts) {
    this.#parts = parts;
  }

  /** Asks for a page, once; throws what no page can be blamed for. */
  async attempt(slot: Slot, job: Job, told: AttemptProgress): Promise<Ending> {
    const { options, client, resolver, clocks, headers, statistics, ended } = this.#parts;
    const url = new URL(job.lease.url);
    const { host } = slot;
    try {
      const addresses = resolver.peek(url.hostname) ?? await resolver.resolve(url.hostname);
      const ip = addresses[0];
      if (ip !== undefined && client.busyAt(ip)) return { kind: "crowded", ip };
      told.arrived();
      const delayMs = slot.delayMs ?? options.delayMs;
      const allowed = await this.#allowed(job, url, host, delayMs);
      if (typeof allowed === "object") return allowed;
      told.fetching();
      await clocks.enter(host, { spaced: true, signal: ended.signal });
      const begun = performance.now();
      job.startedAt ??= begun;
      let waited = 0;
      clocks.sent(host, begun); // a connection that fails is a visit too
      try {
        const x = await client.exchange({
          url,
          headers: job.memo === undefined ? headers : [...headers, ...conditionsOf(job.memo)],
          timeoutMs: Math.max(1, job.leftMs),
          bodyCap: options.bodyCap,
          keepWire: options.warc?.http === "raw",
          progress: told.progress,
          onSent: (at) => clocks.sent(host, at),
          onWritten: (at) => clocks.sent(host, at),
          beforeAgain: async (signal) => {
            const from = performance.now();
            await clocks.again(host, allowed, signal);
            waited += performance.now() - from;
          },
          signal: ended.signal,
        });
        told.answered(x.firstByteAt - begun - waited);
        return { kind: "answered", x };
      } finally {
        job.leftMs -= performance.now() - begun - waited;
        slot.nextAt = clocks.leave(host, allowed);
      }
    } catch (e) {
      if (ended.signal.aborted) return { kind: "aborted" };
      const error = toFetchError(e);
      const now = performance.now();
      if (error.reason === "descriptors") {
        this.#tellOfDescriptors(error);
        return { kind: "park", until: now + NO_DESCRIPTOR_WAIT };
      }
      const again = Math.max(slot.nextAt, now);
      if (job.tries < options.retries && isTransient(error) && job.leftMs > again - now) {
        job.leftMs -= again - now;
        job.tries++;
        statistics.retries++;
        return { kind: "park", until: again };
      }
      return { kind: "failed", error };
    }
  }

  /** Once is enough: it lasts. */
  #tellOfDescriptors({ message }: FetchError): void {
    if (this.#toldOfDescriptors) return;
    this.#toldOfDescriptors = true;
    const text = `${message}; pages wait. Allow more (ulimit -n), or give fewer workers`;
    this.#parts.options.onEvent({ type: "warning", text });
  }

  /** The delay to keep, in ms, where robots.txt (or its absence) lets us in; how it ends otherwise. */
  async #allowed(
    { lease }: Job,
    url: URL,
    host: string,
    delayMs: number,
  ): Promise<number | Ending> {
    const { options, robots, sitemaps } = this.#parts;
    if (robots === undefined) {
      sitemaps?.found(lease, undefined);
      return this.#spaced(host, delayMs);
    }
    const source = robots.peek(url.href) ?? await robots.get(url);
    const { state, failure, detail, rules } = source;
    if (state === "unreachable") {
      // a page would meet the same refusal: it fails now, not after hours of asking again
      if (failure === "tls" || failure === "skip") {
        throw new FetchError(
          failure,
          detail ?? `robots.txt of ${url.host} could not be had: ${failure}`,
        );
      }
      return { kind: "defer", answered: failure === "5xx" };
    }
    sitemaps?.found(lease, source);
    const { allowed, line, crawlDelay } = rules.check(options.userAgent, url.href);
    if (!allowed) {
      return {
        kind: "refused",
        reason: "robots",
        detail: line === undefined ? "robots.txt" : `robots.txt line ${line}`,
      };
    }
    const asked = (crawlDelay ?? 0) * 1000;
    if (asked > options.maxCrawlDelayMs) {
      return {
        kind: "leave-out",
        reason: "crawl-delay",
        detail: `robots.txt asks for ${crawlDelay} s between requests`,
      };
    }
    return this.#spaced(host, Math.max(delayMs, asked));
  }

  /** The delay, unless the page before was asked for too short a while ago. */
  #spaced(host: string, delayMs: number): number | Ending {
    const due = this.#parts.clocks.space(host, delayMs);
    return due > performance.now() ? { kind: "park", until: due } : delayMs;
  }
}
