/**
 * What a recrawl is started with.
 *
 * @module
 */

import { availableParallelism } from "node:os";
import { USER_AGENT } from "../version.ts";
import type { StoreBody } from "./_recrawl_facts.ts";
import type { CrawlEvent } from "./crawl_options.ts";
import { checkDescriptors, descriptorShares } from "./descriptors.ts";
import { freeBytes } from "./disk.ts";
import { whole } from "./_whole.ts";

/** Options of {@linkcode recrawl}. Times are in milliseconds, sizes in bytes. */
export interface RecrawlOptions {
  /** `domains`, `urls`, a dataset repo, a file or folder on disk, or `-` for stdin. */
  readonly from: string;
  /** Column of Parquet lists. */
  readonly column?: string;
  /** Takes only rows of an earlier pass that failed: `all`, or classes of failures. @default [] */
  readonly failed?: readonly string[];
  /** Folder of the repo that holds the release; the newest, or the state's, otherwise. */
  readonly release?: string;
  /** Base URL of the hub. @default HF_ENDPOINT, else https://huggingface.co */
  readonly hub?: string;
  /** Folder of the capture files (and WARC files). */
  readonly out: string;
  /** Path of the checkpoint; without one the pass cannot be resumed. */
  readonly state?: string;
  /** Which of the shares of the registered domains this pass takes, from 0. @default 0 */
  readonly shard?: number;
  /** How many shares there are. @default 1 */
  readonly shards?: number;
  /** Go on although the public suffix list is another than the state was made with. @default false */
  readonly acceptSuffixList?: boolean;
  /** Fetches at once. @default 64 */
  readonly workers?: number;
  /** Threads that render. @default the machine's cores */
  readonly extractors?: number;
  /** Capture files written at once, 1 to 16. @default 1 */
  readonly writers?: number;
  /** Rows read together. @default 2000 */
  readonly batch?: number;
  /** Bytes that may wait between fetching and disk. @default 128 MiB */
  readonly queueBytes?: number;
  /** Bytes, before compression, after which files are sealed. @default 512 MiB */
  readonly shardSize?: number;
  /** Longest time between two seals. @default 600 000 */
  readonly sealAfterMs?: number;
  /** How the files' names begin. @default "ccrawl-recrawl" */
  readonly prefix?: string;
  /** What is written. @default "parquet" */
  readonly format?: "parquet" | "warc" | "both";
  /** What finds a page's content; `none` renders nothing. @default "main" */
  readonly extractor?: "main" | "readability" | "raw" | "none";
  /** How bodies are stored in captures. @default "served" */
  readonly storeBody?: StoreBody;
  /** File, folder or dataset repo of an earlier pass, whose validators are sent. */
  readonly validators?: string;
  /** Answered fetches after which this run stops; 0 for no bound. @default 0 */
  readonly maxPages?: number;
  /** Records after which this run stops; 0 for no bound. @default 0 */
  readonly limit?: number;
  /** Tell of every row: the run is iterated over, or the rows are dropped. @default true */
  readonly records?: boolean;
  /** How it names itself to every site. @default `CCrawl/2.0 (+…)` */
  readonly userAgent?: string;
  /** Shortest time between two page requests of a host. @default 1000 */
  readonly delayMs?: number;
  /** One page's budget, redirects included. @default 30 000 */
  readonly timeoutMs?: number;
  /** Further attempts after a transport failure. @default 0 */
  readonly retries?: number;
  /** Ask robots.txt, and obey it. @default false */
  readonly robots?: boolean;
  /** Keep no copy of pages that ask for it by noarchive in robots meta or X-Robots-Tag. @default false */
  readonly obeyRobotsMeta?: boolean;
  /** Budget of fetching one robots.txt. @default 10 000 */
  readonly robotsTimeoutMs?: number;
  /** Hosts whose rules are kept in memory. @default 200 000 */
  readonly robotsCacheEntries?: number;
  /** Bytes that their rules may take there. @default 64 MiB */
  readonly robotsCacheBytes?: number;
  /** A host that asks for a longer Crawl-delay is left out. @default 300 000 */
  readonly maxCrawlDelayMs?: number;
  /** Requests in flight at one address. @default 16 */
  readonly perIp?: number;
  /** Name servers to ask instead of the system's and the public ones. */
  readonly resolvers?: readonly string[];
  /** Look-ups in flight. @default workers / 8, in 16 to 128 */
  readonly dnsLookups?: number;
  /** Connect to private and other special addresses. @default false */
  readonly allowPrivate?: boolean;
  /** Take certificates as they come. @default false */
  readonly insecure?: boolean;
  /** PEM certificates trusted beside the system's. */
  readonly caCerts?: readonly string[];
  /** Body bytes taken of one answer. @default 10 MiB */
  readonly bodyCap?: number;
  /** Requests that may go on beside the workers while no byte comes. @default 16 × workers */
  readonly maxStalled?: number;
  /** Bytes after which a new WARC file is begun. @default 1 GiB */
  readonly warcSize?: number;
  /** Whether WARC records hold bodies as they were meant, or chunked as on the wire. @default "clean" */
  readonly warcHttp?: "clean" | "raw";
  /** Write an index in CDXJ beside each WARC file. @default true */
  readonly cdx?: boolean;
  /** Write a revisit record where the archive has the same payload already. @default true */
  readonly dedup?: boolean;
  /** The command, as it goes into warcinfo. @default "ccrawl (library)" */
  readonly command?: string;
  /** Free disk below which the run seals and stops. @default 1 GiB */
  readonly minFree?: number;
  /** Bytes that may still be written where a path lies. @default what the system says */
  readonly freeBytes?: (path: string) => number;
  /** Longest wait for requests in flight when told to stop. @default 2000 */
  readonly graceMs?: number;
  /** Standard input, for `from: "-"`. */
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** Program and arguments that start the children of `readability` and `raw`. */
  readonly childCommand?: readonly [program: string, ...args: string[]];
  /** Stops the pass, which then ends as if its records were left. */
  readonly signal?: AbortSignal;
  /** Told of what is worth a line in a log. */
  readonly onEvent?: (event: CrawlEvent) => void;
}

