/**
 * The work of `version`.
 *
 * @module
 */

import { commit, VERSION } from "../../../version.ts";
import type { CommandIo } from "../../command.ts";
import { ExitCode } from "../../errors.ts";
import type { GlobalOptions } from "../../options/global.ts";

/** Write the one record. */
export async function run(_options: GlobalOptions, io: CommandIo): Promise<number> {
  await io.output.write({
    version: VERSION,
    commit: commit() ?? "",
    deno: Deno.version.deno,
    v8: Deno.version.v8,
    typescript: Deno.version.typescript,
  });
  return ExitCode.done;
}
