/**
 * Sitemaps: what a site says that it has, in any of the forms that sites say it in.
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
