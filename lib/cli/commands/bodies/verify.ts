/**
 * The work of `verify`.
 *
 * @module
 */

import { verifyPaths } from "../../../engine/mod.ts";
import type { CommandIo } from "../../command.ts";
import { CommandError, ExitCode } from "../../errors.ts";
import type { VerifyArguments, VerifyOptions } from "../verify.ts";

/** Check files, a record a fault. */
export async function run(
  options: VerifyOptions & VerifyArguments,
  io: CommandIo,
): Promise<number> {
  let faults = 0;
  try {
    const found = verifyPaths(options.paths, {
      ...(options.state === undefined ? {} : { state: options.state }),
      onGone: (names) => tellGone(names, options.verbose, io),
    });
    for await (const fault of found) {
      faults++;
      if (!await io.output.write({ ...fault }) || io.signal.aborted) break;
    }
  } catch (cause) {
    if (!(cause instanceof RangeError) && (cause as { code?: string }).code !== "ENOENT") {
      throw cause;
    }
    const path = (cause as { path?: string }).path ?? options.paths.join(", ");
    throw new CommandError(
      cause instanceof RangeError ? cause.message : `Cannot verify ${path}: there is no such file`,
      ExitCode.error,
      undefined,
      { cause },
    );
  }
  if (faults === 0) io.report.message("no fault found");
  return faults === 0 ? ExitCode.done : ExitCode.error;
}

/** That a publisher took parts is as it should be, and worth a line. */
function tellGone(names: readonly string[], verbose: boolean, { report }: CommandIo): void {
  const are = names.length === 1 ? "is" : "are";
  report.message(
    `${names.length} of the state's parts ${are} not there: published and deleted, or kept elsewhere`,
  );
  if (verbose) { for (const name of names) report.message(`not there: ${name}`); }
}
