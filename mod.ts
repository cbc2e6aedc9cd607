/**
 * ccrawl: a polite, resumable crawler that writes WARC.
 *
 * Fetch a page as a well-behaved crawler does ({@linkcode fetchPage}), crawl from seeds through a
 * frontier that survives a kill ({@linkcode crawl}), read, write and check archives
 * ({@linkcode readWarc}, {@linkcode WarcWriter}, {@linkcode verifyPaths}), obey robots.txt
 * ({@linkcode parseRobots}). What these are made of has doors of its own: `@ccrawl/cli/capture`, `/crawl`,
 * `/dns`, `/fetch`, `/frontier`, `/parse`, `/publish`, `/recrawl`, `/render`, `/robots`, `/schedule`, `/search`, `/seeds`,
 * `/sitemap`, `/url`, `/warc`, `/worklist`.
 *
 * Run as a program it is the command line: `deno run -A jsr:@ccrawl/cli crawl fetch example.com`.
 *
 * @example Crawl a list into an archive
 * ```ts ignore
 * import { crawl } from "@ccrawl/cli";
 *
 * await using run = crawl({ seeds: ["https://example.com/"], state: "crawl.db", warc: "warc/" });
 * for await (const page of run) console.log(page.status, page.url); // durable when it comes
 * ```
 *
 * @example Ask a robots.txt
 * ```ts
 * import { parseRobots } from "@ccrawl/cli";
 * import assert from "node:assert/strict";
 *
 * const rules = parseRobots(new TextEncoder().encode("User-agent: *\nDisallow: /private/"));
 * assert.equal(rules.check("examplebot", "https://example.com/private/").allowed, false);
 * ```
 *
 * @module
 */

export * from "./lib/crawl.ts";
export {
  archivePage,
  type ArchivePageOptions,
  type CharsetSource,
  type DecodedText,
  decodeText,
  type DecodeTextOptions,
  type Exchange,
  type FailureKind,
  type FetchedPage,
  FetchError,
  type FetchErrorOptions,
  fetchPage,
  type FetchPageOptions,
  type PageFacts,
  type Sitemap,
  type SitemapEntry,
  type SitemapKind,
  type Truncation,
} from "./lib/fetch.ts";
export {
  parseRobots,
  type ParseRobotsOptions,
  Robots,
  type RobotsVerdict,
} from "./lib/robots/mod.ts";
export {
  type ArchivedExchange,
  type OtherRecord,
  readWarc,
  readWarcFile,
  type ReadWarcOptions,
  type RecordReference,
  type SealedFile,
  type SurtFunction,
  type WarcDamage,
  WarcFormatError,
  type WarcFs,
  WarcHeaders,
  type WarcRecord,
  type WarcRecordHead,
  WarcWriteError,
  WarcWriter,
  type WarcWriterOptions,
  type WrittenExchange,
  type WrittenRecord,
} from "./lib/warc/mod.ts";
export { canonicalUrl, registeredDomain, shardOf, surt } from "./lib/url/mod.ts";
export { VERSION } from "./lib/version.ts";

if (import.meta.main) {
  const { main } = await import("./lib/cli/mod.ts");
  Deno.exit(await main(Deno.args)); // as cli.ts does
}
