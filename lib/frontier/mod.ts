/**
 * The frontier: which URL comes next, for a crawl of any size that may be killed at any moment.
 *
 * One SQLite file holds an exact seen set, a queue a host in classes of priority, every host's clock
 * and the log of what has ended. The verbs are those of crawler-commons' URLFrontier.
 *
 * @example A seed goes in, a lease comes out
 * ```ts
 * import { openFrontier } from "@ccrawl/cli/frontier";
 * import assert from "node:assert/strict";
 *
 * await using frontier = await openFrontier(); // with `path`, in a file
 * await frontier.put([{ url: "https://example.com/", priority: 8, depth: 0 }], { seed: true });
 * const [lease] = await frontier.claim(64, 1);
 * assert.equal(lease?.urls[0]?.url, "https://example.com/");
 * ```
 *
 * @module
 */

export * from "./types.ts";
export type { VisitVerdict } from "../tiers/revisit.ts";
export { openFrontier } from "./open.ts";
export { sendControl } from "./control.ts";
export { readDone, readQueued, readStats } from "./read.ts";
export { FrontierError, FrontierIdentityError, FrontierStateError } from "./errors.ts";
export {
  type FileLock,
  LockError,
  lockFile,
  type LockOptions,
  StateLockedError,
} from "../files/mod.ts";
