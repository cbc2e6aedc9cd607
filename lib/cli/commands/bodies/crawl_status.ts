/**
 * The work of `crawl status`.
 *
 * @module
 */

import { rfc3339 } from "../../../engine/mod.ts";
import { readStats } from "../../../frontier/mod.ts";
import { dailyBudget } from "../../../sched/mod.ts";
import type { CommandIo } from "../../command.ts";
import { ExitCode } from "../../errors.ts";
import type { CrawlStatusOptions } from "../crawl_status.ts";

/** One record: the figures of a state. Or one a tier: the budget. */
export async function run(options: CrawlStatusOptions, io: CommandIo): Promise<number> {
  if (options.state === undefined) {
    for (const budget of dailyBudget()) {
      await io.output.write({
        tier: budget.tier,
        pages_per_day: budget.pagesPerDay,
        target_hosts: budget.targetHosts,
        interval_hours: budget.intervalHours,
      });
    }
    return ExitCode.done;
  }
  const stats = await readStats(options.state);
  await io.output.write({
    queued: stats.queued,
    in_flight: stats.leased,
    done: stats.answered,
    failed: stats.failed,
    failed_by_class: stats.failedBy,
    skipped: stats.skipped,
    skipped_by_reason: stats.skippedBy,
    known: stats.known,
    hosts: stats.hosts,
    active_hosts: stats.activeHosts,
    blocked_hosts: stats.blockedHosts,
    excluded_hosts: stats.excludedHosts,
    oldest_due: stats.oldestDue === undefined ? "" : rfc3339(stats.oldestDue),
    revisits_waiting: stats.visits?.waiting ?? 0,
    revisits_due: stats.visits?.due ?? 0,
    next_revisit: stats.visits?.next === undefined ? "" : rfc3339(stats.visits.next),
    pages_per_second: Math.round(stats.pagesPerSecond * 10) / 10,
    paused: stats.paused,
  });
  return ExitCode.done;
}
