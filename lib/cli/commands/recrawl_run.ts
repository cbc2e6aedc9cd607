/**
 * `recrawl run`: a pass over a work list into capture files.
 *
 * @module
 */

import { resolve } from "node:path";
import type { CommandSpec } from "../command.ts";
import { UsageError } from "../errors.ts";
import { type GlobalOptions, retriesType, timeoutType, workersType } from "../options/global.ts";
import { computed, flag, list, required, value } from "../options/spec.ts";
import { choice, count, duration, filePrefix, path, size, text } from "../options/types.ts";
import { recrawlFields } from "./recrawl_fields.ts";
import { checkShard, type RunOptions, runOptions } from "./run_options.ts";

const MIB = 1024 ** 2;

/** Resolved options of `recrawl run`. Durations are milliseconds, sizes bytes; `…Mb` are MB of 1024². */
export interface RecrawlRunOptions extends GlobalOptions, RunOptions {
  /** `domains`, `urls`, a repo of the hub, a local file or folder, or `-` for stdin. */
  readonly from: string;
  /** Column, or field of JSON lines, that holds URLs or domains. */
  readonly column: string;
  /** Classes of failures of an earlier pass, or `all`; empty takes every row. */
  readonly failed: readonly string[];
  /** Release of a repo: a folder below `data/`; undefined for the newest, or the state's. */
  readonly dir: string | undefined;
  /** Folder of the capture files. */
  readonly out: string;
  /** Path of the checkpoint; undefined keeps none. */
  readonly state: string | undefined;
  readonly workers: number;
  readonly extractors: number;
  readonly writers: number;
  /** Rows read together. */
  readonly batch: number;
  readonly queueMb: number;
  /** Of payload, uncompressed. */
  readonly shardSize: number;
  readonly sealAfter: number;
  readonly prefix: string;
  readonly format: "parquet" | "warc" | "both";
  /** Of this run; 0 for no limit. */
  readonly maxPages: number;
  readonly robots: boolean;
  readonly extract: boolean;
  readonly extractor: "main" | "readability" | "raw";
  readonly storeBody: "served" | "decoded" | "none";
  /** File, folder or repo of an earlier pass. */
  readonly validators: string | undefined;
  /** Given together or not at all. */
  readonly profileDir: string | undefined;
  readonly profileName: string | undefined;
  readonly timeout: number;
  readonly retries: number;
}

