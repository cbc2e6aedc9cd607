/**
 * URLs: canonical form, host and registered domain, shard, SURT key, traps and scope.
 *
 * @example Whether two URLs are one, and whose it is
 * ```ts
 * import { canonicalUrl, registeredDomain, shardOf } from "@ccrawl/cli/url";
 * import assert from "node:assert/strict";
 *
 * const url = canonicalUrl("HTTP://News.BBC.co.uk:80/a%7eb?utm_source=x#top");
 * assert.equal(url, "http://news.bbc.co.uk/a~b");
 * assert.equal(registeredDomain("news.bbc.co.uk"), "bbc.co.uk");
 * assert.equal(shardOf(url, 3), 0); // of three machines the first one crawls it
 * ```
 *
 * @module
 */

export { canonicalUrl, LinkCanonicalizer, MAX_BASE_CHARS, MAX_INPUT_CHARS } from "./canonical.ts";
export { hostOf, registeredDomain, suffixListHash } from "./host.ts";
export {
  expandPatterns,
  readPatternFile,
  Scope,
  type ScopeOptions,
  ScopePatternError,
} from "./scope.ts";
export { fnv1a64, shardOf, shardOfHost } from "./shard.ts";
export { surt } from "./surt.ts";
export { type TrapLimits, type TrapReason, trapReason } from "./traps.ts";
