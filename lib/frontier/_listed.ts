/**
 * How many sitemaps lie between a URL and the site that it was listed by. It is kept in one number with
 * the depth, so that it is wherever the depth is: in the queue, in the journal, in the tables.
 *
 * @module
 */

import { FrontierError } from "./errors.ts";

/** Depths are below. */
const LEVEL = 2 ** 24;
/** Levels are told apart up to this one. */
const MAX_LEVEL = 255;

/**
 * Depth and level as one number.
 *
 * @throws {FrontierError} When the depth is too large.
 */
export function foldDepth(depth: number, listed = 0): number {
  if (depth >= LEVEL) {
    throw new FrontierError(`Cannot use the depth ${depth}: it must be below ${LEVEL}.`);
  }
  return depth + Math.min(listed, MAX_LEVEL) * LEVEL;
}

/** The depth of such a number. */
export function depthOf(folded: number): number {
  return folded % LEVEL;
}

/** The level of such a number; 0 where no sitemap listed the URL. */
export function levelOf(folded: number): number {
  return Math.floor(folded / LEVEL);
}
