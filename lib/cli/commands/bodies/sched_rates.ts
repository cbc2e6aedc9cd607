/**
 * The work of `sched rates`.
 *
 * @module
 */

import { estimateRates, tierOf } from "../../../sched/mod.ts";
import type { CommandIo } from "../../command.ts";
import { ExitCode } from "../../errors.ts";
import type { SchedRatesArguments, SchedRatesOptions } from "../sched_rates.ts";
import { badLines } from "./_ranks.ts";

/** A record a host, by name. */
export async function run(
  options: SchedRatesOptions & SchedRatesArguments,
  io: CommandIo,
): Promise<number> {
  const { output, signal } = io;
  const bad = new Map<string, ReturnType<typeof badLines>>();
  const found = estimateRates(options.inputs, {
    days: options.days,
    minVisits: options.minVisits,
    signal,
    onBad(path, line) {
      let lines = bad.get(path);
      if (lines === undefined) bad.set(path, lines = badLines(path, "no host's changes", io));
      lines.add(line);
    },
    ...(options.scratch === undefined ? {} : { scratch: options.scratch }),
  });
  let hosts = 0;
  for await (const rate of found) {
    const wait = output.write({
      host: rate.host,
      total_urls: rate.totalUrls,
      visits: rate.visits,
      changed_visits: rate.changedVisits,
      changes_per_day: rate.changesPerDay,
      change_rate: rate.rate,
      tier: tierOf(0, rate.rate),
    });
    if (wait !== true && !await wait) break;
    hosts++;
  }
  for (const lines of bad.values()) lines.tell();
  if (hosts === 0 && !signal.aborted) {
    io.report.message("no URL was visited twice");
    return ExitCode.nothing;
  }
  return ExitCode.done;
}
