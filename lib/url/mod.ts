/**
 * URLs: canonical form, host and registered domain, shard, SURT key, traps and scope.
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
