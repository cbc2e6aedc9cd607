/**
 * Fetching: one page as a well-behaved crawler does it, or exchanges one by one over connections of one's
 * own.
 *
 * @example One page
 * ```ts ignore
 * import { fetchPage } from "@ccrawl/cli/fetch";
 *
 * const page = await fetchPage("https://example.com/", { robots: true });
 * if (page.error) console.error(page.error.kind, page.error.message);
 * else console.log(page.status, page.finalUrl, new TextDecoder().decode(page.decoded()));
 * ```
 *
 * @example A page of this machine, which a crawler leaves alone unless it is told
 * ```ts
 * import { decodeText, fetchPage } from "@ccrawl/cli/fetch";
 * import assert from "node:assert/strict";
 *
 * const html = "<title>Hello</title><a href=/next>next</a>";
 * const headers = { "content-type": "text/html; charset=utf-8" };
 * await using server = Deno.serve(
 *   { port: 0, hostname: "127.0.0.1", onListen() {} },
 *   () => new Response(html, { headers }),
 * );
 * const url = `http://127.0.0.1:${server.addr.port}/`;
 * assert.equal((await fetchPage(url)).error?.kind, "skip");
 *
 * const page = await fetchPage(url, { allowPrivate: true });
 * assert.equal(page.status, 200);
 * assert.equal(decodeText(page.decoded(), page.contentType).text, html);
 * assert.deepEqual(page.facts().links, [`${url}next`]);
 * ```
 *
 * @module
 */

export {
  archivePage,
  type ArchivePageOptions,
  type FetchedPage,
  fetchPage,
  type FetchPageOptions,
  type PageFacts,
  type RecordReference,
  type Sitemap,
  type SitemapEntry,
  type SitemapKind,
  type WrittenExchange,
} from "./engine/mod.ts";
export {
  type AddressLimit,
  type CharsetSource,
  decodeBody,
  type DecodedBody,
  type DecodedText,
  decodeText,
  type DecodeTextOptions,
  Dialer,
  type DialerOptions,
  type DialTarget,
  type Exchange,
  type ExchangeRequest,
  type FailureKind,
  FetchError,
  type FetchErrorOptions,
  HttpClient,
  type HttpClientOptions,
  type HttpClientStats,
  isBadPort,
  isGlobalAddress,
  loadDetector,
  type Transport,
  type Truncation,
} from "./net/mod.ts";
