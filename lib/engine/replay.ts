/**
 * How much work a kill can cost.
 *
 * @module
 */

/**
 * Pages that may be answered and not yet committed, at most: their records wait to be synced, or their
 * ends and links to be committed. Nothing more is fetched until some are.
 */
export const MAX_UNCOMMITTED = 1024;

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

/**
 * The replay bound of a recrawl: rows that it fetches again, at most, after it was killed once. They are
 * those that were not in a sealed part: in flight, in the queues, or in the parts that were open, all of
 * which are sealed as soon as one is full. However far one host lags behind, and whether or not the
 * checkpoint had been written since the last seal, no row of a sealed part is fetched again.
 *
 * It is also no more than what is fetched in `sealAfterMs`, the longest that a part stays open.
 *
 * @param options `rowBytes` is the least that a row takes before compression; a failure takes some 600
 * bytes, a page its body, its Markdown and its text.
 */
export function recrawlReplayBound(options: {
  readonly workers: number;
  readonly maxStalled?: number;
  readonly writers: number;
  readonly shardSize: number;
  readonly queueBytes: number;
  readonly rowBytes: number;
}): number {
  const { workers, maxStalled = 16 * workers, writers, shardSize, queueBytes, rowBytes } = options;
  return workers + maxStalled + Math.ceil((writers * shardSize + queueBytes) / rowBytes);
}
