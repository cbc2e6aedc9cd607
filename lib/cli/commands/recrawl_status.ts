/**
 * `recrawl status`: how far passes over work lists are, from their checkpoints.
 *
 * @module
 */

import type { CommandSpec } from "../command.ts";
import { UsageError } from "../errors.ts";
import type { GlobalOptions } from "../options/global.ts";
import { list } from "../options/spec.ts";
import { path } from "../options/types.ts";

/** Resolved options of `recrawl status`. */
export interface RecrawlStatusOptions extends GlobalOptions {
  /** Checkpoints, one or more with those of the arguments. */
  readonly state: readonly string[];
}

/** Its arguments: what stands behind `--state FILE`, as when a shell expands a pattern there. */
export interface RecrawlStatusArguments {
  readonly more: readonly string[];
}

/** One checkpoint's record. */
export interface RecrawlStatusRecord {
  /** File of the checkpoint. */
  readonly state: string;
  readonly source: string;
  /** Empty where a source has none. */
  readonly release: string;
  readonly shard: number;
  readonly shards: number;
  readonly part: number;
  readonly row: number;
  readonly done: number;
  readonly fetched: number;
  readonly pending_rows: number;
  readonly sealed_parts: number;
  /** Seconds. */
  readonly age_s: number;
}

/** Every checkpoint that was named, in the order given. */
export function statusFiles(
  { state, more }: Pick<RecrawlStatusOptions & RecrawlStatusArguments, "state" | "more">,
): string[] {
  return [...state, ...more];
}

/** The command. */
export const recrawlStatus: CommandSpec<RecrawlStatusOptions, RecrawlStatusArguments> = {
  brief: "Show how far passes over work lists are, from their checkpoints",
  description: [
    "Reads each file beside the run that writes it, which is not disturbed. A checkpoint is as old as " +
    "the last files that were sealed: what has been fetched since is not in it.",
  ],
  args: {
    usage: "[FILE…]",
    help: "further checkpoints",
    min: 0,
    max: Infinity,
    complete: "files",
    parse: (more) => ({ more }),
  },
  options: {
    state: list(path(), "File that holds a run's checkpoint; repeatable"),
  },
  fields: [
    { name: "state", type: "string", help: "file of the checkpoint" },
    { name: "source", type: "string", help: "work list that is read" },
    { name: "release", type: "string", help: "release of it that was picked" },
    { name: "shard", type: "integer", help: "share of the registered domains, from 0" },
    { name: "shards", type: "integer", help: "how many shares there are" },
    { name: "part", type: "integer", help: "part of the list that is being read, from 0" },
    { name: "row", type: "integer", help: "next row to read in it" },
    { name: "done", type: "integer", help: "rows that are durable" },
    { name: "fetched", type: "integer", help: "of them, those that were answered" },
    { name: "pending_rows", type: "integer", help: "rows read and not durable yet" },
    { name: "sealed_parts", type: "integer", help: "files finished" },
    { name: "age_s", type: "integer", help: "seconds since the checkpoint was written" },
  ],
  examples: [
    ["ccrawl recrawl status --state domains.json", "one run, as a table"],
    ["ccrawl recrawl status --state domains.json --state urls.json", "several"],
    ["ccrawl recrawl status --state domains.json -o jsonl --fields part,row,age_s", "for a script"],
  ],
  check(options) {
    if (statusFiles(options).length === 0) {
      throw new UsageError("--state is needed", "give --state FILE, or set CCRAWL_STATE");
    }
  },
};
