/** What every run asks the network through. */

import { type Exchange, HttpClient, Resolver } from "../net/mod.ts";
import type { DnsFigures, RobotsFigures } from "../report/mod.ts";
import { RobotsCache, type RobotsStore } from "../robots/mod.ts";
import { HostClocks } from "./clocks.ts";
import { descriptorShares } from "./descriptors.ts";
import { requestHeaders } from "./headers.ts";
import { robotsFetcher } from "./robots_fetch.ts";

export interface NetworkOptions {
  readonly userAgent: string;
  readonly workers: number;
  readonly resolvers: readonly string[];
  readonly dnsLookups: number;
  readonly allowPrivate: boolean;
  readonly insecure: boolean;
  readonly caCerts: readonly string[];
  readonly perIp: number;
  readonly robots: boolean;
  readonly robotsTimeoutMs: number;
  readonly robotsCacheEntries: number;
  readonly robotsCacheBytes: number;
  readonly robotsRetryMs?: number;
  /** Whether robots.txt is asked for sitemaps too. */
  readonly sitemaps?: boolean;
}

export interface Network {
  readonly resolver: Resolver;
  readonly client: HttpClient;
  readonly clocks: HostClocks;
  /** Header lines of every request. */
  readonly headers: [name: string, value: string][];
  readonly robots: RobotsCache | undefined;
  /** Aborted when requests in flight must end. */
  readonly ended: AbortController;
  close(): void;
}

/** @param archive Called with every robots.txt exchange. */
export function openNetwork(
  options: NetworkOptions,
  more: {
    readonly archive?: ((x: Exchange) => void) | undefined;
    readonly keepWire?: boolean;
    readonly store?: RobotsStore;
  } = {},
): Network {
  const resolver = new Resolver({
    maxInFlight: options.dnsLookups,
    ...(options.resolvers.length > 0 ? { servers: [...options.resolvers] } : {}),
  });
  const shares = descriptorShares(options.workers);
  const client = new HttpClient({
    resolve: (host) => resolver.resolve(host),
    forget: (host) => resolver.forget(host),
    allowPrivate: options.allowPrivate,
    insecure: options.insecure,
    caCerts: [...options.caCerts],
    perIp: options.perIp,
    maxIdle: shares.idle,
    maxStuck: shares.stuck,
  });
  const clocks = new HostClocks();
  const headers = requestHeaders(options.userAgent);
  const ended = new AbortController();
  const robots = options.robots
    ? new RobotsCache({
      userAgentToken: options.userAgent,
      fetch: robotsFetcher({
        client,
        clocks,
        headers,
        budgetMs: options.robotsTimeoutMs,
        ...(more.archive === undefined ? {} : { archive: more.archive }),
        keepWire: more.keepWire ?? false,
        signal: ended.signal,
      }),
      ...(more.store === undefined ? {} : { store: more.store }),
      // What is known of a host neither runs out nor lives on because somebody set the wall clock.
      now: steadyClock(),
      sitemaps: options.sitemaps ?? false,
      maxEntries: options.robotsCacheEntries,
      maxBytes: options.robotsCacheBytes,
      ...(options.robotsRetryMs === undefined ? {} : { unreachableMs: options.robotsRetryMs }),
    })
    : undefined;
  return {
    resolver,
    client,
    clocks,
    headers,
    robots,
    ended,
    close: () => {
      client.close();
      resolver.close();
    },
  };
}

/** What asking for robots.txt did. */
export function robotsFigures(cache: RobotsCache): Omit<RobotsFigures, "refused"> {
  const { fetched, saved, unreachable, failures } = cache.stats;
  const { dns, timeout, refused, other } = failures;
  return {
    hosts: fetched,
    saved,
    unreachable,
    failures: { dns, timeout, refused, serverError: failures["5xx"], other },
  };
}

/** What resolving names did. */
export function dnsFigures(resolver: Resolver | undefined): DnsFigures {
  const stats = resolver?.stats;
  return {
    lookedUp: stats?.lookedUp ?? 0,
    cached: stats?.cached ?? 0,
    unresolved: stats?.unresolved ?? 0,
    nonexistent: stats?.nonexistent ?? 0,
    peak: stats?.peakOpen ?? 0,
    bound: stats?.bound ?? 0,
  };
}

/** Unix ms as they were at the call and run on from there, whatever becomes of the wall clock. */
function steadyClock(): () => number {
  const offset = Date.now() - performance.now();
  return () => offset + performance.now();
}
