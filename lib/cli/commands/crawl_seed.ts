/**
 * `crawl seed`: the hosts of a rank table as seeds.
 *
 * @module
 */

import type { CommandSpec } from "../command.ts";
import { UsageError } from "../errors.ts";
import type { GlobalOptions } from "../options/global.ts";
import { value } from "../options/spec.ts";
import { count } from "../options/types.ts";
import { type RankOptions, rankOptions } from "./rank_options.ts";

/** Resolved options of `crawl seed`. */
export interface CrawlSeedOptions extends GlobalOptions, RankOptions {
  /** 1 to 5. */
  readonly maxTier: number;
  readonly maxSeeds: number;
}

/** The command. */
export const crawlSeed: CommandSpec<CrawlSeedOptions, object> = {
  brief: "Stream a host rank table and emit one seed a host",
  description: [
    "Reads the host ranks of a release of the web graph, or a table of your own, and writes each " +
    "host as a seed for crawl run, the most central first: its home page, its tier, and its harmonic " +
    "centrality as the priority. Stops reading once nothing later can be a seed.",
    "Without --rates a change rate of 0.5 is assumed for every host, with which none is in tier 1.",
  ],
  options: {
    graph: rankOptions.graph,
    ranks: rankOptions.ranks,
    rates: rankOptions.rates,
    maxTier: value(
      count({ min: 1, max: 5 }),
      5,
      "Leave out hosts of a tier above this: 2 is about the first million, 5 is everything",
    ),
    maxSeeds: value(count({ min: 1 }), 10_000_000, "Most hosts to emit"),
    dataEndpoint: rankOptions.dataEndpoint,
    releasesPage: rankOptions.releasesPage,
  },
  fields: [
    { name: "host", type: "string", help: "host name" },
    { name: "url", type: "string", help: "its home page" },
    { name: "tier", type: "integer", help: "1 is crawled every day, 5 never again" },
    { name: "priority", type: "number", help: "harmonic centrality" },
  ],
  examples: [
    ["ccrawl crawl seed -n 100 -o table", "the hundred most central hosts"],
    ["ccrawl crawl seed --max-tier 2 -n 1000000 -o jsonl > seeds.jsonl", "the first million"],
    ["ccrawl crawl seed --max-tier 1 --rates rates.jsonl", "those that change every day"],
    ["ccrawl crawl seed -n 1000 -o jsonl | ccrawl crawl run --seeds -", "straight into a crawl"],
  ],
  check({ maxTier, ranks, rates }) {
    if (maxTier === 1 && rates === undefined) {
      throw new UsageError(
        "--max-tier=1: no host can be in tier 1 without measured change rates: it takes one above " +
          "0.8, and 0.5 is assumed",
        "give --rates FILE, as sched diff and sched rates write it, or --max-tier 2",
      );
    }
    if (ranks === "-" && rates === "-") {
      throw new UsageError("--ranks=-: stdin cannot be both the ranks and the rates");
    }
  },
};
