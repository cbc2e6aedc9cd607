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
