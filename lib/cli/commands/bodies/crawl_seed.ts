/**
 * The work of `crawl seed`.
 *
 * @module
 */

import type { Tier } from "../../../sched/mod.ts";
import { rankStats, readSeeds } from "../../../seeds/mod.ts";
import type { CommandIo } from "../../command.ts";
import { ExitCode } from "../../errors.ts";
import type { CrawlSeedOptions } from "../crawl_seed.ts";
import { rankTable, rateStore, tellMalformed } from "./_ranks.ts";

/** A record a host, in the table's order. */
export async function run(options: CrawlSeedOptions, io: CommandIo): Promise<number> {
  const { output, signal } = io;
  // The rates first: they lie here, and the table may have to be waited for.
  using rates = options.rates === undefined ? undefined : await rateStore(options.rates, io);
  const table = await rankTable(options, io);
  const stats = rankStats();
  let seeds = 0;
  const found = readSeeds(table.read(), stats, {
    maxTier: options.maxTier as Tier,
    // With a limit of records nothing is read that would not be written.
    maxSeeds: Math.min(options.maxSeeds, output.left),
    ...(rates === undefined ? {} : { rates }),
  });
  for await (const batch of found) {
    if (output.takesLines) {
      if (!await output.lines(batch.lines(), batch.count)) break;
      seeds += batch.count;
    } else {
      for (let i = 0; i < batch.count && !signal.aborted; i++, seeds++) {
        if (!await output.write({ ...batch.at(i) })) break;
      }
    }
    if (signal.aborted) break;
  }
  tellMalformed(table, stats, io);
  if (!stats.ordered) {
    io.report.warn(`${table.name} is not in the order of its positions: seeds are not either`);
  }
  return seeds === 0 && !signal.aborted ? ExitCode.nothing : ExitCode.done;
}
