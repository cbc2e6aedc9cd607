/**
 * How many sitemaps lie between a URL and the site that it was listed by, and how many redirects lead to
 * it. Both are kept in one number with the depth, so that they are wherever the depth is: in the queue, in
 * the journal, in the tables.
 *
 * @module
 */

import { FrontierError } from "./errors.ts";

/** Redirects that are followed one after the other; there are sites where they never end. */
export const MAX_REDIRECTS = 5;
/** Depths are below. */
const HOP = 2 ** 21;
const LEVEL = 2 ** 24;
/** Levels are told apart up to this one. */
const MAX_LEVEL = 255;

/**
 * Depth, level, and redirects that lead there as one number.
 *
 * @throws {FrontierError} When the depth is too large.
 */
export function foldDepth(depth: number, listed = 0, redirects = 0): number {
  if (depth >= HOP) {
    throw new FrontierError(`Cannot use the depth ${depth}: it must be below ${HOP}.`);
  }
  return depth + redirects * HOP + Math.min(listed, MAX_LEVEL) * LEVEL;
}

/** The depth of such a number. */
export function depthOf(folded: number): number {
  return folded % HOP;
}

/** The redirects of such a number. */
export function redirectsOf(folded: number): number {
  return Math.floor(folded / HOP) % (LEVEL / HOP);
}

/** The level of such a number; 0 where no sitemap listed the URL. */
export function levelOf(folded: number): number {
  return Math.floor(folded / LEVEL);
}
