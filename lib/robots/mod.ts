/**
 * robots.txt: parsing and matching by RFC 9309, and a cache of every host's.
 *
 * @module
 */

export { RobotsCache, robotsLifetime } from "./cache.ts";
export type {
  RobotsCacheOptions,
  RobotsCacheStats,
  RobotsState,
  RobotsStore,
  RobotsVerdictSource,
} from "./cache.ts";
export { MAX_CRAWL_DELAY, PARSE_LIMIT, parseRobots, productToken, Robots } from "./parse.ts";
export type { ParseRobotsOptions, RobotsVerdict } from "./parse.ts";
export type { RobotsAnswer, RobotsFailure } from "./types.ts";
