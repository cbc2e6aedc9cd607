/** Crawls of the local web, for tests. */

import { crawl, type CrawlRun } from "../../lib/engine/crawl.ts";
import type { CrawlOptions } from "../../lib/engine/crawl_options.ts";
import type { CrawlRecord } from "../../lib/engine/records.ts";
import type { LocalWeb } from "../web/mod.ts";

/** Options that point a crawl at `web`, quick and without a disk floor. */
export function toward(web: LocalWeb, options: CrawlOptions): CrawlOptions {
  return {
    resolvers: web.resolvers,
    allowPrivate: true,
    caCerts: [Deno.readTextFileSync(web.caFile)],
    delayMs: 5,
    minFree: 0,
    ...options,
  };
}

/** Runs a crawl to its end. */
export async function collect(
  web: LocalWeb,
  options: CrawlOptions,
): Promise<{ records: CrawlRecord[]; run: CrawlRun }> {
  const run = crawl(toward(web, options));
  const records: CrawlRecord[] = [];
  for await (const record of run) records.push(record);
  return { records, run };
}

/** A folder that goes away with the test. */
export async function withFolder(body: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-test-" });
  try {
    await body(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}
