/**
 * Sitemaps: what a site says that it has, in any of the forms that sites say it in.
 *
 * @example The pages that a sitemap names
 * ```ts
 * import { readSitemap } from "@ccrawl/cli/sitemap";
 * import assert from "node:assert/strict";
 *
 * const xml = "<urlset><url><loc>https://example.com/a</loc><lastmod>2026-01-02</lastmod></url></urlset>";
 * const sitemap = readSitemap({
 *   body: new TextEncoder().encode(xml),
 *   contentType: "application/xml",
 *   url: "https://example.com/sitemap.xml",
 * });
 * assert.equal(sitemap?.kind, "urlset");
 * assert.equal(sitemap.entries[0]?.loc, "https://example.com/a");
 * ```
 *
 * @module
 */

export {
  MAX_SITEMAP_BYTES,
  MAX_SITEMAP_URLS,
  readSitemap,
  type Sitemap,
  type SitemapEntry,
  type SitemapInput,
  type SitemapKind,
} from "./read.ts";
export { parseLastmod } from "./lastmod.ts";
