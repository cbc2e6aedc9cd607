/**
 * What a crawl is started with.
 *
 * @module
 */

import type { RecrawlSettings } from "../frontier/mod.ts";
import { Scope, type ScopeOptions } from "../url/mod.ts";
import type { Seed } from "./seeds.ts";
import { whole } from "./_whole.ts";
import { checkDescriptors, descriptorShares } from "./descriptors.ts";
import { USER_AGENT } from "../version.ts";
import { mostStalled } from "./replay.ts";
import { freeBytes } from "./disk.ts";

/** Where and how a crawl's answers are archived. */
export interface CrawlWarcOptions {
  /** Folder, made when missing and locked while the crawl runs. */
  readonly dir: string;
  /** What the names of the files begin with. @default "ccrawl-crawl" */
  readonly prefix?: string;
  /** Bytes after which a new file is begun. @default 1 GiB */
  readonly maxBytes?: number;
  /** Store the header and body that readers expect, or the wire bytes whole. @default "clean" */
  readonly http?: "clean" | "raw";
  /** Write a `.cdxj` beside each file. @default true */
  readonly cdx?: boolean;
  /** Write a revisit for a payload already stored in this run. @default true */
  readonly dedup?: boolean;
  /** Files written at once, each by a thread of its own, 1 to 16. @default 1 */
  readonly writers?: number;
  /** The command, as it goes into warcinfo. @default "ccrawl (library)" */
  readonly command?: string;
}

/** A link, as {@linkcode CrawlOptions.accept} is asked about it. */
export interface CrawlLink {
  /** Where it leads: canonical URL. */
  readonly url: string;
  /** The host in it: lower case, without a port. */
  readonly host: string;
  /** Links followed from a seed to get there. */
  readonly depth: number;
  /** Canonical URL of the page that it stands on. */
  readonly from: string;
}

/** Options of {@linkcode crawl}. Times are in milliseconds, sizes in bytes. */
export interface CrawlOptions {
  /** Where to begin: URLs, or URLs with their priority. Read as a stream. */
  readonly seeds?: AsyncIterable<Seed | string> | Iterable<Seed | string>;
  /** Path of the frontier's SQLite file; without one the crawl cannot be resumed. */
  readonly state?: string;
  /** A folder, or more about it; without it nothing is archived. */
  readonly warc?: string | CrawlWarcOptions;
  /**
   * User-Agent of pages and robots.txt alike; its product token picks the group of robots.txt.
   * @default "CCrawl/2.0 (+the bot page)"
   */
  readonly userAgent?: string;
  /** Hosts asked at once. @default 64 */
  readonly workers?: number;
  /** Shortest time between two page requests of a host. @default 1000 */
  readonly delayMs?: number;
  /** One page's budget. @default 30 000 */
  readonly timeoutMs?: number;
  /** Further attempts after a transport failure. @default 2 */
  readonly retries?: number;
  /** Answered fetches over the life of the state; 0 for no bound. @default 0 */
  readonly maxPages?: number;
  /** Records after which this run stops; 0 for no bound. @default 0 */
  readonly limit?: number;
  /** Links followed from a seed. @default 0 */
  readonly maxDepth?: number;
  /**
   * Read the sitemaps of seeds' hosts, and fetch what they list of their sites as if it were seeds.
   * @default false
   */
  readonly sitemaps?: boolean;
  /**
   * Never end: come back to each page at its host's interval, sooner where it changes and later where it does
   * not. The interval is that of the seed's tier, of tier 3 where none is known; `intervalMs` is one for all.
   * @default false
   */
  readonly recrawl?: boolean | { readonly intervalMs?: number };
  /** Stay on the hosts that seeds (and their redirects) named. @default false */
  readonly sameHost?: boolean;
  /** Regular expressions or SURT prefixes; a link must match one, where any is given. */
  readonly include?: readonly string[];
  /** Regular expressions or SURT prefixes; what matches is not fetched. */
  readonly exclude?: readonly string[];
  /**
   * Asked about every link that the other options let through, and about redirects of pages that are
   * no seeds; what it does not take is not fetched. It runs on the caller's thread, for every link of
   * every page: keep it quick. What it throws ends the crawl.
   */
  readonly accept?: (link: CrawlLink) => boolean;
  /** Which shard of the registered domains is crawled, 0 to `shards` - 1. @default 0 */
  readonly shard?: number;
  /** How many shards there are. @default 1 */
  readonly shards?: number;
  /** Go on although the public suffix list is another than the state was made with. */
  readonly acceptSuffixList?: boolean;
  /** Most URLs ever taken of one host. @default 0, for no bound */
  readonly maxUrlsPerHost?: number;
  /** Obey robots.txt. @default true */
  readonly robots?: boolean;
  /** Budget for one robots.txt. @default 10 000 */
  readonly robotsTimeoutMs?: number;
  /** Wait before a robots.txt that could not be had is asked for again. @default 300 000 */
  readonly robotsRetryMs?: number;
  /** Hosts whose robots.txt is kept in memory. @default 200 000 */
  readonly robotsCacheEntries?: number;
  /** Bytes of robots.txt kept in memory. @default 64 MiB */
  readonly robotsCacheBytes?: number;
  /** A host that asks for more is left out. @default 300 000 */
  readonly maxCrawlDelayMs?: number;
  /** Act on noarchive and nofollow in robots meta and X-Robots-Tag. @default false */
  readonly obeyRobotsMeta?: boolean;
  /**
   * Requests that may go on beside the workers while next to nothing comes (tarpits, endless
   * handshakes). @default 64 × workers, at most 8192 and half of the descriptors there may be
   */
  readonly maxStalled?: number;
  /** Requests in flight at one address. @default 16 */
  readonly perIp?: number;
  /** Name servers to ask, `IP` or `IP:PORT`, instead of the system's and the public ones. */
  readonly resolvers?: readonly string[];
  /** Look-ups in flight. @default workers / 8, in 16 to 128 */
  readonly dnsLookups?: number;
  /** Connect to addresses that are not globally reachable too. @default false */
  readonly allowPrivate?: boolean;
  /** Take any certificate. @default false */
  readonly insecure?: boolean;
  /** PEM certificates trusted beside the system's. */
  readonly caCerts?: readonly string[];
  /** Body bytes taken of one answer. @default 10 MiB */
  readonly bodyCap?: number;
  /** Memory bound of the seen set. @default 512 MiB */
  readonly seenBytes?: number;
  /** Bytes that may wait between fetching and disk. @default 32 MiB */
  readonly queueBytes?: number;
  /** Free disk below which the run seals and stops. @default 1 GiB */
  readonly minFree?: number;
  /** Free bytes of the file system that holds a path. @default asks the system */
  readonly freeBytes?: (path: string) => number;
  /** Longest wait for requests in flight when told to stop. @default 2000 */
  readonly graceMs?: number;
  /** Stops the crawl cleanly when it aborts, as `CrawlRun.stop` does. */
  readonly signal?: AbortSignal;
  /** Told what is worth a line in a log. */
  readonly onEvent?: (event: CrawlEvent) => void;
}

