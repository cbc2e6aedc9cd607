/** The command lines of the build scripts. */

import { parseArgs, type ParseArgsConfig } from "node:util";

/** Options as parseArgs reads them; `--help` prints `help` and ends, what is wrong ends with 2. */
export function readOptions<T extends NonNullable<ParseArgsConfig["options"]>>(
  options: T,
  help: string,
): ReturnType<typeof parseArgs<{ options: T }>>["values"] {
  if (Deno.args.includes("--help") || Deno.args.includes("-h")) {
    console.log(help);
    Deno.exit(0);
  }
  try {
    return parseArgs({ args: Deno.args, options }).values;
  } catch (error) {
    usage((error as Error).message);
  }
}

/** The command line is wrong. */
export function usage(message: string): never {
  console.error(message);
  Deno.exit(2);
}
