/**
 * `index cdx`: the index by which a capture is found in archives.
 *
 * @module
 */

import type { CdxFormat } from "../../warc/build_cdx.ts";
import type { CommandSpec } from "../command.ts";
import { UsageError } from "../errors.ts";
import type { GlobalOptions } from "../options/global.ts";
import { value } from "../options/spec.ts";
import { choice, path } from "../options/types.ts";

/** Resolved options of `index cdx`. */
export interface IndexCdxOptions extends GlobalOptions {
  readonly format: CdxFormat;
  /** Path of one index for all; undefined for one beside each file. */
  readonly to: string | undefined;
}

/** Its arguments: files and folders, one or more. */
export interface IndexCdxArguments {
  readonly paths: readonly string[];
}

/** The command. */
export const indexCdx: CommandSpec<IndexCdxOptions, IndexCdxArguments> = {
  brief: "Index WARC files by URL and time, as CDXJ or CDX",
  description: [
    "Writes a sorted line for every response, revisit and resource record: its SURT key, its time, and " +
    "where it lies. Beside each file, with --to into one index of all, with -o raw to stdout. Sorting is done on disk, so that " +
    "memory does not follow the input.",
    "What is damaged is told with its offset and left out, and the exit code is 1; 3 when there is " +
    "nothing to index.",
  ],
  args: {
    usage: "PATH…",
    help: "WARC files, and folders of them",
    min: 1,
    max: Infinity,
    parse(paths) {
      if (!paths.includes("-")) return { paths };
      throw new UsageError(
        "an index says where records lie in a file, and stdin is none",
        "give the path of the file",
      );
    },
  },
  options: {
    format: value(choice<CdxFormat>(["cdxj", "cdx11"]), "cdxj", "Format of the lines"),
    to: value(
      path(),
      undefined,
      "Write one index of all files here",
    ),
  },
  fields: [
    { name: "file", type: "string", help: "archive file" },
    { name: "index", type: "string", help: "index that its captures are in" },
    { name: "lines", type: "integer", help: "captures of the file" },
    { name: "damaged", type: "integer", help: "damaged places in it" },
  ],
  check({ output, to }) {
    if (output !== "raw" || to === undefined) return;
    throw new UsageError(
      `-o raw writes the index to stdout, --to=${to} to a file`,
      "leave one out",
    );
  },
  raw: true,
  examples: [
    ["ccrawl index cdx warc/", "a .cdxj beside each file"],
    ["ccrawl index cdx warc/ --to all.cdxj", "one index of a folder"],
    [
      "ccrawl index cdx a.warc.gz b.warc.gz --format cdx11 -o raw | gzip > x.cdx.gz",
      "eleven columns",
    ],
  ],
};
