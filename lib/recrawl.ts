/**
 * Recrawling: once through a list of URLs of any length, each page rendered and written as captures, in
 * a pass that survives a kill.
 *
 * @example A published list, one of three machines' shares of it
 * ```ts ignore
 * import { recrawl } from "@ccrawl/cli/recrawl";
 *
 * await using run = recrawl({
 *   from: "urls",
 *   userAgent: "examplebot/1.0 (+https://example.com/bot)",
 *   out: "captures/",
 *   state: "urls.json",
 *   shard: 0,
 *   shards: 3,
 * });
 * for await (const row of run) console.log(row.status || row.error, row.url, row.language);
 * ```
 *
 * @example A page of this machine, and what was written
 * ```ts
 * import { recrawl } from "@ccrawl/cli/recrawl";
 * import { readCaptures } from "@ccrawl/cli/capture";
 * import assert from "node:assert/strict";
 *
 * const headers = { "content-type": "text/html" };
 * await using server = Deno.serve(
 *   { port: 0, hostname: "127.0.0.1", onListen() {} },
 *   () => new Response("<title>Hello</title><p>Some text.", { headers }),
 * );
 * const dir = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${dir}/list.txt`, `http://127.0.0.1:${server.addr.port}/\n`);
 * const run = recrawl({
 *   from: `${dir}/list.txt`,
 *   out: `${dir}/captures`,
 *   allowPrivate: true,
 *   minFree: 0,
 * });
 * for await (const row of run) assert.deepEqual([row.status, row.title], [200, "Hello"]);
 *
 * const captures = readCaptures(`${dir}/captures`, { columns: ["markdown"] });
 * for await (const row of captures) assert.equal(row.markdown, "Some text.");
 * await Deno.remove(dir, { recursive: true });
 * ```
 *
 * @module
 */

export {
  CaptureReadError,
  type CaptureRow,
  CaptureWriteError,
  type LargeColumn,
  type SmallRow,
} from "./capture/mod.ts";
export type { CrawlEvent } from "./engine/crawl_options.ts";
export { RunError, type RunExitCode } from "./engine/errors.ts";
export { recrawl, RecrawlRun } from "./engine/recrawl.ts";
export type { RecrawlOptions } from "./engine/recrawl_options.ts";
export type { StoreBody } from "./engine/_recrawl_facts.ts";
export { LockError, StateLockedError } from "./files/mod.ts";
export { RenderPoolError } from "./render/mod.ts";
export type {
  CheckpointFigures,
  DnsFigures,
  ExtractFigures,
  FailureCounts,
  FeederFigures,
  HeldQueueFigures,
  QueueFigures,
  RecrawlFigures,
  RobotsFigures,
  RunFigures,
  UnclassifiedFigures,
  WorkerTimes,
} from "./report/mod.ts";
export {
  CheckpointError,
  CheckpointMismatchError,
  HubAccessError,
  HubBusyError,
  HubError,
  HubMissingError,
  HubNetworkError,
  PartFormatError,
  WorkListError,
} from "./worklist/mod.ts";
