/**
 * The command line, whole: from words to an exit code.
 *
 * @module
 */

import { parseCommandLine } from "./_command_line.ts";
import type { RegisteredCommand } from "./command.ts";
import { commands as registered, groups } from "./commands/registry.ts";
import { describeError, exitCodeOf } from "./errors.ts";
import { type CliHost, processHost } from "./host.ts";

/**
 * Run ccrawl with `args`, as the shell gives them.
 *
 * Only what the command needs is loaded: help loads neither the scanner nor any command's work.
 *
 * @returns the exit code; see docs/exit-codes.md. Errors are told on stderr and never thrown.
 */
export async function main(
  args: readonly string[],
  host: CliHost = processHost(),
  commands: readonly RegisteredCommand[] = registered,
): Promise<number> {
  try {
    const line = parseCommandLine(args, commands);
    if (line.help || line.command === undefined) {
      const { commandHelp, groupHelp } = await import("./help.ts");
      const text = line.command === undefined
        ? groupHelp(line.path, commands, groups)
        : commandHelp(line.command);
      await host.stdout.write(new TextEncoder().encode(text));
      return 0;
    }
    const { execute } = await import("./execute.ts");
    return await execute(line.command, line.rest, host, commands);
  } catch (error) {
    // The reader of help has gone (`ccrawl --help | head -1`).
    if (error instanceof Deno.errors.BrokenPipe) return 0;
    const verbose = args.some((word) => word === "-v" || word === "--verbose");
    for (const text of describeError(error, verbose)) host.stderr.write(`${text}\n`);
    return exitCodeOf(error);
  }
}
