/**
 * Options that every run has: `crawl run` and `recrawl run`.
 *
 * @module
 */

import { UsageError } from "../errors.ts";
import { computed, flag, type OptionTable, value } from "../options/spec.ts";
import { choice, count, duration, path, size } from "../options/types.ts";

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** Their resolved values. Durations are milliseconds, sizes bytes; `…Mb` are MB of 1024². */
export interface RunOptions {
  readonly delay: number;
  readonly shard: number;
  readonly shards: number;
  readonly acceptSuffixList: boolean;
  readonly obeyRobotsMeta: boolean;
  readonly robotsTimeout: number;
  readonly robotsCacheEntries: number;
  readonly robotsCacheMb: number;
  readonly maxCrawlDelay: number;
  readonly perIp: number;
  readonly dnsLookups: number;
  readonly warcSize: number;
  readonly warcHttp: "clean" | "raw";
  readonly cdx: boolean;
  readonly dedup: boolean;
  readonly minFree: number;
  readonly insecure: boolean;
  readonly caCert: string | undefined;
}

/** The bound on lookups that suits a width: an eighth of it, 16 to 128. */
function lookupsFor(values: Readonly<Record<string, unknown>>): number {
  return Math.min(128, Math.max(16, Math.floor((values.workers as number) / 8)));
}

/** The table of them; a command takes them one by one, into the order of its help. */
export const runOptions: OptionTable<RunOptions> = {
  delay: value(duration(), 1000, "Least time between two requests to one host"),
  shard: value(count(), 0, "Which share of the registered domains this run takes, from 0"),
  shards: value(count({ min: 1, max: 65_536 }), 1, "How many shares there are"),
  acceptSuffixList: flag(false, "Resume although the public suffix list has changed"),
  obeyRobotsMeta: flag(false, "Act on noarchive, noindex and nofollow in pages and headers"),
  robotsTimeout: value(duration({ min: 1 }), 10_000, "Budget of fetching one robots.txt"),
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
  warcSize: value(size({ min: MIB }), GIB, "Begin a new WARC file at this size"),
  warcHttp: value(
    choice(["clean", "raw"]),
    "clean",
    "What WARC records hold: answers without their transfer coding, or the wire bytes",
  ),
  cdx: flag(true, "Write no .cdxj beside each WARC file"),
  dedup: flag(true, "Store every payload, one that this run has stored before too"),
  minFree: value(size(), GIB, "Stop, exit 75, when the disk has less free than this"),
  insecure: flag(false, "Accept any certificate"),
  caCert: value(path(), undefined, "Trust the certificates in this PEM file too"),
};

/**
 * That there is such a shard.
 *
 * @throws {UsageError}
 */
export function checkShard({ shard, shards }: Pick<RunOptions, "shard" | "shards">): void {
  if (shard < shards) return;
  throw new UsageError(
    `--shard=${shard}: there are ${shards} shards, numbered from 0`,
    shards === 1 ? "give --shards too" : `give --shard 0 to ${shards - 1}`,
  );
}