/** Something that happened beside the pages. */
export type CrawlEvent =
  | {
    readonly type: "repaired";
    readonly file: string;
    /** Bytes kept; 0 where the file held no whole exchange and was removed. */
    readonly kept: number;
    readonly cut: number;
  }
  | { readonly type: "host-left-out"; readonly host: string; readonly reason: string }
  | {
    readonly type: "host-blocked";
    readonly host: string;
    readonly untilMs: number;
    readonly reason: string;
  }
  | { readonly type: "warning"; readonly text: string }
  | { readonly type: "release"; readonly release: string }
  /** The hub does not give the work list yet, and is asked again after so many ms. */
  | { readonly type: "waiting"; readonly ms: number; readonly reason: string }
  /** A work list was worked off by an earlier run: nothing is left to do. */
  | { readonly type: "worked-off"; readonly source: string }
  | { readonly type: "control"; readonly verb: string; readonly host?: string }
  | {
    readonly type: "sealed";
    readonly file: string;
    readonly bytes: number;
    readonly records: number;
  }
  | { readonly type: "stopping"; readonly reason: string };

/** Options with every default filled in. */
export type FilledCrawlOptions =
  & Omit<Required<CrawlOptions>, "accept" | "recrawl" | "state" | "warc" | "signal" | "onEvent">
  & {
    readonly recrawl: RecrawlSettings | undefined;
    readonly accept: ((link: CrawlLink) => boolean) | undefined;
    readonly state: string | undefined;
    readonly warc: Required<CrawlWarcOptions> | undefined;
    readonly onEvent: (event: CrawlEvent) => void;
    readonly scope: ScopeOptions;
  };

/**
 * @throws {RangeError} For a number out of its range, naming it.
 * @throws {ScopePatternError} For a pattern that is none.
 * @throws {RunError} For more workers than the process may have connections.
 */
