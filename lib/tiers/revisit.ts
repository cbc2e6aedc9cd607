/**
 * When a page is visited again, by what its visits have shown.
 *
 * @module
 */

/** What a visit showed; `unknown` where it failed, or was the first. */
export type VisitVerdict = "changed" | "unchanged" | "unknown";

/** An interval is within the base's quarter and its fourfold. */
const LEAST = 1 / 4, MOST = 4;
/** What it is multiplied by where the page had changed, and where it had not. */
const SOONER = 1 / 2, LATER = 3 / 2;

/**
 * Milliseconds to a page's next visit: half of those before where it had changed, half as many again where it had
 * not, within a quarter of `base` and four times as many.
 *
 * @param previous The interval before; undefined for a first visit, which is followed by `base`.
 * @param base The interval of the host's tier.
 */
export function nextInterval(
  previous: number | undefined,
  base: number,
  verdict: VisitVerdict,
): number {
  if (previous === undefined) return base;
  const factor = verdict === "changed" ? SOONER : verdict === "unchanged" ? LATER : 1;
  return Math.ceil(Math.min(base * MOST, Math.max(base * LEAST, previous * factor)));
}
