/**
 * The canonical form of a URL: what decides whether two links are the same page.
 *
 * @module
 */

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

// Classes of ASCII characters for the fast path.
const OTHER = 0; // leave it to the full parser
const SAFE = 1; // stands for itself in a path and in a query, under the full parser too
const PATH_ONLY = 2; // so only in a path
const PERCENT = 3;
const DOT = 4;
const SLASH = 5;
const QUESTION = 6;
const HASH = 7;
const AMPERSAND = 8;
/** Initials of tracking parameters: `u`, `f`, `g`, `m`, `_` in either case. */
const INITIAL = 9;

const TAIL = new Uint8Array(128);
for (const c of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-~!$()*+,;=:@") {
  TAIL[c.charCodeAt(0)] = SAFE;
}
for (const c of "uUfFgGmM_") TAIL[c.charCodeAt(0)] = INITIAL;
for (const c of "[]") TAIL[c.charCodeAt(0)] = SAFE;
TAIL[0x27] = PATH_ONLY; // '
TAIL[0x25] = PERCENT;
TAIL[0x2e] = DOT;
TAIL[0x2f] = SLASH;
TAIL[0x3f] = QUESTION;
TAIL[0x23] = HASH;
TAIL[0x26] = AMPERSAND;

/** 1 for `a-z`, 2 for `0-9`, 3 for `-`, 4 for `.`. */
const HOST = new Uint8Array(128);
for (let c = 0x61; c <= 0x7a; c++) HOST[c] = 1;
for (let c = 0x30; c <= 0x39; c++) HOST[c] = 2;
HOST[0x2d] = 3;
HOST[0x2e] = 4;

/** Value of a hexadecimal digit, 255 for anything else. */
const HEX = new Uint8Array(128).fill(255);
for (let i = 0; i < 10; i++) HEX[0x30 + i] = i;
for (let i = 0; i < 6; i++) HEX[0x41 + i] = HEX[0x61 + i] = 10 + i;

/** RFC 3986 section 2.3. */
const UNRESERVED = new Uint8Array(256);
for (const c of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~") {
  UNRESERVED[c.charCodeAt(0)] = 1;
}

const UPPER_HEX = Array.from(
  { length: 256 },
  (_, i) => "%" + i.toString(16).toUpperCase().padStart(2, "0"),
);

function hexAt(s: string, i: number): number {
  const c = s.charCodeAt(i);
  return c < 128 ? HEX[c]! : 255; // NaN beyond the end
}

function isLowerHex(c: number): boolean {
  return c >= 0x61 && c <= 0x66;
}

/**
 * Percent-encoding normalised: unreserved characters decoded, hexadecimal digits in upper case, and
 * what is neither reserved nor unreserved encoded (`|`, `^`, `` ` ``, `{`, `}` and `\`, which the
 * URL standard leaves in some places). Takes ASCII, as the URL parser gives it.
 */
function normalisePercent(s: string): string {
  let out = "";
  let from = 0;
  // How many characters a lone `%` still reaches: decoding a digit there would make a new escape.
  let lone = 0;
  for (let i = 0; i < s.length; i++) {
    const c = s.charCodeAt(i);
    if (c === 0x25) {
      const high = hexAt(s, i + 1);
      const low = hexAt(s, i + 2);
      if (high === 255 || low === 255) {
        lone = 2;
        continue;
      }
      const byte = high << 4 | low;
      const decode = UNRESERVED[byte] === 1 && !(lone > 0 && HEX[byte]! !== 255);
      // An escape that is as it should be stays part of the run that is copied.
      if (decode || isLowerHex(s.charCodeAt(i + 1)) || isLowerHex(s.charCodeAt(i + 2))) {
        out += s.slice(from, i) + (decode ? String.fromCharCode(byte) : UPPER_HEX[byte]!);
        from = i + 3;
      }
      i += 2;
      lone = 0;
    } else if (
      c === 0x7c || c === 0x5e || c === 0x60 || c === 0x7b || c === 0x7d || c === 0x5c ||
      c === 0x22 || c === 0x3c || c === 0x3e
    ) {
      out += s.slice(from, i) + UPPER_HEX[c]!;
      from = i + 1;
      lone = 0;
    } else if (lone > 0) {
      lone = hexAt(s, i) === 255 ? 0 : lone - 1;
    }
  }
  return from === 0 ? s : out + s.slice(from);
}

const NAMES = new Set(["fbclid", "gclid", "msclkid", "_ga"]);

function isTracking(pair: string): boolean {
  const c = pair.charCodeAt(0);
  if (c >= 128 || TAIL[c] !== INITIAL) return false;
  const end = pair.indexOf("=");
  const length = end < 0 ? pair.length : end;
  if (length >= 4 && pair.slice(0, 4).toLowerCase() === "utm_") return true;
  return length <= 7 && NAMES.has(pair.slice(0, length).toLowerCase());
}

