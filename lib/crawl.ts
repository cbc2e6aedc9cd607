/**
 * Crawling: from seeds through a frontier that survives a kill, politely, into an archive; and checking
 * what came out.
 *
 * @example A tree of pages, archived, to be carried on by the next call
 * ```ts ignore
 * import { crawl } from "@ccrawl/cli/crawl";
 *
 * await using run = crawl({
 *   seeds: ["https://example.com/"],
 *   userAgent: "examplebot/1.0 (+https://example.com/bot)",
 *   state: "crawl.db",
 *   warc: "warc/",
 *   maxDepth: 2,
 *   accept: (link) => link.host === "example.com",
 * });
 * for await (const page of run) console.log(page.status, page.url);
 * ```
 *
 * @module
 */

export {
  type BadSeed,
  crawl,
  type CrawlEvent,
  type CrawlFigures,
  type CrawlLink,
  type CrawlOptions,
  type CrawlRecord,
  CrawlRun,
  type CrawlWarcOptions,
  type DnsFigures,
  type FailureCounts,
  type Fault,
  parseSeed,
  type QueueFigures,
  readSeeds,
  type RobotsFigures,
  RunError,
  type RunExitCode,
  type RunFigures,
  type Seed,
  type UnclassifiedFigures,
  type VerifyOptions,
  verifyPaths,
  type WorkerTimes,
} from "./engine/mod.ts";
export { FrontierError, FrontierIdentityError, StateLockedError } from "./frontier/mod.ts";
