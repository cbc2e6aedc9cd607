/**
 * `recrawl status`: how far passes over work lists are, from their checkpoints.
 *
 * @module
 */

import type { RecrawlKind } from "../../publish/names.ts";
import type { CommandSpec } from "../command.ts";
import { UsageError } from "../errors.ts";
import type { GlobalOptions } from "../options/global.ts";
import { flag, list, value } from "../options/spec.ts";
import { path } from "../options/types.ts";
import type { FieldSpec } from "../output/fields.ts";
import { kindType, repoType } from "./recrawl_publish.ts";

/** Resolved options of `recrawl status`. */
export interface RecrawlStatusOptions extends GlobalOptions {
  /** Checkpoints, one or more with those of the arguments. */
  readonly state: readonly string[];
  /** Whether the ledgers of the fleet are shown too. */
  readonly hub: boolean;
  /** Undefined for the lists that the checkpoints are of, or both. */
  readonly kind: RecrawlKind | undefined;
  /** Undefined for the kind's own. */
  readonly repo: string | undefined;
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

/** One machine's ledger. */
export interface RecrawlLedgerRecord {
  readonly repo: string;
  readonly server: string;
  readonly shard: number;
  readonly shards: number;
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  readonly part: number;
  readonly row: number;
  readonly finished: boolean;
  readonly first_committed: string;
  readonly last_committed: string;
}

/** Every checkpoint that was named, in the order given. */
export function statusFiles(
  { state, more }: Pick<RecrawlStatusOptions & RecrawlStatusArguments, "state" | "more">,
): string[] {
  return [...state, ...more];
}

const stateFields: readonly FieldSpec[] = [
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
  {
    name: "sealed_parts",
    type: "integer",
    help: "files finished, without those that had been published and deleted by then",
  },
  { name: "age_s", type: "integer", help: "seconds since the checkpoint was written" },
];

/** Those that a checkpoint's record has too are of both. */
const ledgerFields: readonly FieldSpec[] = [
  { name: "repo", type: "string", help: "dataset repo that a ledger is from" },
  { name: "server", type: "string", help: "machine that a ledger is of" },
  ...stateFields.filter(({ name }) => name === "shard" || name === "shards"),
  { name: "files", type: "integer", help: "files it has published" },
  { name: "rows", type: "integer", help: "rows in them" },
  { name: "bytes", type: "integer", help: "their size" },
  ...stateFields.filter(({ name }) => name === "part" || name === "row"),
  { name: "finished", type: "boolean", help: "whether its share has been worked off" },
  { name: "first_committed", type: "string", help: "when it first published", table: false },
  { name: "last_committed", type: "string", help: "when it last did" },
];

const bothFields: readonly FieldSpec[] = [
  ...stateFields,
  ...ledgerFields.filter((field) => !stateFields.includes(field)),
];

/** The command. */
export const recrawlStatus: CommandSpec<RecrawlStatusOptions, RecrawlStatusArguments> = {
  brief: "Show how far passes over work lists are, from their checkpoints and the fleet's ledgers",
  description: [
    "Reads each file beside the run that writes it, which is not disturbed. A checkpoint is as old as " +
    "the last files that were sealed: what has been fetched since is not in it.",
    "With --hub also what each machine of the fleet has published, from the ledgers in the dataset " +
    "repo: of the list that the checkpoints are of, of both lists without one, or as --kind or --repo " +
    "say. HF_TOKEN is needed only for a private repo.",
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
    hub: flag(false, "Show the ledgers of the fleet too"),
    kind: value(kindType, undefined, "With --hub: the list whose fleet is shown"),
    repo: value(repoType, undefined, "With --hub: the dataset repo that it publishes to"),
  },
  fields: bothFields,
  fieldsFor(options) {
    if (!options.hub) return stateFields;
    return statusFiles(options).length > 0 ? bothFields : ledgerFields;
  },
  examples: [
    ["ccrawl recrawl status --state domains.json", "one run, as a table"],
    ["ccrawl recrawl status --state domains.json --state urls.json", "several"],
    ["ccrawl recrawl status --state domains.json -o jsonl --fields part,row,age_s", "for a script"],
    ["ccrawl recrawl status --hub --kind domains", "what every machine has published"],
  ],
  check(options) {
    if (statusFiles(options).length === 0 && !options.hub) {
      throw new UsageError(
        "--state is needed",
        "give --state FILE, set CCRAWL_STATE, or ask the hub with --hub",
      );
    }
  },
};
