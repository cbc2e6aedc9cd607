/**
 * The work of `sched diff`.
 *
 * @module
 */

import { diffSnapshots, diffStatement, diffStats, tierOf } from "../../../sched/mod.ts";
import type { CommandIo } from "../../command.ts";
import { ExitCode } from "../../errors.ts";
import type { SchedDiffArguments, SchedDiffOptions } from "../sched_diff.ts";
import { tellWait } from "./_events.ts";

/** A record a host; or the statement for it. */
export async function run(
  options: SchedDiffOptions & SchedDiffArguments,
  io: CommandIo,
): Promise<number> {
  const { output, report, signal } = io;
  const { older, newer } = options;
  const how = {
    hosts: options.host,
    domains: options.domain,
    minUrls: options.minUrls,
    way: options.way,
    dataEndpoint: options.dataEndpoint,
    userAgent: options.userAgent,
    signal,
    onMessage: (text: string) => report.message(text),
    onWait: (ms: number, reason: string) => tellWait(ms, reason, io),
    ...(options.scratch === undefined ? {} : { scratch: options.scratch }),
    ...(options.timeout === undefined ? {} : { idle: options.timeout }),
  };
  if (options.printSql !== undefined) {
    const statement = await diffStatement(older, newer, options.printSql, how);
    await io.host.stdout.write(new TextEncoder().encode(`${statement};\n`));
    return ExitCode.done;
  }
  const stats = diffStats();
  let hosts = 0;
  for await (const { host, total, changed } of diffSnapshots(older, newer, stats, how)) {
    if (signal.aborted) break;
    const rate = changed / total;
    const wait = output.write({
      host,
      total_urls: total,
      changed_urls: changed,
      change_rate: rate,
      tier: tierOf(0, rate),
    });
    if (wait !== true && !await wait) break;
    hosts++;
  }
  const number = (value: number, what: string) =>
    `${value.toLocaleString("en")} ${what}${value === 1 ? "" : "s"}`;
  report.message(
    `${number(stats.rows, "row")}, ${number(stats.compared, "URL")} in both, ` +
      `${stats.changed.toLocaleString("en")} changed, ${number(hosts, "host")}`,
  );
  if (stats.skipped > 0) {
    const were = stats.skipped === 1 ? "was" : "were";
    report.warn(
      `${number(stats.skipped, "URL")} ${were} left out: too many share one url_surtkey`,
    );
  }
  return hosts === 0 && !signal.aborted ? ExitCode.nothing : ExitCode.done;
}
