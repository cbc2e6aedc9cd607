/**
 * The work of `crawl fetch`.
 *
 * @module
 */

import { join } from "node:path";
import {
  archivePage,
  type CrawlRecord,
  type FetchedPage,
  fetchPage,
  rfc3339,
} from "../../../engine/mod.ts";
import type { WrittenExchange } from "../../../warc/mod.ts";
import type { CommandIo } from "../../command.ts";
import { ExitCode } from "../../errors.ts";
import type { CrawlFetchArguments, CrawlFetchOptions } from "../crawl_fetch.ts";
import { networkOptions } from "./_fetching.ts";

/** Fetch one URL, one record. */
export async function run(
  options: CrawlFetchOptions & CrawlFetchArguments,
  io: CommandIo,
): Promise<number> {
  const page = await fetchPage(options.url, {
    ...networkOptions(options),
    robots: options.robots,
    timeoutMs: options.timeout,
    retries: options.retries,
    bodyCap: options.maxBody,
    keepWire: options.warcDir !== undefined && options.warcHttp === "raw",
    signal: io.signal,
  });
  const written = options.warcDir === undefined ? undefined : archivePage(page, {
    dir: options.warcDir,
    prefix: options.prefix,
    http: options.warcHttp,
    cdx: options.cdx,
    command: io.commandLine,
  });
  if (io.output.format === "raw") await io.output.raw(page.decoded());
  else await io.output.write({ ...recordOf(page, options.warcDir, written) });
  if (page.error === undefined) return ExitCode.done;
  const hint = page.error.reason === "private-address" ? "; --allow-private permits it" : "";
  io.report.warn(`${page.url}: ${page.error.message}${hint}`);
  return page.error.kind === "skip" ? ExitCode.error : ExitCode.network;
}

function recordOf(
  page: FetchedPage,
  dir: string | undefined,
  written: WrittenExchange | undefined,
): CrawlRecord {
  const answered = page.error === undefined;
  const facts = answered ? page.facts() : undefined;
  return {
    url: page.url,
    final_url: page.finalUrl,
    status: page.status,
    content_type: page.contentType,
    digest: facts?.digest ?? "",
    body_size: page.body.length,
    link_count: facts?.links.length ?? 0,
    redirect_to: page.redirectTo,
    fetched_at: rfc3339(page.date),
    duration_ms: Math.round(page.durationMs),
    warc_file: written === undefined ? "" : join(dir!, written.file),
    warc_offset: written?.offset ?? 0,
    error: page.error?.kind ?? "",
    error_detail: page.error?.message ?? "",
  };
}
