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
 * @example A site of this machine, to its second page
 * ```ts
 * import { crawl } from "@ccrawl/cli/crawl";
 * import assert from "node:assert/strict";
 *
 * const headers = { "content-type": "text/html" };
 * await using server = Deno.serve(
 *   { port: 0, hostname: "127.0.0.1", onListen() {} },
 *   () => new Response("<a href=/a>a</a>", { headers }),
 * );
 * await using run = crawl({
 *   seeds: [`http://127.0.0.1:${server.addr.port}/`],
 *   allowPrivate: true,
 *   robots: false,
 *   maxDepth: 1,
 *   delayMs: 1,
 * });
 * const paths: string[] = [];
 * for await (const page of run) paths.push(new URL(page.url).pathname);
 * assert.deepEqual(paths, ["/", "/a"]);
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
  type RevisitFigures,
  type RobotsFigures,
  RunError,
  type RunExitCode,
  type RunFigures,
  type Seed,
  type Tier,
  type UnclassifiedFigures,
  type VerifyOptions,
  verifyPaths,
  type WorkerTimes,
} from "./engine/mod.ts";
export {
  FrontierError,
  FrontierIdentityError,
  LockError,
  StateLockedError,
} from "./frontier/mod.ts";
