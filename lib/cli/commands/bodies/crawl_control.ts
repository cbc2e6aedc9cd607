/**
 * The work of `crawl control`.
 *
 * @module
 */

import { sendControl } from "../../../frontier/mod.ts";
import type { CommandIo } from "../../command.ts";
import { ExitCode } from "../../errors.ts";
import type { CrawlControlArguments, CrawlControlOptions } from "../crawl_control.ts";

/** Leave the command for the crawl to find. */
export async function run(
  options: CrawlControlOptions & CrawlControlArguments,
  io: CommandIo,
): Promise<number> {
  await sendControl(options.state, options.command);
  const { verb, host } = options.command;
  io.report.message(
    `${verb}${host === undefined ? "" : ` ${host}`} is said to the crawl of ${options.state}: ` +
      "one that runs does it within a second, else the next one does",
  );
  return ExitCode.done;
}
