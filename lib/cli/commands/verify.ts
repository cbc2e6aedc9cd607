/**
 * `verify`: check what a run wrote.
 *
 * @module
 */

import type { CommandSpec } from "../command.ts";
import type { GlobalOptions } from "../options/global.ts";
import { value } from "../options/spec.ts";
import { path } from "../options/types.ts";

/** Resolved options of `verify`. */
export interface VerifyOptions extends GlobalOptions {
  readonly state: string | undefined;
}

/** Its arguments: files and folders, one or more. */
export interface VerifyArguments {
  readonly paths: readonly string[];
}

/** The command. */
export const verify: CommandSpec<VerifyOptions, VerifyArguments> = {
  brief: "Check WARC files, captures, and what belongs to them",
  description: [
    "Checks structure, digests, linkage, revisit targets and truncated tails of WARC files, and " +
    "CDXJ against WARC; schema, footers, lengths and digests of captures, and that no two parts of a " +
    "run hold the same rows. With --state, that every URL a crawl calls done has its record, or that a " +
    "recrawl's parts hold what it takes for done. What is damaged is reported with file and offset, and " +
    "the next whole record is read. Exit 1 if there is any fault.",
  ],
  args: {
    usage: "PATH…",
    help: "files, and folders of them",
    min: 1,
    max: Infinity,
    complete: "files",
    parse: (paths) => ({ paths }),
  },
  options: {
    state: value(path(), undefined, "State of the run that wrote the files"),
  },
  fields: [
    { name: "file", type: "string", help: "file with the fault" },
    { name: "offset", type: "integer", help: "byte offset of the record" },
    { name: "fault", type: "string", help: "kind of fault" },
    { name: "detail", type: "string", help: "what was found and what was expected" },
  ],
  examples: [
    ["ccrawl verify warc/", "every WARC file and CDXJ of a folder"],
    ["ccrawl verify warc/ --state crawl.db", "and that every done URL has its record"],
    ["ccrawl verify captures/ --state domains.json", "a recrawl's parts, and its checkpoint"],
  ],
};