export function fillCrawlOptions(options: CrawlOptions): FilledCrawlOptions {
  const workers = whole("workers", options.workers ?? 64, 1, 4096);
  checkDescriptors(workers);
  const shards = whole("shards", options.shards ?? 1, 1, 65_536);
  const shard = whole("shard", options.shard ?? 0, 0, shards - 1);
  const maxDepth = whole("maxDepth", options.maxDepth ?? 0, 0, 1_000_000);
  const include = options.include ?? [];
  const exclude = options.exclude ?? [];
  const scope: ScopeOptions = { include, exclude, shard, shards };
  new Scope(scope); // a pattern that is none is refused here, before anything is written
  const warc = typeof options.warc === "string" ? { dir: options.warc } : options.warc;
  return {
    seeds: options.seeds ?? [],
    state: options.state,
    warc: warc === undefined ? undefined : {
      dir: warc.dir,
      prefix: warc.prefix ?? "ccrawl-crawl",
      maxBytes: whole("warc.maxBytes", warc.maxBytes ?? 2 ** 30, 1, Number.MAX_SAFE_INTEGER),
      http: warc.http ?? "clean",
      cdx: warc.cdx ?? true,
      dedup: warc.dedup ?? true,
      writers: whole("warc.writers", warc.writers ?? 1, 1, 16),
      command: warc.command ?? "ccrawl (library)",
    },
    userAgent: options.userAgent ?? USER_AGENT,
    workers,
    delayMs: whole("delayMs", options.delayMs ?? 1000, 0, 86_400_000),
    timeoutMs: whole("timeoutMs", options.timeoutMs ?? 30_000, 1, 86_400_000),
    retries: whole("retries", options.retries ?? 2, 0, 100),
    maxPages: whole("maxPages", options.maxPages ?? 0, 0, Number.MAX_SAFE_INTEGER),
    limit: whole("limit", options.limit ?? 0, 0, Number.MAX_SAFE_INTEGER),
    maxDepth,
    sitemaps: options.sitemaps ?? false,
    recrawl: recrawlOf(options.recrawl),
    sameHost: options.sameHost ?? false,
    include,
    exclude,
    accept: options.accept,
    shard,
    shards,
    acceptSuffixList: options.acceptSuffixList ?? false,
    maxUrlsPerHost: whole("maxUrlsPerHost", options.maxUrlsPerHost ?? 0, 0, 2 ** 40),
    robots: options.robots ?? true,
    robotsTimeoutMs: whole("robotsTimeoutMs", options.robotsTimeoutMs ?? 10_000, 1, 86_400_000),
    robotsRetryMs: whole("robotsRetryMs", options.robotsRetryMs ?? 300_000, 1, 86_400_000),
    robotsCacheEntries: whole(
      "robotsCacheEntries",
      options.robotsCacheEntries ?? 200_000,
      1,
      2 ** 30,
    ),
    robotsCacheBytes: whole(
      "robotsCacheBytes",
      options.robotsCacheBytes ?? 64 * 2 ** 20,
      1,
      2 ** 40,
    ),
    maxCrawlDelayMs: whole("maxCrawlDelayMs", options.maxCrawlDelayMs ?? 300_000, 0, 2 ** 31),
    obeyRobotsMeta: options.obeyRobotsMeta ?? false,
    maxStalled: whole("maxStalled", options.maxStalled ?? defaultStalled(workers), 0, 65_536),
    perIp: whole("perIp", options.perIp ?? 16, 1, 1_000_000),
    resolvers: options.resolvers ?? [],
    dnsLookups: whole(
      "dnsLookups",
      options.dnsLookups ?? Math.min(128, Math.max(16, Math.floor(workers / 8))),
      1,
      10_000,
    ),
    allowPrivate: options.allowPrivate ?? false,
    insecure: options.insecure ?? false,
    caCerts: options.caCerts ?? [],
    bodyCap: whole("bodyCap", options.bodyCap ?? 10 * 2 ** 20, 1, 2 ** 30),
    seenBytes: whole("seenBytes", options.seenBytes ?? 512 * 2 ** 20, 1, 2 ** 40),
    queueBytes: whole("queueBytes", options.queueBytes ?? 32 * 2 ** 20, 1, 2 ** 40),
    freeBytes: options.freeBytes ?? freeBytes,
    minFree: whole("minFree", options.minFree ?? 2 ** 30, 0, Number.MAX_SAFE_INTEGER),
    graceMs: whole("graceMs", options.graceMs ?? 2000, 0, 86_400_000),
    onEvent: options.onEvent ?? (() => {}),
    scope,
  };
}

function recrawlOf(option: CrawlOptions["recrawl"]): RecrawlSettings | undefined {
  if (option === undefined || option === false) return undefined;
  const intervalMs = option === true ? undefined : option.intervalMs;
  if (intervalMs === undefined) return {};
  return { intervalMs: whole("recrawl.intervalMs", intervalMs, 1, 2 ** 42) };
}

function defaultStalled(workers: number): number {
  return Math.min(mostStalled(workers), descriptorShares(workers).stalled);
}
