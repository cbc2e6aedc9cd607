/**
 * Tiers: how often a host is worth coming back to.
 *
 * @module
 */

/** 1 is crawled every day, 5 never again. */
export type Tier = 1 | 2 | 3 | 4 | 5;

/** Change rate of a host of which none is known. */
export const ASSUMED_RATE = 0.5;

/** Hours between two passes by tier; tier 5 has none. */
export const INTERVAL_HOURS: Readonly<Record<Tier, number | null>> = {
  1: 24,
  2: 72,
  3: 168,
  4: 720,
  5: null,
};

/** The last rank position that can be in a tier, whatever its change rate. */
export const LAST_POSITION: Readonly<Record<Tier, number>> = {
  1: 100_000,
  2: 1_000_000,
  3: 5_000_000,
  4: 10_000_000,
  5: Infinity,
};

/**
 * The tier of a host.
 *
 * @param position Its place in the order of harmonic centrality, from 1; 0 where it is not known.
 * @param rate Share of its pages that change between two passes, 0 to 1.
 */
export function tierOf(position: number, rate: number): Tier {
  if (position < 1) return rate >= 0.5 ? 3 : rate >= 0.2 ? 4 : 5;
  if (position <= LAST_POSITION[1] && rate > 0.8) return 1;
  if (position <= LAST_POSITION[2] && rate >= 0.5) return 2;
  if (position <= LAST_POSITION[3] && rate >= 0.2) return 3;
  return position <= LAST_POSITION[4] ? 4 : 5;
}

/**
 * What a host is worth within its tier: its change rate times the logarithm of one plus its harmonic
 * centrality.
 */
export function scoreOf(rate: number, harmonic: number): number {
  return rate * Math.log1p(Math.max(0, harmonic));
}