/** The command. */
export const recrawlRun: CommandSpec<RecrawlRunOptions, object> = {
  brief: "Fetch a published work list and write what came back as Parquet or WARC",
  description: [
    "Reads a list of URLs in its order, fetches each, renders pages into Markdown and text, and " +
    "writes a row for every attempt, those that failed too. At most one request at a time goes to a " +
    "host, no sooner than --delay after the last.",
    "With --state a run that was stopped or killed carries on where it was; a kill fetches again only " +
    "rows that were not in a finished file. --shards splits the list between machines by registered " +
    "domain. Every row is written to stdout as a record, without its large columns.",
  ],
  options: {
    from: required(
      text("LIST"),
      "The list: domains, urls, a dataset on Hugging Face (owner/name), a file or folder (.parquet, .jsonl, .txt, WARC), or -",
    ),
    column: computed(
      text("NAME"),
      "domain for domains, else url",
      (values) => values.from === "domains" ? "domain" : "url",
      "Column of the list (of .jsonl: field) that holds its URLs or domains",
    ),
    failed: list(
      choice(["all", "dns", "timeout", "refused", "tls", "skip", "other"]),
      "Of an earlier pass (captures, or its records as .jsonl) take the rows that failed: all, or by class",
      { commas: true },
    ),
    dir: value(
      text("RELEASE"),
      undefined,
      "Release of a repo to read: a folder below data/; the newest, or the state's, when not given",
    ),
    out: value(path("DIR"), "recrawl/", "Folder of the files that are written"),
    state: value(path(), undefined, "File that holds the checkpoint, so that a run can be resumed"),
    shard: runOptions.shard,
    shards: runOptions.shards,
    acceptSuffixList: runOptions.acceptSuffixList,
    workers: value(workersType, 64, "Fetches in flight at once, each at another host", {
      short: "j",
    }),
    extractors: computed(
      count({ min: 1, max: 1024 }),
      "the number of cores",
      () => navigator.hardwareConcurrency,
      "Pages rendered at once",
    ),
    writers: value(
      count({ min: 1, max: 16 }),
      1,
      "Files of a format written at once; for a run whose writer is busy nearly all the time",
    ),
    batch: value(
      count({ min: 1, max: 1_000_000 }),
      2000,
      "Rows read together; 16 times as many wait for their host at the most",
    ),
    queueMb: value(
      count({ min: 1, max: 1_048_576 }),
      128,
      "What is held between fetches and disk, in MB: half before rendering, half before the writers",
    ),
    shardSize: value(
      size({ min: 1 }),
      512 * MIB,
      "Seal a Parquet file at this much payload, counted uncompressed; all writers seal together",
    ),
    sealAfter: value(
      duration({ min: 1 }),
      600_000,
      "Seal it at this age, so that the checkpoint moves",
    ),
    prefix: value(filePrefix, "ccrawl-recrawl", "Beginning of the files' names"),
    format: value(choice(["parquet", "warc", "both"]), "parquet", "What is written"),
    maxPages: value(
      count(),
      0,
      "Stop after this many answered fetches of this run; 0 for no limit",
    ),
    delay: runOptions.delay,
    perIp: runOptions.perIp,
    robots: flag(false, "Ask robots.txt of every host, and obey it"),
    obeyRobotsMeta: runOptions.obeyRobotsMeta,
    robotsTimeout: runOptions.robotsTimeout,
    robotsCacheEntries: runOptions.robotsCacheEntries,
    robotsCacheMb: runOptions.robotsCacheMb,
    maxCrawlDelay: runOptions.maxCrawlDelay,
    dnsLookups: runOptions.dnsLookups,
    extract: flag(true, "Render nothing: no Markdown, text, language and fingerprint"),
    extractor: value(
      choice(["main", "readability", "raw"]),
      "main",
      "How pages are rendered: the main content, the same by Readability, or the whole page",
    ),
    storeBody: value(
      choice(["served", "decoded", "none"]),
      "served",
      "The body in a row: as served, with its content coding undone, or left out",
    ),
    validators: value(
      path("PATH"),
      undefined,
      "Captures of an earlier pass (file, folder or repo), to ask only for what has changed",
    ),
    warcSize: runOptions.warcSize,
    warcHttp: runOptions.warcHttp,
    cdx: runOptions.cdx,
    dedup: runOptions.dedup,
    minFree: runOptions.minFree,
    insecure: runOptions.insecure,
    caCert: runOptions.caCert,
    timeout: value(timeoutType, 30_000, "Budget of one page: connecting, fetching, redirects"),
    retries: value(retriesType, 0, "Retries after a transport failure; a status is an answer"),
    profileDir: value(path("DIR"), undefined, "Write a CPU and a heap profile of the run here"),
    profileName: value(filePrefix, undefined, "Beginning of the profiles' names"),
  },
  fields: recrawlFields,
  examples: [
    [
      "ccrawl recrawl run --from domains --out captures/ --state domains.json -j 96",
      "the home page of every ranked domain; after a stop carry on",
    ],
    [
      "ccrawl recrawl run --from urls --state urls.json --shard 0 --shards 3",
      "this machine's third of the URL list",
    ],
    [
      "ccrawl recrawl run --from urls.txt --format warc --robots",
      "a list of one's own, into WARC",
    ],
    [
      "ccrawl recrawl run --from urls --validators captures/ --state second.json --out second/",
      "again, only what has changed since",
    ],
    [
      "ccrawl recrawl run --from captures/ --failed timeout,refused --out again/ --timeout 60s",
      "what failed in an earlier pass, with more patience",
    ],
  ],
  check(options) {
    checkShard(options);
    const { from, dir, profileDir, profileName } = options;
    if (dir !== undefined && from === "-") {
      throw new UsageError(`--dir=${dir}: stdin has no releases`, "leave --dir out");
    }
    if (options.failed.length > 0 && resolve(from) === resolve(options.out)) {
      throw new UsageError(
        `--out=${options.out}: the failures of an earlier pass cannot be read where new ones are written`,
        "give --out another folder",
      );
    }
    if (profileDir !== undefined && profileName === undefined) {
      throw new UsageError(
        `--profile-dir=${profileDir} needs --profile-name`,
        "give the profiles of each run a name of their own, to compare them",
      );
    }
    if (profileName !== undefined && profileDir === undefined) {
      throw new UsageError(
        `--profile-name=${profileName} needs --profile-dir`,
        "give the folder that the profiles are written to",
      );
    }
  },
};
