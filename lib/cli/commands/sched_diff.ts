/**
 * `sched diff`: what changed between two snapshots, by host.
 *
 * @module
 */

import { DIFF_WAYS, type DiffWay, SQL_DIALECTS, type SqlDialect } from "../../sched/ways.ts";
import { DATA_ENDPOINT } from "../../seeds/places.ts";
import type { CommandSpec } from "../command.ts";
import type { GlobalOptions } from "../options/global.ts";
import { list, value } from "../options/spec.ts";
import { choice, count, type OptionType, path, text } from "../options/types.ts";
import { parseHostArgument } from "./arguments.ts";

/** Resolved options of `sched diff`. */
export interface SchedDiffOptions extends GlobalOptions {
  readonly host: readonly string[];
  readonly domain: readonly string[];
  readonly minUrls: number;
  readonly way: DiffWay;
  readonly printSql: SqlDialect | undefined;
  readonly scratch: string | undefined;
  readonly dataEndpoint: string;
}

/** Its arguments. */
export interface SchedDiffArguments {
  readonly older: string;
  readonly newer: string;
}

const host: OptionType<string> = {
  placeholder: "HOST",
  parse(value) {
    try {
      return parseHostArgument(value);
    } catch (cause) {
      throw new RangeError("not a host name; write www.example.com", { cause });
    }
  },
  format: (value) => value,
};

/** The command. */
export const schedDiff: CommandSpec<SchedDiffOptions, SchedDiffArguments> = {
  brief: "Compare two snapshots of an index: which share of each host's pages changed",
  description: [
    "A snapshot is Parquet with url and content_digest, as Common Crawl's columnar index has them, or " +
    "url and digest, as recrawl run writes them: a file, a folder, the URL of a file, a list of paths " +
    "(.paths or .paths.gz), or the name of a crawl (CC-MAIN-2026-13). URLs that both have are compared " +
    "by their digests; the tier is for hosts whose rank is not known.",
    "Snapshots sorted by url_surtkey are compared in one pass, in little memory. Others are compared by " +
    "duckdb where it is on the PATH, or sorted on disk first. With --host and --domain, row groups and " +
    "pages that hold none of them are not read.",
  ],
  args: {
    usage: "OLDER NEWER",
    help: "the two snapshots, the older one first",
    min: 2,
    max: 2,
    complete: "files",
    parse: ([older, newer]) => ({ older: older!, newer: newer! }),
  },
  options: {
    host: list(host, "Only this host; repeatable", { commas: true }),
    domain: list(host, "Only this domain and every host under it; repeatable", { commas: true }),
    minUrls: value(count({ min: 1 }), 1, "Leave out hosts with fewer URLs in both"),
    way: value(
      choice(DIFF_WAYS),
      "auto",
      "How: merge what is sorted, sort on disk first, or by duckdb; auto takes what fits",
    ),
    printSql: value(
      choice(SQL_DIALECTS),
      undefined,
      "Print the statement that does the same in this engine, and compare nothing",
    ),
    scratch: value(path("DIR"), undefined, "Folder for sorting, instead of the system's"),
    dataEndpoint: value(text("URL"), DATA_ENDPOINT, "Where crawls are served"),
  },
  fields: [
    { name: "host", type: "string", help: "host name" },
    { name: "total_urls", type: "integer", help: "URLs in both snapshots" },
    { name: "changed_urls", type: "integer", help: "those whose content changed" },
    { name: "change_rate", type: "number", help: "their share" },
    { name: "tier", type: "integer", help: "tier of a host of that rate whose rank is not known" },
  ],
  examples: [
    ["ccrawl sched diff index-2026-13/ index-2026-17/ > rates.jsonl", "every host of two folders"],
    ["ccrawl sched diff CC-MAIN-2026-13 CC-MAIN-2026-17 --domain example.com", "one domain"],
    ["ccrawl sched diff captures-1/ captures-2/ -o table", "two passes of a recrawl"],
    ["ccrawl sched diff CC-MAIN-2026-13 CC-MAIN-2026-17 --print-sql athena", "the statement alone"],
  ],
};
