/**
 * `sched rates`: how often hosts change, from several passes.
 *
 * @module
 */

import type { CommandSpec } from "../command.ts";
import { UsageError } from "../errors.ts";
import type { GlobalOptions } from "../options/global.ts";
import { value } from "../options/spec.ts";
import { count, path } from "../options/types.ts";

/** Resolved options of `sched rates`. */
export interface SchedRatesOptions extends GlobalOptions {
  readonly days: number;
  readonly minVisits: number;
  readonly scratch: string | undefined;
}

/** Its arguments: captures, and diffs with the days that lie between their snapshots. */
export interface SchedRatesArguments {
  readonly inputs: readonly { readonly path: string; readonly days?: number }[];
}

/** The command. */
export const schedRates: CommandSpec<SchedRatesOptions, SchedRatesArguments> = {
  brief: "Estimate how often hosts change from several passes over their pages",
  description: [
    "Reads captures that recrawl run wrote, of two passes or more, and compares each URL's digest to " +
    "the one before; or what sched diff wrote, each with the days between its snapshots as FILE@DAYS. " +
    "Visits need not be regular: the estimate is Cho and Garcia-Molina's for a history that does not " +
    "tell how often a page changed between two visits. All pages of a host are taken to change alike.",
    "change_rate is the share of pages that change within --days; crawl seed and sched assign take it " +
    "by --rates.",
  ],
  args: {
    usage: "PATH…",
    help: "captures, and diffs as FILE or FILE@DAYS",
    min: 1,
    max: Infinity,
    complete: "files",
    parse: (words) => ({ inputs: words.map(inputOf) }),
  },
  options: {
    days: value(count({ min: 1, max: 3650 }), 30, "Days that change_rate is the share for"),
    minVisits: value(count({ min: 1 }), 1, "Leave out hosts with fewer comparisons"),
    scratch: value(path("DIR"), undefined, "Folder for sorting, instead of the system's"),
  },
  fields: [
    { name: "host", type: "string", help: "host name" },
    { name: "total_urls", type: "integer", help: "URLs visited more than once" },
    { name: "visits", type: "integer", help: "visits compared to the one before" },
    { name: "changed_visits", type: "integer", help: "those that found a change" },
    { name: "changes_per_day", type: "number", help: "estimated changes of a page a day" },
    { name: "change_rate", type: "number", help: "share of pages that change within --days" },
    { name: "tier", type: "integer", help: "tier of a host of that rate whose rank is not known" },
  ],
  examples: [
    ["ccrawl sched rates captures/ > rates.jsonl", "from the passes of a recrawl"],
    ["ccrawl sched rates may.jsonl@28 june.jsonl@35", "from two diffs, 28 and 35 days apart"],
    ["ccrawl crawl seed --rates rates.jsonl --max-tier 2", "seeds by what was measured"],
  ],
};

function inputOf(word: string): { path: string; days?: number } {
  const at = word.lastIndexOf("@");
  const text = word.slice(at + 1);
  if (at <= 0 || !/^[\d.]+$/.test(text)) return { path: word };
  const days = Number(text);
  if (!(days > 0 && days <= 100_000)) {
    throw new UsageError(`${word}: @${text} is no number of days`, "write FILE@28");
  }
  return { path: word.slice(0, at), days };
}
