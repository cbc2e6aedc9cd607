/**
 * Fetching and crawling: one page, or a web of them.
 *
 * @module
 */

export { archivePage, type ArchivePageOptions } from "./archive_page.ts";
export { crawl, CrawlRun } from "./crawl.ts";
export type { CrawlEvent, CrawlLink, CrawlOptions, CrawlWarcOptions } from "./crawl_options.ts";
export { RunError, type RunExitCode } from "./errors.ts";
export { type FetchedPage, fetchPage, type FetchPageOptions } from "./fetch_page.ts";
export type { PageFacts } from "./page.ts";
export { type CrawlRecord, rfc3339 } from "./records.ts";
export { type BadSeed, parseSeed, readSeeds, type Seed } from "./seeds.ts";
export type { Tier } from "../tiers/tiers.ts";
export { type Fault, type VerifyOptions, verifyPaths } from "./verify.ts";
export type { RecordReference, WrittenExchange } from "../warc/mod.ts";
export type { Sitemap, SitemapEntry, SitemapKind } from "../sitemap/mod.ts";
export { FetchError } from "../net/mod.ts";
export type { Exchange, FailureKind, FetchErrorOptions, Truncation } from "../net/mod.ts";
export type {
  CrawlFigures,
  DnsFigures,
  FailureCounts,
  QueueFigures,
  RevisitFigures,
  RobotsFigures,
  RunFigures,
  UnclassifiedFigures,
  WorkerTimes,
} from "../report/mod.ts";
