/**
 * `markdown refetch`: the pages of WARC shards, fetched again and rendered.
 *
 * @module
 */

import type { CommandSpec } from "../command.ts";
import { UsageError } from "../errors.ts";
import { flag, list, value } from "../options/spec.ts";
import { language, path } from "../options/types.ts";
import { recrawlFields } from "./recrawl_fields.ts";
import { recrawlRun, type RecrawlRunOptions } from "./recrawl_run.ts";

/** Options that a recrawl has too, with the same meaning. */
type Shared = Omit<
  RecrawlRunOptions,
  | ("from" | "column" | "failed" | "dir" | "state" | "shard" | "shards" | "acceptSuffixList")
  | ("prefix" | "format" | "validators" | "profileDir" | "profileName" | "extract")
  | ("warcSize" | "warcHttp" | "cdx" | "dedup")
>;

/** Resolved options of `markdown refetch`. */
export interface MarkdownRefetchOptions extends Shared {
  readonly all: boolean;
  readonly lang: readonly string[];
  readonly dedupDigest: boolean;
}

/** Its arguments: WARC files and folders, one or more. */
export interface MarkdownRefetchArguments {
  readonly paths: readonly string[];
}

const shared = recrawlRun.options;

/** The command. */
export const markdownRefetch: CommandSpec<MarkdownRefetchOptions, MarkdownRefetchArguments> = {
  brief: "Fetch the pages of WARC files again, live, and render them into Parquet",
  description: [
    "Takes the URLs of the HTML pages in each WARC file, fetches every one as it is now, and writes a row " +
    "for every attempt with the page as Markdown and text. Each file has its own Parquet files, named after " +
    "it; ledger.csv in the output folder says what is done. Run it again to go on after a stop or a kill; a " +
    "file that is done is left alone.",
    "It is polite: robots.txt is asked and obeyed, one request at a time goes to a host, no sooner than " +
    "--delay after the last. --no-robots fetches what sites have closed to crawlers: their operators may " +
    "block this machine, and the pages are not yours to publish. --delay 0 sends requests to a host one " +
    "right after the other: small sites slow down for everybody, and answer 429 or nothing, so that pages " +
    "are lost that a second's patience would have had.",
  ],
  args: {
    usage: "WARC…",
    help: "WARC files, and folders of them",
    min: 1,
    max: Infinity,
    parse(paths) {
      if (!paths.includes("-")) return { paths };
      throw new UsageError("a refetch is resumed by its file, and stdin is none", "give a path");
    },
  },
  options: {
    out: value(path("DIR"), "refetch/", "Folder of the files that are written, and of the ledger"),
    all: flag(false, "Every response's URL, not only those of HTML pages that answered with 2xx"),
    lang: list(language, "Only pages that were in this language, by its ISO 639-3 code", {
      commas: true,
    }),
    dedupDigest: flag(false, "Of pages that had the same content, fetch one"),
    workers: shared.workers,
    extractors: shared.extractors,
    writers: shared.writers,
    batch: shared.batch,
    queueMb: shared.queueMb,
    shardSize: shared.shardSize,
    sealAfter: shared.sealAfter,
    maxPages: shared.maxPages,
    delay: value(
      shared.delay.type,
      1000,
      "Least time between two requests to one host; 0 costs them",
    ),
    perIp: shared.perIp,
    robots: flag(true, "Do not ask robots.txt: fetch what sites have closed to crawlers too"),
    obeyRobotsMeta: shared.obeyRobotsMeta,
    robotsTimeout: shared.robotsTimeout,
    robotsCacheEntries: shared.robotsCacheEntries,
    robotsCacheMb: shared.robotsCacheMb,
    maxCrawlDelay: shared.maxCrawlDelay,
    dnsLookups: shared.dnsLookups,
    extractor: shared.extractor,
    storeBody: shared.storeBody,
    minFree: shared.minFree,
    insecure: shared.insecure,
    caCert: shared.caCert,
    timeout: shared.timeout,
    retries: shared.retries,
  },
  fields: recrawlFields,
  examples: [
    ["ccrawl markdown refetch CC-MAIN-20240518-00000.warc.gz", "its pages as they are now"],
    [
      "ccrawl markdown refetch shards/ --out md/ --lang deu,fra --dedup-digest -j 256",
      "some of a folder's",
    ],
    [
      "ccrawl markdown refetch shards/ --out md/ --store-body none --min-free 20GB",
      "on a small disk",
    ],
  ],
};
