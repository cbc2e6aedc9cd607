/**
 * robots.txt: parsing and matching by RFC 9309, and a cache of every host's.
 *
 * @example May this be fetched, and how soon after the last
 * ```ts
 * import { parseRobots } from "@ccrawl/cli/robots";
 * import assert from "node:assert/strict";
 *
 * const file = "User-agent: examplebot\nCrawl-delay: 5\nDisallow: /private/\nAllow: /private/open";
 * const rules = parseRobots(new TextEncoder().encode(file));
 * const verdict = rules.check("examplebot/1.0", "https://example.com/private/x");
 * assert.deepEqual(verdict, { allowed: false, line: 3, rule: "Disallow: /private/", crawlDelay: 5 });
 * ```
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
