/** Crawls with sitemaps, for tests. */

import type { CrawlOptions } from "../../lib/engine/crawl_options.ts";
import type { LocalWeb } from "../web/mod.ts";
import { collect } from "./_crawl.ts";

/** The URLs that a crawl with sitemaps came to, sorted. */
export async function crawled(web: LocalWeb, options: CrawlOptions): Promise<string[]> {
  const { records } = await collect(web, { sitemaps: true, ...options });
  return records.map(({ url }) => url).sort();
}

/** The first pages of a host's graph. */
export function pagesOf(web: LocalWeb, host: string, pages: number): string[] {
  return Array.from({ length: pages }, (_, i) => web.url(host, `/p/${i}`));
}
