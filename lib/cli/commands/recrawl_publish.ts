/**
 * `recrawl publish`: what a recrawl has sealed goes to a dataset repo of the hub.
 *
 * @module
 */

import { isRepoName } from "../../hub/options.ts";
import { defaultRepo, type RecrawlKind, serverName } from "../../publish/names.ts";
import type { CommandSpec } from "../command.ts";
import { UsageError } from "../errors.ts";
import { type GlobalOptions, timeoutType } from "../options/global.ts";
import { computed, flag, required, value } from "../options/spec.ts";
import { choice, count, duration, type OptionType, path } from "../options/types.ts";

/** Resolved options of `recrawl publish`. Durations are milliseconds. */
export interface RecrawlPublishOptions extends GlobalOptions {
  readonly kind: RecrawlKind;
  /** Folder that the run writes into. */
  readonly dir: string;
  /** Path of the run's checkpoint. */
  readonly state: string;
  /** `owner/name`. */
  readonly repo: string;
  /** Name of this machine in the names of files. */
  readonly server: string;
  /** Undefined for the state's own. */
  readonly shard: number | undefined;
  readonly shards: number | undefined;
  /** Most parts of one commit. */
  readonly commitEvery: number;
  /** Between two looks; 0 looks once. */
  readonly watch: number;
  readonly keep: boolean;
  readonly private: boolean;
  readonly push: boolean;
  readonly timeout: number;
}

/** `owner/name`. */
export const repoType: OptionType<string> = {
  placeholder: "OWNER/NAME",
  parse(text: string): string {
    if (isRepoName(text)) return text;
    throw new RangeError("not a repo; write owner/name");
  },
  format: (name) => name,
};

const serverType: OptionType<string> = {
  placeholder: "NAME",
  parse: serverName,
  format: (name) => name,
};

/** The lists that are recrawled. */
export const kindType: OptionType<RecrawlKind> = choice<RecrawlKind>(["domains", "urls"]);

/** The command. */
export const recrawlPublish: CommandSpec<RecrawlPublishOptions, object> = {
  brief: "Publish what a recrawl has finished to a dataset repo, and delete it here",
  description: [
    "Takes the files that the run's state names, in order, and commits them with this machine's ledger " +
    "and the dataset's card, which is made from the ledgers of all machines. A file is deleted when the " +
    "hub has it. The run may go on beside it, and files are named after what is in them: whatever is " +
    "stopped or killed when, each is published once.",
    "The hub is that of HF_ENDPOINT (https://huggingface.co), the credential HF_TOKEN, which must be able " +
    "to write to the repo. It is sent to the hub alone, and shown nowhere.",
  ],
  options: {
    kind: required(kindType, "The list that was recrawled"),
    dir: value(path("DIR"), "recrawl/", "Folder that the run writes into"),
    state: required(path(), "File that holds the run's checkpoint"),
    repo: computed(
      repoType,
      "open-index/ccrawl-recrawl-KIND",
      (values) => defaultRepo(values.kind as RecrawlKind),
      "Dataset repo to publish to; it is made where there is none",
    ),
    server: computed(
      serverType,
      "the host's name",
      () => serverName(Deno.hostname()),
      "Name of this machine in the names of files: a to z, digits, _ and -",
    ),
    shard: value(count(), undefined, "The run's share, to be sure; the state's own when not given"),
    shards: value(count({ min: 1, max: 65_536 }), undefined, "How many shares there are; likewise"),
    commitEvery: value(count({ min: 1, max: 100 }), 4, "Most files of one commit"),
    watch: value(
      duration(),
      0,
      "Look again after so long, until the run is done and all of it is published; 0 looks once",
    ),
    keep: flag(false, "Leave files where they are when they are published"),
    private: flag(false, "Make the repo a private one, where it is made"),
    push: flag(
      true,
      "Publish nothing; put the card and the ledger as they would be into STATE.preview/",
    ),
    timeout: value(timeoutType, 30_000, "Give a request up when nothing has moved for so long"),
  },
  fields: [
    { name: "part", type: "string", help: "name of the file on disk" },
    { name: "path", type: "string", help: "its path in the repo" },
    { name: "rows", type: "integer", help: "rows in it" },
    { name: "bytes", type: "integer", help: "its size" },
    { name: "sha256", type: "string", help: "SHA-256 of it, hex", table: false },
    {
      name: "outcome",
      type: "string",
      help: "published now, present on the hub before, or pending with --no-push",
    },
    { name: "commit", type: "string", help: "commit that it was found in", table: false },
  ],
  examples: [
    [
      "ccrawl recrawl publish --kind domains --dir captures/ --state domains.json --watch 60s",
      "beside a run, until it is done",
    ],
    [
      "ccrawl recrawl publish --kind urls --state urls.json --repo me/captures --private",
      "what is there now, to a repo of one's own",
    ],
    [
      "ccrawl recrawl publish --kind urls --state urls.json --no-push",
      "what would be published, and the card",
    ],
  ],
  check({ shard, shards, keep, push, watch }) {
    if (shard !== undefined && shards !== undefined && shard >= shards) {
      throw new UsageError(
        `--shard=${shard}: there are ${shards} shards, numbered from 0`,
        `give --shard 0 to ${shards - 1}`,
      );
    }
    if (!push && watch > 0) {
      throw new UsageError("--watch and --no-push: there is nothing to wait for", "leave one out");
    }
    if (!push && keep) {
      throw new UsageError(
        "--keep and --no-push: nothing is deleted that is not published",
        "leave one out",
      );
    }
  },
};
