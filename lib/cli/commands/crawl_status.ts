/**
 * `crawl status`: a run's own figures, from its state, or the day's budget of pages.
 *
 * @module
 */

import type { CommandSpec } from "../command.ts";
import type { GlobalOptions } from "../options/global.ts";
import { value } from "../options/spec.ts";
import { path } from "../options/types.ts";
import type { FieldSpec } from "../output/fields.ts";

/** Resolved options of `crawl status`. */
export interface CrawlStatusOptions extends GlobalOptions {
  /** Undefined for the budget. */
  readonly state: string | undefined;
}

/** What the budget says of a tier. */
const BUDGET: readonly FieldSpec[] = [
  { name: "tier", type: "integer", help: "1 is crawled every day, 5 never again" },
  { name: "pages_per_day", type: "integer", help: "pages a day for it" },
  { name: "target_hosts", type: "integer", help: "hosts in it" },
  { name: "interval_hours", type: "integer", help: "hours between two passes; null for never" },
];

/** What a state says of its crawl. */
const FIGURES: readonly FieldSpec[] = [
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
  {
    name: "oldest_due",
    type: "string",
    help: "when the first host that has something queued is due, or was",
  },
  { name: "revisits_waiting", type: "integer", help: "pages that wait for their next visit" },
  { name: "revisits_due", type: "integer", help: "pages whose next visit is due" },
  { name: "next_revisit", type: "string", help: "when the next one is", table: false },
  { name: "pages_per_second", type: "number", help: "answered fetches a second of late" },
  { name: "paused", type: "boolean", help: "whether it was told to pause", table: false },
];

/** The command. */
export const crawlStatus: CommandSpec<CrawlStatusOptions, object> = {
  brief: "Show a crawl's own figures, or the day's budget of pages by tier",
  description: [
    "With --state, reads the state file beside a running crawl, which is not disturbed. Without, shows " +
    "how the day's 864 million pages are shared out among the tiers of hosts.",
  ],
  options: {
    state: value(path(), undefined, "File that holds the crawl's frontier"),
  },
  fields: FIGURES,
  fieldsFor: ({ state }) => state === undefined ? BUDGET : FIGURES,
  examples: [
    ["ccrawl crawl status", "the daily budget, as a table"],
    ["ccrawl crawl status --state crawl.db", "a crawl's figures"],
    ["ccrawl crawl status --state crawl.db -o jsonl --fields queued,done", "for a script"],
  ],
};
