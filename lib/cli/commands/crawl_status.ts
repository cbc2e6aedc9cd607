/**
 * `crawl status`: a run's own figures, from its state.
 *
 * @module
 */

import type { CommandSpec } from "../command.ts";
import type { GlobalOptions } from "../options/global.ts";
import { required } from "../options/spec.ts";
import { path } from "../options/types.ts";

/** Resolved options of `crawl status`. */
export interface CrawlStatusOptions extends GlobalOptions {
  readonly state: string;
}

/** The command. */
export const crawlStatus: CommandSpec<CrawlStatusOptions, object> = {
  brief: "Show a crawl's own figures, from its state",
  description: ["Reads the state file beside a running crawl, which is not disturbed."],
  options: {
    state: required(path(), "File that holds the crawl's frontier"),
  },
  fields: [
    { name: "queued", type: "integer", help: "URLs in the queue" },
    { name: "in_flight", type: "integer", help: "URLs handed out and not yet back" },
    { name: "done", type: "integer", help: "answered fetches over the life of the state" },
    { name: "failed", type: "integer", help: "URLs given up unanswered" },
    { name: "failed_by_class", type: "json", help: "the same by class" },
    { name: "skipped", type: "integer", help: "URLs that robots.txt or we ourselves refused" },
    { name: "skipped_by_reason", type: "json", help: "the same by reason", table: false },
    { name: "known", type: "integer", help: "URLs ever admitted", table: false },
    { name: "hosts", type: "integer", help: "hosts with a URL ever admitted" },
    { name: "active_hosts", type: "integer", help: "hosts with something queued" },
    { name: "blocked_hosts", type: "integer", help: "hosts held back for now" },
    { name: "excluded_hosts", type: "integer", help: "hosts left out for good", table: false },
    { name: "oldest_due", type: "string", help: "since when the host due longest is due" },
    { name: "pages_per_second", type: "number", help: "answered fetches a second of late" },
    { name: "paused", type: "boolean", help: "whether it was told to pause", table: false },
  ],
  examples: [
    ["ccrawl crawl status --state crawl.db", "the figures, as a table"],
    ["ccrawl crawl status --state crawl.db -o jsonl --fields queued,done", "for a script"],
  ],
};
