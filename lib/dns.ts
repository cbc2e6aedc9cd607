/**
 * Names to addresses: a resolver that races name servers and keeps what they said for as long as they said.
 *
 * @example Ask the system's name servers and the public ones
 * ```ts ignore
 * import { FetchError, Resolver } from "@ccrawl/cli/dns";
 *
 * using resolver = new Resolver();
 * try {
 *   console.log(await resolver.resolve("example.com"));
 * } catch (error) {
 *   if (error instanceof FetchError) console.log(error.reason); // nxdomain, no-address, resolver
 * }
 * ```
 *
 * @example A literal address asks nobody
 * ```ts
 * import { Resolver } from "@ccrawl/cli/dns";
 * import assert from "node:assert/strict";
 *
 * using resolver = new Resolver({ servers: [] });
 * assert.deepEqual(await resolver.resolve("192.0.2.1"), ["192.0.2.1"]);
 * assert.equal(resolver.stats.lookedUp, 0);
 * ```
 *
 * @module
 */

export {
  type FailureKind,
  FetchError,
  type FetchErrorOptions,
  type NameServer,
  parseNameServer,
  type ResolveOptions,
  Resolver,
  type ResolverOptions,
  type ResolverStats,
} from "./net/mod.ts";