/** A query without its `?`, percent-normalised; the tracking parameters are left out. */
function dropTracking(query: string): string {
  let out = "";
  let kept = false;
  let from = 0;
  while (from <= query.length) {
    let end = query.indexOf("&", from);
    if (end < 0) end = query.length;
    const pair = query.slice(from, end);
    if (!isTracking(pair)) {
      out = kept ? out + "&" + pair : pair;
      kept = true;
    }
    from = end + 1;
  }
  return out;
}

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

// What scanTail found, beside what it returns; module variables so that nothing is allocated.
let tailEnd = 0;
let tailQuery = -1;
let tailPercent = false;
let tailInitial = false;

/**
 * Whether the path and query of `s` from `at` mean the same to the full parser as they are written,
 * save percent-encoding and tracking parameters. `at` is at a `/`, at a `?`, at a path segment's
 * start, or at the end.
 */
function scanTail(s: string, at: number): boolean {
  tailEnd = s.length;
  tailQuery = -1;
  tailPercent = false;
  tailInitial = false;
  let segmentStart = true;
  let i = at;
  for (; i < s.length; i++) {
    const c = s.charCodeAt(i);
    const kind = c < 128 ? TAIL[c]! : OTHER;
    switch (kind) {
      case SAFE:
      case INITIAL:
      case AMPERSAND:
      case PATH_ONLY:
        segmentStart = false;
        break;
      case SLASH:
        segmentStart = true;
        break;
      case DOT:
        if (segmentStart) return false; // perhaps `.` or `..`
        break;
      case PERCENT:
        tailPercent = true;
        // `%2e` at a segment's start is a dot to the parser.
        if (segmentStart) return false;
        break;
      case QUESTION:
        tailQuery = i + 1;
        break;
      case HASH:
        tailEnd = i;
        return true;
      default:
        return false;
    }
    if (tailQuery >= 0) break;
  }
  if (tailQuery < 0) return true;
  let nameStart = true;
  for (i = tailQuery; i < s.length; i++) {
    const c = s.charCodeAt(i);
    const kind = c < 128 ? TAIL[c]! : OTHER;
    switch (kind) {
      case SAFE:
      case SLASH:
      case DOT:
      case QUESTION:
        nameStart = false;
        break;
      case INITIAL:
        if (nameStart) tailInitial = true;
        nameStart = false;
        break;
      case PERCENT:
        tailPercent = true;
        if (nameStart) tailInitial = true;
        nameStart = false;
        break;
      case AMPERSAND:
        nameStart = true;
        break;
      case HASH:
        tailEnd = i;
        return true;
      default:
        return false;
    }
  }
  return true;
}

/** `prefix` (canonical) and the tail of `s` that scanTail has just passed. */
function joinTail(prefix: string, s: string, at: number): string {
  if (!tailPercent && !tailInitial) {
    // A bare `?` goes.
    const end = tailQuery >= 0 && tailQuery === tailEnd ? tailEnd - 1 : tailEnd;
    return at === 0 && end === s.length ? prefix + s : prefix + s.slice(at, end);
  }
  const path = s.slice(at, tailQuery < 0 ? tailEnd : tailQuery - 1);
  let query = tailQuery < 0 ? "" : s.slice(tailQuery, tailEnd);
  if (tailPercent) query = normalisePercent(query);
  if (tailInitial) query = dropTracking(query);
  return prefix + (tailPercent ? normalisePercent(path) : path) + (query === "" ? "" : "?" + query);
}

/**
 * End of the host that starts at `at`, or -1 where the full parser must judge it: a port, userinfo,
 * upper case, non-ASCII, an empty label, a trailing dot, punycode, anything like an address.
 */
function scanHost(s: string, at: number): number {
  let labelStart = at;
  let i = at;
  for (; i < s.length; i++) {
    const c = s.charCodeAt(i);
    const kind = c < 128 ? HOST[c]! : 0;
    if (kind === 0) {
      if (c === 0x2f || c === 0x3f || c === 0x23) break;
      return -1;
    }
    if (kind === 4) {
      if (i === labelStart) return -1;
      labelStart = i + 1;
    } else if (kind === 3 && s.charCodeAt(i + 1) === 0x2d && i - labelStart === 2) {
      return -1; // `xn--`, and its like
    }
  }
  // Addresses end in a label that begins with a digit.
  return i > labelStart && HOST[s.charCodeAt(labelStart)] === 1 ? i : -1;
}

/** An absolute URL whose scheme ends (with `//`) at `at`, or undefined where the full parser must. */
function fastAbsolute(s: string, at: number, scheme: string): string | undefined {
  const end = scanHost(s, at);
  if (end < 0 || !scanTail(s, end)) return undefined;
  if (s.charCodeAt(end) === 0x2f) {
    if (at === scheme.length && !tailPercent && !tailInitial) {
      // The usual link: canonical as it stands, save the fragment.
      const stop = tailQuery >= 0 && tailQuery === tailEnd ? tailEnd - 1 : tailEnd;
      return stop === s.length ? s : s.slice(0, stop);
    }
    return joinTail(scheme + s.slice(at, end), s, end);
  }
  // No path: the `/` is added.
  return joinTail(scheme + s.slice(at, end) + "/", s, end);
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
