/**
 * The commands there are. A new one is a file beside this one, and a line here.
 *
 * @module
 */

import { register, type RegisteredCommand } from "../command.ts";
import { completions } from "./completions.ts";
import { configShow } from "./config_show.ts";
import { crawlControl } from "./crawl_control.ts";
import { crawlFetch } from "./crawl_fetch.ts";
import { crawlRun } from "./crawl_run.ts";
import { crawlSeed } from "./crawl_seed.ts";
import { crawlStatus } from "./crawl_status.ts";
import { indexBuild } from "./index_build.ts";
import { indexCdx } from "./index_cdx.ts";
import { indexSearch } from "./index_search.ts";
import { markdownRefetch } from "./markdown_refetch.ts";
import { parse } from "./parse.ts";
import { recrawlPublish } from "./recrawl_publish.ts";
import { recrawlRun } from "./recrawl_run.ts";
import { recrawlStatus } from "./recrawl_status.ts";
import { schedAssign } from "./sched_assign.ts";
import { schedDiff } from "./sched_diff.ts";
import { schedRates } from "./sched_rates.ts";
import { verify } from "./verify.ts";
import { version } from "./version.ts";

/** Every command, in the order that help lists them. Their work is loaded when it is run. */
export const commands: readonly RegisteredCommand[] = [
  register("crawl seed", crawlSeed, () => import("./bodies/crawl_seed.ts")),
  register("crawl fetch", crawlFetch, () => import("./bodies/crawl_fetch.ts")),
  register("crawl run", crawlRun, () => import("./bodies/crawl_run.ts")),
  register("crawl status", crawlStatus, () => import("./bodies/crawl_status.ts")),
  register("crawl control", crawlControl, () => import("./bodies/crawl_control.ts")),
  register("recrawl run", recrawlRun, () => import("./bodies/recrawl_run.ts")),
  register("recrawl publish", recrawlPublish, () => import("./bodies/recrawl_publish.ts")),
  register("recrawl status", recrawlStatus, () => import("./bodies/recrawl_status.ts")),
  register("sched assign", schedAssign, () => import("./bodies/sched_assign.ts")),
  register("sched diff", schedDiff, () => import("./bodies/sched_diff.ts")),
  register("sched rates", schedRates, () => import("./bodies/sched_rates.ts")),
  register("parse", parse, () => import("./bodies/parse.ts")),
  register("index cdx", indexCdx, () => import("./bodies/index_cdx.ts")),
  register("index build", indexBuild, () => import("./bodies/index_build.ts")),
  register("index search", indexSearch, () => import("./bodies/index_search.ts")),
  register("markdown refetch", markdownRefetch, () => import("./bodies/markdown_refetch.ts")),
  register("verify", verify, () => import("./bodies/verify.ts")),
  register("config show", configShow, () => import("./bodies/config_show.ts")),
  register("completions", completions, () => import("./bodies/completions.ts")),
  register("version", version, () => import("./bodies/version.ts")),
];

/** What each group of commands is for. */
export const groups: Readonly<Record<string, string>> = {
  recrawl: "Fetch a published work list into a dataset of captures",
  sched: "Decide how often hosts are crawled again",
  config: "See what the options come to, and where each comes from",
  markdown: "Archives as Markdown",
  index: "Find captures by URL, and documents by their words",
  crawl: "Fetch a page, crawl the web into WARC, watch and steer a crawl",
};
