/**
 * The work of `sched assign`.
 *
 * @module
 */

import {
  assign,
  type HostFacts,
  hostsOfRanks,
  hostsOfSeeds,
  rankStats,
} from "../../../seeds/mod.ts";
import type { CommandIo } from "../../command.ts";
import { ExitCode } from "../../errors.ts";
import type { SchedAssignOptions } from "../sched_assign.ts";
import { badLines, inputBytes, rankTable, rateStore, tellMalformed } from "./_ranks.ts";

/** A record a host. */
export async function run(options: SchedAssignOptions, io: CommandIo): Promise<number> {
  const { output, signal } = io;
  let hosts: AsyncIterable<HostFacts>;
  let tell: () => void;
  if (options.seeds === undefined) {
    const table = await rankTable(options, io);
    const stats = rankStats();
    hosts = hostsOfRanks(table.read(), stats);
    tell = () => tellMalformed(table, stats, io);
  } else {
    const bad = badLines(options.seeds, "no host", io);
    hosts = hostsOfSeeds(inputBytes(options.seeds, io), bad.add);
    tell = bad.tell;
  }
  using rates = options.rates === undefined ? undefined : await rateStore(options.rates, io);
  let count = 0;
  for await (const found of assign(hosts, rates)) {
    if (signal.aborted) break;
    if (found.tier > options.maxTier) continue;
    count++;
    const wait = output.write({
      host: found.host,
      harmonic_pos: found.position,
      harmonic_val: found.harmonic,
      change_rate: found.rate,
      tier: found.tier,
      interval_h: found.intervalHours,
      score: found.score,
    });
    if (wait !== true && !await wait) break;
  }
  tell();
  return count === 0 && !signal.aborted ? ExitCode.nothing : ExitCode.done;
}
