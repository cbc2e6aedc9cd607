/**
 * The schedule: tiers, the day's budget, and how often pages change.
 *
 * @example How often a host is worth a visit
 * ```ts
 * import { INTERVAL_HOURS, scoreOf, tierOf } from "@ccrawl/cli/schedule";
 * import assert from "node:assert/strict";
 *
 * const tier = tierOf(50_000, 0.9); // position by harmonic centrality, and how often it changes
 * assert.equal(tier, 1);
 * assert.equal(INTERVAL_HOURS[tier], 24);
 * assert.ok(scoreOf(0.9, 2e7) > scoreOf(0.5, 2e7));
 * ```
 *
 * @module
 */

export { dailyBudget, PAGES_PER_DAY, type TierBudget } from "../tiers/budget.ts";
export {
  ASSUMED_RATE,
  INTERVAL_HOURS,
  LAST_POSITION,
  scoreOf,
  type Tier,
  tierOf,
} from "../tiers/tiers.ts";
export { nextInterval, type VisitVerdict } from "../tiers/revisit.ts";
export { RatesError, SnapshotError, SnapshotOrderError } from "./errors.ts";
export { type DiffOptions, diffSnapshots, diffStatement, diffStats } from "./diff.ts";
export type { DiffStats, HostChanges } from "./_merge.ts";
export type { HostSelection } from "./key_ranges.ts";
export { DIFF_WAYS, type DiffWay, SQL_DIALECTS, type SqlDialect } from "./ways.ts";
export { RateStore } from "./rate_store.ts";
export { changedShare, VisitHistory } from "./estimate.ts";
export {
  type EstimatedRate,
  type EstimateOptions,
  estimateRates,
  RATE_DAYS,
  type RateInput,
} from "./rates.ts";
export {
  type BadRate,
  type HostRate,
  type HostTally,
  readHostRates,
  readHostTallies,
} from "./rates_file.ts";
export type { RemoteOptions } from "../worklist/mod.ts";
