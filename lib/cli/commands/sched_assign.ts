/**
 * `sched assign`: tier, interval and score of hosts.
 *
 * @module
 */

import type { CommandSpec } from "../command.ts";
import { UsageError } from "../errors.ts";
import type { GlobalOptions } from "../options/global.ts";
import { value } from "../options/spec.ts";
import { count, path } from "../options/types.ts";
import { type RankOptions, rankOptions } from "./rank_options.ts";

/** Resolved options of `sched assign`. */
export interface SchedAssignOptions extends GlobalOptions, RankOptions {
  /** Path or `-`. */
  readonly seeds: string | undefined;
  /** 1 to 5. */
  readonly maxTier: number;
}

/** The command. */
export const schedAssign: CommandSpec<SchedAssignOptions, object> = {
  brief: "Give hosts a tier, an interval and a score",
  description: [
    "Reads the host ranks of a release of the web graph, a table of your own (--ranks), or a list of " +
    "hosts as crawl seed, sched diff and sched rates write it (--seeds), and writes each host's place " +
    "in the schedule, in the order they come. Change rates come from --rates, or from the list; 0.5 is " +
    "assumed where none is known.",
    "Tiers 1 to 4 come due again after 24, 72, 168 and 720 hours, tier 5 never.",
  ],
  options: {
    seeds: value(
      path("FILE", { stdin: true }),
      undefined,
      "Hosts as JSON lines, instead of a rank table",
    ),
    graph: rankOptions.graph,
    ranks: rankOptions.ranks,
    rates: rankOptions.rates,
    maxTier: value(count({ min: 1, max: 5 }), 5, "Leave out hosts of a tier above this"),
    dataEndpoint: rankOptions.dataEndpoint,
    releasesPage: rankOptions.releasesPage,
  },
  fields: [
    { name: "host", type: "string", help: "host name" },
    {
      name: "harmonic_pos",
      type: "integer",
      help: "position by harmonic centrality; 0 if unknown",
    },
    { name: "harmonic_val", type: "number", help: "harmonic centrality" },
    { name: "change_rate", type: "number", help: "share of pages that change, measured or 0.5" },
    { name: "tier", type: "integer", help: "1 is crawled every day, 5 never again" },
    { name: "interval_h", type: "integer", help: "hours between two passes; null for never" },
    { name: "score", type: "number", help: "change rate times ln(1 + harmonic centrality)" },
  ],
  examples: [
    ["ccrawl sched assign -n 20 -o table", "the most central hosts of the newest release"],
    ["ccrawl sched assign --rates rates.jsonl --max-tier 1", "hosts to crawl every day"],
    ["ccrawl crawl seed -n 1000 | ccrawl sched assign --seeds - --rates rates.jsonl", "of seeds"],
  ],
  check({ seeds, ranks, rates }) {
    if (seeds !== undefined && ranks !== undefined) {
      throw new UsageError("--seeds and --ranks both say which hosts to read", "give one of them");
    }
    if ([seeds, ranks, rates].filter((path) => path === "-").length > 1) {
      throw new UsageError("stdin cannot be both the hosts and the rates");
    }
  },
};
