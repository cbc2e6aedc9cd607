/**
 * The command line as a program starts it.
 *
 * @module
 */

import { main as run } from "./app.ts";

/**
 * Runs ccrawl in this process, with its arguments as the shell gives them.
 *
 * @returns The exit code; see docs/exit-codes.md. Errors are told on stderr and never thrown.
 */
export function main(args: readonly string[]): Promise<number> {
  return run(args);
}
