/**
 * How many pages a day each tier may take.
 *
 * @module
 */

import { INTERVAL_HOURS, type Tier } from "./tiers.ts";

/** Pages a day of all tiers together. */
export const PAGES_PER_DAY = 864_000_000;

/** A tier's share. */
export interface TierBudget {
  /** The tier. */
  readonly tier: Tier;
  /** Pages a day for it. */
  readonly pagesPerDay: number;
  /** Hosts in it. */
  readonly targetHosts: number;
  /** Hours between two passes; `null` for never. */
  readonly intervalHours: number | null;
}

/** Parts of the day's pages in ten thousands, and hosts, by tier. The rest of the day is unplanned. */
const SHARES: readonly (readonly [tier: Tier, share: number, hosts: number])[] = [
  [1, 230, 100_000],
  [2, 520, 900_000],
  [3, 930, 4_000_000],
  [4, 290, 5_000_000],
  [5, 0, 252_000_000],
];

/** The budget of {@linkcode PAGES_PER_DAY}, or of another number of pages, by tier. */
export function dailyBudget(pagesPerDay: number = PAGES_PER_DAY): TierBudget[] {
  return SHARES.map(([tier, share, targetHosts]) => ({
    tier,
    pagesPerDay: Math.round(pagesPerDay * share / 10_000),
    targetHosts,
    intervalHours: INTERVAL_HOURS[tier],
  }));
}
