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
 * @module
 */

export {
  archivePage,
  type ArchivePageOptions,
  type FetchedPage,
  fetchPage,
  type FetchPageOptions,
  type PageFacts,
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
