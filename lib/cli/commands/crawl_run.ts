/**
 * `crawl run`: a crawl from seeds through a resumable frontier into WARC.
 *
 * @module
 */

import type { CommandSpec } from "../command.ts";
import { UsageError } from "../errors.ts";
import { type GlobalOptions, retriesType, timeoutType, workersType } from "../options/global.ts";
import { computed, flag, list, required, value } from "../options/spec.ts";
import { choice, count, duration, path, size, text } from "../options/types.ts";
import { runFields } from "./page_fields.ts";

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** Resolved options of `crawl run`. Durations are milliseconds, sizes bytes; `…Mb` are MB of 1024². */
export interface CrawlRunOptions extends GlobalOptions {
  /** Path, or `-` for stdin. */
  readonly seeds: string;
  /** Folder of the WARC files. */
  readonly out: string;
  /** Path of the frontier's file; undefined keeps it in memory. */
  readonly state: string | undefined;
  readonly delay: number;
  readonly workers: number;
  /** Over the life of the state; 0 for no limit. */
  readonly maxPages: number;
  readonly maxDepth: number;
  readonly sameHost: boolean;
  /** Regular expressions, SURT prefixes, or `@FILE` of them. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly shard: number;
  readonly shards: number;
  readonly acceptSuffixList: boolean;
  readonly robots: boolean;
  readonly obeyRobotsMeta: boolean;
  readonly robotsTimeout: number;
  readonly robotsRetry: number;
  readonly robotsCacheEntries: number;
  readonly robotsCacheMb: number;
  readonly maxCrawlDelay: number;
  readonly perIp: number;
  readonly dnsLookups: number;
  readonly seenMb: number;
  /** 0 for no limit. */
  readonly maxUrlsPerHost: number;
  readonly warcSize: number;
  readonly prefix: string;
  readonly warcHttp: "clean" | "raw";
  readonly cdx: boolean;
  readonly dedup: boolean;
  readonly writers: number;
  readonly queueMb: number;
  readonly minFree: number;
  readonly insecure: boolean;
  readonly caCert: string | undefined;
  readonly timeout: number;
  readonly retries: number;
}

/** The bound on lookups that suits a width: an eighth of it, 16 to 128. */
function lookupsFor(values: Readonly<Record<string, unknown>>): number {
  return Math.min(128, Math.max(16, Math.floor((values.workers as number) / 8)));
}

/** The command. */
export const crawlRun: CommandSpec<CrawlRunOptions, object> = {
  brief: "Crawl from seeds through a resumable frontier and write WARC",
  description: [
    "Fetches the seeds, and the links on their pages down to --max-depth, at most one request at a " +
    "time to a host and no sooner than --delay or its Crawl-delay after the last. robots.txt is " +
    "obeyed. Every page is archived, and written to stdout as a record.",
    "With --state the queue, the seen URLs and the hosts' clocks are kept in a file: a run that " +
    "was stopped or killed carries on where it was.",
  ],
  options: {
    seeds: required(
      path("FILE", { stdin: true }),
      "Seeds: one URL a line, or JSON lines with url and priority",
    ),
    out: value(path("DIR"), "warc/", "Folder of the WARC files"),
    state: value(path(), undefined, "File that holds the frontier, so that a run can be resumed"),
    delay: value(duration(), 1000, "Least time between two requests to one host"),
    workers: value(workersType, 64, "Fetches in flight at once, each at another host", {
      short: "j",
    }),
    maxPages: value(
      count(),
      0,
      "Stop after this many answered fetches over the life of the state; 0 for no limit",
    ),
    maxDepth: value(
      count({ max: 65_535 }),
      0,
      "How far from a seed links are followed; 0 is the seeds alone",
    ),
    sameHost: flag(false, "Stay on the hosts that seeds name"),
    include: list(
      text("PATTERN"),
      "Follow only URLs that match: a regular expression, a SURT prefix, or @FILE of them; repeatable",
    ),
    exclude: list(text("PATTERN"), "Never follow URLs that match; repeatable"),
    shard: value(count(), 0, "Which share of the registered domains this run takes, from 0"),
    shards: value(count({ min: 1, max: 65_536 }), 1, "How many shares there are"),
    acceptSuffixList: flag(false, "Resume although the public suffix list has changed"),
    robots: flag(true, "Do not ask robots.txt; you should have a reason"),
    obeyRobotsMeta: flag(false, "Act on noarchive, noindex and nofollow in pages and headers"),
    robotsTimeout: value(duration({ min: 1 }), 10_000, "Budget of fetching one robots.txt"),
    robotsRetry: value(
      duration({ min: 1 }),
      300_000,
      "First wait before a robots.txt that could not be had is asked for again; it doubles",
    ),
    robotsCacheEntries: value(count({ min: 1 }), 200_000, "Hosts whose rules are kept in memory"),
    robotsCacheMb: value(
      count({ min: 1, max: 1_048_576 }),
      64,
      "Memory for them, in MB",
    ),
    maxCrawlDelay: value(
      duration(),
      300_000,
      "A host that asks for a longer Crawl-delay is left out",
    ),
    perIp: value(count({ min: 1 }), 16, "Requests in flight at one address"),
    dnsLookups: computed(
      count({ min: 1, max: 65_536 }),
      "workers/8, 16 to 128",
      lookupsFor,
      "DNS lookups open at once",
    ),
    seenMb: value(
      count({ min: 1, max: 1_048_576 }),
      512,
      "Memory for the set of seen URLs, in MB; beyond it the set is on disk",
    ),
    maxUrlsPerHost: value(count(), 0, "Most URLs of one host; 0 for no limit"),
    warcSize: value(size({ min: MIB }), GIB, "Begin a new WARC file at this size"),
    prefix: value(text("NAME"), "ccrawl-crawl", "Beginning of the WARC files' names"),
    warcHttp: value(
      choice(["clean", "raw"]),
      "clean",
      "What WARC records hold: answers without their transfer coding, or the wire bytes",
    ),
    cdx: flag(true, "Write no .cdxj beside each WARC file"),
    dedup: flag(true, "Store every payload, one that this run has stored before too"),
    writers: value(count({ min: 1, max: 16 }), 1, "WARC files written at once"),
    queueMb: value(
      count({ min: 1, max: 1_048_576 }),
      32,
      "Bound of the queue between fetches and writers, in MB",
    ),
    minFree: value(size(), GIB, "Stop, exit 75, when the disk has less free than this"),
    insecure: flag(false, "Accept any certificate"),
    caCert: value(path(), undefined, "Trust the certificates in this PEM file too"),
    timeout: value(timeoutType, 30_000, "Budget of one page: connecting, fetching, retries"),
    retries: value(retriesType, 2, "Retries after a transport failure; a status is an answer"),
  },
  fields: runFields,
  examples: [
    [
      "ccrawl crawl run --seeds seeds.jsonl --out warc/ --state crawl.db -j 64",
      "start, and after a stop carry on",
    ],
    [
      "ccrawl crawl run --seeds urls.txt --max-depth 2 --same-host --max-pages 100000",
      "two links deep on the seeds' hosts",
    ],
    ["ccrawl crawl run --seeds - --no-robots < urls.txt", "seeds from stdin"],
  ],
  check({ shard, shards }) {
    if (shard >= shards) {
      throw new UsageError(
        `--shard=${shard}: there are ${shards} shards, numbered from 0`,
        shards === 1 ? "give --shards too" : `give --shard 0 to ${shards - 1}`,
      );
    }
  },
};
