/**
 * ccrawl: a polite, resumable crawler that writes WARC.
 *
 * Fetch a page as a well-behaved crawler does ({@linkcode fetchPage}), crawl from seeds through a
 * frontier that survives a kill ({@linkcode crawl}), read and check what came out
 * ({@linkcode readWarc}, {@linkcode verifyPaths}), or use a part alone: robots.txt, WARC, the
 * frontier, the resolver, canonical URLs.
 *
 * Run as a program it is the command line: `deno run -A jsr:@ccrawl/cli crawl fetch example.com`.
 *
 * @example Crawl a list into an archive
 * ```ts ignore
 * import { crawl } from "@ccrawl/cli";
 *
 * await using run = crawl({ seeds: ["https://example.com/"], state: "crawl.db", warc: "warc/" });
 * for await (const page of run) console.log(page.status, page.url);
 * ```
 *
 * @module
 */

export * from "./lib/engine/mod.ts";
export * from "./lib/robots/mod.ts";
export * from "./lib/warc/mod.ts";
export {
  canonicalUrl,
  hostOf,
  LinkCanonicalizer,
  registeredDomain,
  Scope,
  ScopePatternError,
  shardOf,
  surt,
} from "./lib/url/mod.ts";
export {
  type Exchange,
  type ExchangeRequest,
  type FailureKind,
  FetchError,
  HttpClient,
  type HttpClientOptions,
  isGlobalAddress,
  Resolver,
  type ResolverOptions,
  type Truncation,
} from "./lib/net/mod.ts";
export {
  type Frontier,
  FrontierError,
  type FrontierOptions,
  openFrontier,
  StateLockedError,
} from "./lib/frontier/mod.ts";
export type { CrawlFigures } from "./lib/report/mod.ts";
export { VERSION } from "./lib/version.ts";

if (import.meta.main) {
  const { main } = await import("./lib/cli/mod.ts");
  Deno.exitCode = await main(Deno.args);
}
