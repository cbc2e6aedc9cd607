/**
 * `crawl run`: a crawl from seeds through a resumable frontier into WARC.
 *
 * @module
 */

import type { CommandSpec } from "../command.ts";
import { UsageError } from "../errors.ts";
import { type GlobalOptions, retriesType, timeoutType, workersType } from "../options/global.ts";
import { flag, list, required, value } from "../options/spec.ts";
import { count, duration, filePrefix, path, text } from "../options/types.ts";
import { runFields } from "./page_fields.ts";
import { checkShard, type RunOptions, runOptions } from "./run_options.ts";

/** Resolved options of `crawl run`. Durations are milliseconds, sizes bytes; `…Mb` are MB of 1024². */
export interface CrawlRunOptions extends GlobalOptions, RunOptions {
  /** Path, or `-` for stdin. */
  readonly seeds: string;
  /** Folder of the WARC files. */
  readonly out: string;
  /** Path of the frontier's file; undefined keeps it in memory. */
  readonly state: string | undefined;
  readonly workers: number;
  /** Over the life of the state; 0 for no limit. */
  readonly maxPages: number;
  readonly maxDepth: number;
  readonly sitemaps: boolean;
  readonly recrawl: boolean;
  /** Undefined for the tiers' intervals. */
  readonly recrawlInterval: number | undefined;
  readonly sameHost: boolean;
  /** Regular expressions, SURT prefixes, or `@FILE` of them. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly robots: boolean;
  readonly robotsRetry: number;
  readonly seenMb: number;
  /** 0 for no limit. */
  readonly maxUrlsPerHost: number;
  readonly prefix: string;
  readonly writers: number;
  readonly queueMb: number;
  readonly timeout: number;
  readonly retries: number;
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
    delay: runOptions.delay,
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
    sitemaps: flag(
      false,
      "Read the sitemaps of the seeds' hosts (of robots.txt, or /sitemap.xml), and fetch what they list of their site",
    ),
    recrawl: flag(
      false,
      "Never end: visit each page again at its tier's interval, sooner where it changes, later where it does not",
    ),
    recrawlInterval: value(
      duration({ min: 1 }),
      undefined,
      "With --recrawl, the interval of every page instead of its tier's",
    ),
    sameHost: flag(false, "Stay on the hosts that seeds name"),
    include: list(
      text("PATTERN"),
      "Follow only URLs that match: a regular expression, a SURT prefix, or @FILE of them; repeatable",
    ),
    exclude: list(text("PATTERN"), "Never follow URLs that match; repeatable"),
    shard: runOptions.shard,
    shards: runOptions.shards,
    acceptSuffixList: runOptions.acceptSuffixList,
    robots: flag(true, "Do not ask robots.txt; you should have a reason"),
    obeyRobotsMeta: runOptions.obeyRobotsMeta,
    robotsTimeout: runOptions.robotsTimeout,
    robotsRetry: value(
      duration({ min: 1 }),
      300_000,
      "First wait before a robots.txt that could not be had is asked for again; it doubles",
    ),
    robotsCacheEntries: runOptions.robotsCacheEntries,
    robotsCacheMb: runOptions.robotsCacheMb,
    maxCrawlDelay: runOptions.maxCrawlDelay,
    perIp: runOptions.perIp,
    dnsLookups: runOptions.dnsLookups,
    seenMb: value(
      count({ min: 1, max: 1_048_576 }),
      512,
      "Memory for the set of seen URLs, in MB; beyond it the set is on disk",
    ),
    maxUrlsPerHost: value(count(), 0, "Most URLs of one host; 0 for no limit"),
    warcSize: runOptions.warcSize,
    prefix: value(filePrefix, "ccrawl-crawl", "Beginning of the WARC files' names"),
    warcHttp: runOptions.warcHttp,
    cdx: runOptions.cdx,
    dedup: runOptions.dedup,
    writers: value(count({ min: 1, max: 16 }), 1, "WARC files written at once"),
    queueMb: value(
      count({ min: 1, max: 1_048_576 }),
      32,
      "Bound of the queue between fetches and writers, in MB",
    ),
    minFree: runOptions.minFree,
    insecure: runOptions.insecure,
    caCert: runOptions.caCert,
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
    [
      "ccrawl crawl run --seeds seeds.jsonl --state crawl.db --sitemaps --recrawl",
      "whole sites, kept up to date until it is stopped",
    ],
    ["ccrawl crawl run --seeds - --no-robots < urls.txt", "seeds from stdin"],
  ],
  check(options) {
    checkShard(options);
    if (options.recrawlInterval !== undefined && !options.recrawl) {
      throw new UsageError(
        "--recrawl-interval says how often pages are visited, and without --recrawl each is visited once",
        "add --recrawl",
      );
    }
  },
};
