/**
 * `version`: which ccrawl this is.
 *
 * @module
 */

import type { CommandSpec } from "../command.ts";
import type { GlobalOptions } from "../options/global.ts";

/** The command. */
export const version: CommandSpec<GlobalOptions, object> = {
  brief: "Show the version, the commit it was built from, and the runtime's versions",
  options: {},
  fields: [
    { name: "version", type: "string", help: "version of ccrawl" },
    { name: "commit", type: "string", help: "commit it was built from, empty when not known" },
    { name: "deno", type: "string", help: "version of Deno" },
    { name: "v8", type: "string", help: "version of V8" },
    { name: "typescript", type: "string", help: "version of TypeScript" },
  ],
  examples: [
    ["ccrawl version", "for people"],
    ["ccrawl version -o jsonl", "for scripts"],
  ],
};
