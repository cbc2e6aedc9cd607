/**
 * The canonical form of a URL: what decides whether two links are the same page.
 *
 * @module
 */

import { dropTracking, normalisePercent } from "./_normalise.ts";
import { fastAbsolute, joinTail, scanTail } from "./_short.ts";

/**
 * Longest input that is looked at, in UTF-16 units. No server takes a request line near it, and it
 * keeps a page of endless links linear.
 */
export const MAX_INPUT_CHARS = 65_536;

/**
 * Longest base URL that links are resolved against. A `<base href>` of megabytes under thousands of
 * relative links would otherwise cost their product.
 */
export const MAX_BASE_CHARS = 16_384;

/**
 * `///host/` as browsers read it, `//host/`: the runtime's parser refuses a relative reference that
 * begins with more than two slashes.
 */
function fewerSlashes(input: string): string {
  let start = 0;
  while (input.charCodeAt(start) <= 0x20) start++;
  let end = start;
  while (input.charCodeAt(end) === 0x2f || input.charCodeAt(end) === 0x5c) end++;
  return end - start > 2 ? "//" + input.slice(end) : input;
}

/** The long way: what every shortcut below must agree with. */
export function canonicalUrlSlow(input: string, base?: string | URL): string | undefined {
  if (input.length > MAX_INPUT_CHARS) return undefined;
  let url = URL.parse(base === undefined ? input : fewerSlashes(input), base);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  let host = url.hostname;
  if (host.endsWith(".")) {
    // `0x7f.1..` is a name with an empty label; without its dots it is an address: parsed again.
    while (host.endsWith(".")) host = host.slice(0, -1);
    if (host === "") return undefined;
    url = URL.parse(
      url.protocol + "//" + host + (url.port === "" ? "" : ":" + url.port) + url.pathname +
        url.search,
    );
    if (url === null) return undefined;
    host = url.hostname;
  }
  const port = url.port;
  const query = url.search.length > 1 ? dropTracking(normalisePercent(url.search.slice(1))) : "";
  return url.protocol + "//" + host + (port === "" ? "" : ":" + port) +
    normalisePercent(url.pathname) + (query === "" ? "" : "?" + query);
}

const HTTP = "http://";
const HTTPS = "https://";

/**
 * Brings links of one page to canonical form; the page's own URL is parsed once.
 *
 * @example The links of a page
 * ```ts
 * import { LinkCanonicalizer } from "@ccrawl/cli/url";
 *
 * const links = new LinkCanonicalizer("https://example.com/a/b");
 * links.resolve("../c?utm_source=x"); // "https://example.com/c"
 * ```
 */
export class LinkCanonicalizer {
  /** Canonical form of the base; undefined when it has none, and then only absolute links resolve. */
  readonly base: string | undefined;
  readonly #parsed: URL | undefined;
  #scheme = "";
  #origin = "";
  #path = "";
  #folder = "";

  /**
   * Parses the base.
   *
   * @param base The page's URL, or its `<base href>` resolved against it.
   */
  constructor(base: string | URL) {
    const text = typeof base === "string" ? base : base.href;
    if (text.length > MAX_BASE_CHARS) return;
    this.base = canonicalUrlSlow(text);
    if (this.base === undefined) return;
    // Links are resolved against the base as it is, not as it is canonical: dropping the trailing dot
    // or a tracking parameter comes after.
    this.#parsed = typeof base === "string" ? new URL(base) : base;
    const hostStart = this.base.indexOf("//") + 2;
    const pathStart = this.base.indexOf("/", hostStart);
    const query = this.base.indexOf("?", pathStart);
    this.#scheme = this.base.slice(0, hostStart);
    this.#origin = this.base.slice(0, pathStart);
    this.#path = query < 0 ? this.base : this.base.slice(0, query);
    this.#folder = this.#path.slice(0, this.#path.lastIndexOf("/") + 1);
  }

  /**
   * Canonical form of a link as written in the page; undefined when it is not http(s) or cannot be
   * parsed.
   */
  resolve(href: string): string | undefined {
    if (href.length > MAX_INPUT_CHARS) return undefined;
    return this.#fast(href) ?? canonicalUrlSlow(href, this.#parsed);
  }

  #fast(href: string): string | undefined {
    const first = href.charCodeAt(0);
    if (first === 0x68) {
      if (href.startsWith(HTTPS)) return fastAbsolute(href, HTTPS.length, HTTPS);
      if (href.startsWith(HTTP)) return fastAbsolute(href, HTTP.length, HTTP);
    }
    if (this.base === undefined) return undefined;
    if (first === 0x2f) {
      const second = href.charCodeAt(1);
      if (second === 0x2f) return fastAbsolute(href, 2, this.#scheme);
      return scanTail(href, 0) ? joinTail(this.#origin, href, 0) : undefined;
    }
    if (first === 0x23) return this.base;
    if (first === 0x3f) return scanTail(href, 0) ? joinTail(this.#path, href, 0) : undefined;
    // A relative path; with a colon before any of `/?#` it may be a scheme.
    for (let i = 0; i < href.length; i++) {
      const c = href.charCodeAt(i);
      if (c === 0x3a) return undefined;
      if (c === 0x2f || c === 0x3f || c === 0x23) break;
    }
    if (href.length === 0) return undefined;
    let folder = this.#folder;
    let at = 0;
    while (href.charCodeAt(at) === 0x2e) {
      if (href.charCodeAt(at + 1) === 0x2f) at += 2;
      else if (href.charCodeAt(at + 1) === 0x2e && href.charCodeAt(at + 2) === 0x2f) {
        at += 3;
        // The slash that ends the origin stays.
        const up = folder.lastIndexOf("/", folder.length - 2);
        if (up >= this.#origin.length) folder = folder.slice(0, up + 1);
      } else return undefined;
    }
    return scanTail(href, at) ? joinTail(folder, href, at) : undefined;
  }
}

/**
 * Canonical form of a URL: parsed as the URL standard says; host in lower case without a trailing
 * dot; default port, userinfo and fragment dropped; percent-encoding normalised (unreserved
 * characters decoded, upper-case hexadecimal, what is neither reserved nor unreserved encoded, a lone
 * `%` left); tracking parameters dropped (`utm_*`, `fbclid`, `gclid`, `msclkid`, `_ga`, in any case),
 * the others kept in their order. Applying it twice changes nothing.
 *
 * @param base What a relative URL is resolved against; see {@linkcode LinkCanonicalizer} for many.
 * @returns undefined when it is not http(s), cannot be parsed, or is longer than
 * {@linkcode MAX_INPUT_CHARS}.
 */
export function canonicalUrl(input: string, base?: string | URL): string | undefined {
  if (base !== undefined) return new LinkCanonicalizer(base).resolve(input);
  if (input.length > MAX_INPUT_CHARS) return undefined;
  if (input.startsWith(HTTPS)) {
    return fastAbsolute(input, HTTPS.length, HTTPS) ?? canonicalUrlSlow(input);
  }
  if (input.startsWith(HTTP)) {
    return fastAbsolute(input, HTTP.length, HTTP) ?? canonicalUrlSlow(input);
  }
  return canonicalUrlSlow(input);
}
