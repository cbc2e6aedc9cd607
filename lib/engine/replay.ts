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

/** Silent requests that go on beside so many workers, at most, where nothing else was asked for. */
export function mostStalled(workers: number): number {
  return Math.min(64 * workers, 8192);
}

/**
 * The replay bound: pages that a crawl fetches again, at most, after it was killed once. They are those
 * that were in flight and those that were answered and not yet committed; everything else is in the
 * archive and in the state, and is never fetched again.
 *
 * Where no host is silent it is far fewer: what the crawl fetches in about a third of a second.
 */
export function replayBound(
  options: { readonly workers: number; readonly maxStalled?: number },
): number {
  const { workers, maxStalled = mostStalled(workers) } = options;
  return workers + maxStalled + MAX_UNCOMMITTED;
}
