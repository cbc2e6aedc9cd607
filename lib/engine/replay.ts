/**
 * How much work a kill can cost.
 *
 * @module
 */

/**
 * Pages that may be answered and not yet committed, at most: their records wait to be synced, or their
 * ends and links to be committed. Nothing more is fetched until some are.
 */
export const MAX_UNCOMMITTED = 2048;

/**
 * The replay bound: pages that a crawl fetches again, at most, after it was killed once. They are those
 * that were in flight and those that were answered and not yet committed; everything else is in the
 * archive and in the state, and is never fetched again.
 *
 * At a disk's usual pace it is far fewer: what the crawl fetches in about a third of a second.
 */
export function replayBound(
  options: { readonly workers: number; readonly maxStalled?: number },
): number {
  const { workers, maxStalled = 16 * workers } = options;
  return workers + maxStalled + MAX_UNCOMMITTED;
}