type Optional =
  | "column"
  | "release"
  | "hub"
  | "state"
  | "validators"
  | "stdin"
  | "childCommand";

/** Options with every default filled in. */
export type FilledRecrawlOptions =
  & Omit<Required<RecrawlOptions>, Optional | "signal">
  & { readonly [K in Optional]: RecrawlOptions[K] | undefined };

/**
 * @throws {RangeError} For a number out of its range, naming it.
 */
export function fillRecrawlOptions(o: RecrawlOptions): FilledRecrawlOptions {
  const workers = whole("workers", o.workers ?? 64, 1, 65_536);
  checkDescriptors(workers);
  const shards = whole("shards", o.shards ?? 1, 1, 65_536);
  return {
    from: o.from,
    column: o.column,
    failed: o.failed ?? [],
    release: o.release,
    hub: o.hub,
    out: o.out,
    state: o.state,
    validators: o.validators,
    stdin: o.stdin,
    childCommand: o.childCommand,
    shards,
    shard: whole("shard", o.shard ?? 0, 0, shards - 1),
    acceptSuffixList: o.acceptSuffixList ?? false,
    workers,
    extractors: whole("extractors", o.extractors ?? availableParallelism(), 1, 1024),
    writers: whole("writers", o.writers ?? 1, 1, 16),
    batch: whole("batch", o.batch ?? 2000, 1, 1_000_000),
    queueBytes: whole("queueBytes", o.queueBytes ?? 128 * 2 ** 20, 1, 2 ** 40),
    shardSize: whole("shardSize", o.shardSize ?? 512 * 2 ** 20, 1, 2 ** 40),
    sealAfterMs: whole("sealAfterMs", o.sealAfterMs ?? 600_000, 1, 2 ** 31 - 1),
    prefix: o.prefix ?? "ccrawl-recrawl",
    format: o.format ?? "parquet",
    extractor: o.extractor ?? "main",
    storeBody: o.storeBody ?? "served",
    maxPages: whole("maxPages", o.maxPages ?? 0, 0, Number.MAX_SAFE_INTEGER),
    limit: whole("limit", o.limit ?? 0, 0, Number.MAX_SAFE_INTEGER),
    records: o.records ?? true,
    userAgent: o.userAgent ?? USER_AGENT,
    delayMs: whole("delayMs", o.delayMs ?? 1000, 0, 86_400_000),
    timeoutMs: whole("timeoutMs", o.timeoutMs ?? 30_000, 1, 86_400_000),
    retries: whole("retries", o.retries ?? 0, 0, 100),
    robots: o.robots ?? false,
    obeyRobotsMeta: o.obeyRobotsMeta ?? false,
    robotsTimeoutMs: whole("robotsTimeoutMs", o.robotsTimeoutMs ?? 10_000, 1, 86_400_000),
    robotsCacheEntries: whole("robotsCacheEntries", o.robotsCacheEntries ?? 200_000, 1, 2 ** 30),
    robotsCacheBytes: whole("robotsCacheBytes", o.robotsCacheBytes ?? 64 * 2 ** 20, 1, 2 ** 40),
    maxCrawlDelayMs: whole("maxCrawlDelayMs", o.maxCrawlDelayMs ?? 300_000, 0, 2 ** 31),
    perIp: whole("perIp", o.perIp ?? 16, 1, 1_000_000),
    resolvers: o.resolvers ?? [],
    dnsLookups: whole(
      "dnsLookups",
      o.dnsLookups ?? Math.min(128, Math.max(16, Math.floor(workers / 8))),
      1,
      65_536,
    ),
    allowPrivate: o.allowPrivate ?? false,
    insecure: o.insecure ?? false,
    caCerts: o.caCerts ?? [],
    bodyCap: whole("bodyCap", o.bodyCap ?? 10 * 2 ** 20, 1, 2 ** 30),
    maxStalled: whole(
      "maxStalled",
      o.maxStalled ?? Math.min(16 * workers, descriptorShares(workers).stalled),
      0,
      1_048_576,
    ),
    warcSize: whole("warcSize", o.warcSize ?? 2 ** 30, 1, Number.MAX_SAFE_INTEGER),
    warcHttp: o.warcHttp ?? "clean",
    cdx: o.cdx ?? true,
    dedup: o.dedup ?? true,
    command: o.command ?? "ccrawl (library)",
    freeBytes: o.freeBytes ?? freeBytes,
    minFree: whole("minFree", o.minFree ?? 2 ** 30, 0, Number.MAX_SAFE_INTEGER),
    graceMs: whole("graceMs", o.graceMs ?? 2000, 0, 86_400_000),
    onEvent: o.onEvent ?? (() => {}),
  };
}
