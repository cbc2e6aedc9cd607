/**
 * The SURT key of a URL: host labels reversed, so that an index sorted by it keeps a domain together.
 *
 * The rules are those of the Internet Archive's canonicalizer as the `surt` package that pywb and
 * Common Crawl's indexer use, and the IIPC's webarchive-commons, have them, so that a look-up by any of
 * them finds our lines:
 *
 * - scheme, userinfo, fragment and default port go; another port stays (`com,example:8080)/`);
 * - a leading `www.`, `www2.` … goes, once;
 * - an IPv4 address is reversed like a name (`http://146.148.124.0/` → `0,124,148,146)/`, as in Common
 *   Crawl's indexes), an IPv6 address loses its brackets;
 * - path and query are percent-decoded until nothing changes, then control characters, space, `#`, `%`
 *   and everything beyond ASCII are encoded again; all is lower case;
 * - `.` and `..` and empty segments of the path are resolved away, and a trailing slash goes unless it
 *   is the whole path;
 * - session ids go: `jsessionid`, `phpsessid`, `sid` (32 characters), `aspsessionid…`, `cfid` with
 *   `cftoken` in the query, ASP.NET's `(S(…))` segment in the path;
 * - query parameters are sorted by name, then value; an empty query goes.
 *
 * In two places those implementations are known to be wrong, and the key is the one asked of them:
 *
 * - `www3288.com` keeps its name (theirs is `com)/`, one key for thousands of sites): the prefix goes
 *   only where a dot is left after it;
 * - `%26` in a query stays encoded (decoded, it would split a parameter in two before the sort).
 *
 * @module
 */

function isHexDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39 || c >= 0x41 && c <= 0x46 || c >= 0x61 && c <= 0x66;
}

function hexValue(c: number): number {
  return c <= 0x39 ? c - 0x30 : (c | 0x20) - 0x57;
}

/** An encoded `&` that must not become one. */
const AMPERSAND = 256;

/**
 * The bytes of an ASCII text, percent-decoded until nothing changes: escapes cannot overlap, so it is
 * enough to look at the last three bytes after each one added. Linear, however deep `%252525…` goes.
 */
function decodeFully(text: string, keepAmpersand: boolean): number[] {
  const out: number[] = [];
  for (let i = 0; i < text.length; i++) {
    let c = text.charCodeAt(i);
    while (out.length >= 2 && c < 128 && isHexDigit(c)) {
      const high = out[out.length - 1]!;
      if (out[out.length - 2] !== 0x25 || high >= 128 || !isHexDigit(high)) break;
      const byte = hexValue(high) << 4 | hexValue(c);
      out.length -= 2;
      c = byte === 0x26 && keepAmpersand ? AMPERSAND : byte;
    }
    out.push(c);
  }
  return out;
}

/** Lower-case ASCII of decoded bytes. */
function encodeOnce(bytes: readonly number[]): string {
  let out = "";
  for (const byte of bytes) {
    if (byte === AMPERSAND) out += "%26";
    else if (byte <= 0x20 || byte >= 0x7f || byte === 0x23 || byte === 0x25) {
      out += (byte < 16 ? "%0" : "%") + byte.toString(16);
    } else if (byte >= 0x41 && byte <= 0x5a) out += String.fromCharCode(byte | 0x20);
    else out += String.fromCharCode(byte);
  }
  return out;
}

function normalise(text: string, keepAmpersand: boolean): string {
  return encodeOnce(decodeFully(text, keepAmpersand));
}

function isAlphanumeric(c: number): boolean {
  return c >= 0x30 && c <= 0x39 || c >= 0x61 && c <= 0x7a;
}

function alphanumerics(s: string, from: number, count: number): boolean {
  if (from + count > s.length) return false;
  for (let i = from; i < from + count; i++) if (!isAlphanumeric(s.charCodeAt(i))) return false;
  return true;
}

/** ASP.NET's cookieless session: `(S(24 characters))`, letters and groups repeated. */
function isLetteredSession(segment: string): boolean {
  if (segment.length < 29 || (segment.length - 2) % 27 !== 0) return false;
  if (segment.charCodeAt(0) !== 0x28 || !segment.endsWith(")")) return false;
  for (let i = 1; i < segment.length - 1; i += 27) {
    const c = segment.charCodeAt(i);
    if (c < 0x61 || c > 0x7a || segment.charCodeAt(i + 1) !== 0x28) return false;
    if (!alphanumerics(segment, i + 2, 24) || segment.charCodeAt(i + 26) !== 0x29) return false;
  }
  return true;
}

/** The older form: `(24 characters)`. */
function isPlainSession(segment: string): boolean {
  return segment.length === 26 && segment.charCodeAt(0) === 0x28 && segment.endsWith(")") &&
    alphanumerics(segment, 1, 24);
}

/** Drops the last segment that `isSession` knows and that a `.aspx` page follows. */
function dropSessionSegment(
  segments: string[],
  isSession: (segment: string) => boolean,
): string[] {
  // Whether the segments after the one at hand, joined, hold `.aspx` before any `?`, not at the start.
  let page = false;
  for (let i = segments.length - 1; i >= 0; i--) {
    const segment = segments[i]!;
    if (page && isSession(segment)) return [...segments.slice(0, i), ...segments.slice(i + 1)];
    const question = segment.indexOf("?");
    const aspx = segment.indexOf(".aspx", 1);
    const found = aspx > 0 && (question < 0 || aspx < question);
    page = found || page && question < 0;
  }
  return segments;
}

function normalisePath(raw: string): string {
  const path = normalise(raw, false);
  let segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") segments.pop();
    else segments.push(segment);
  }
  if (path.includes(".aspx")) {
    segments = dropSessionSegment(segments, isLetteredSession);
    segments = dropSessionSegment(segments, isPlainSession);
  }
  return "/" + segments.join("/");
}

/** Drops the last `name=value` whose value is `length` alphanumerics up to `&` or the end. */
function dropSession(query: string, name: string, length: number): string {
  for (
    let at = query.lastIndexOf(name);
    at >= 0;
    at = at === 0 ? -1 : query.lastIndexOf(name, at - 1)
  ) {
    const end = at + name.length + length;
    if (
      alphanumerics(query, at + name.length, length) &&
      (end === query.length || query.charCodeAt(end) === 0x26)
    ) {
      return query.slice(0, at) + query.slice(end + 1);
    }
  }
  return query;
}

/** `aspsessionid`, 8 letters, `=`, 24 letters. */
function dropAspSession(query: string): string {
  const name = "aspsessionid";
  const letters = (from: number, count: number): boolean => {
    for (let i = from; i < from + count; i++) {
      const c = query.charCodeAt(i);
      if (!(c >= 0x61 && c <= 0x7a)) return false;
    }
    return true;
  };
  for (
    let at = query.lastIndexOf(name);
    at >= 0;
    at = at === 0 ? -1 : query.lastIndexOf(name, at - 1)
  ) {
    const value = at + name.length + 9;
    const end = value + 24;
    if (
      end <= query.length && letters(at + name.length, 8) &&
      query.charCodeAt(value - 1) === 0x3d && letters(value, 24) &&
      (end === query.length || query.charCodeAt(end) === 0x26)
    ) {
      return query.slice(0, at) + query.slice(end + 1);
    }
  }
  return query;
}

/** ColdFusion's pair `cfid=…&cftoken=…`. */
function dropColdFusion(query: string): string {
  if (!query.includes("&cftoken=")) return query;
  const pairs = query.split("&");
  for (let i = pairs.length - 2; i >= 0; i--) {
    const token = pairs[i + 1]!;
    if (!token.startsWith("cftoken=") || token.length === 8) continue;
    const pair = pairs[i]!;
    const at = pair.lastIndexOf("cfid=", pair.length - 6);
    if (at < 0) continue;
    const before = pairs.slice(0, i).concat(pair.slice(0, at)).join("&");
    return before + pairs.slice(i + 2).join("&");
  }
  return query;
}

/** Parameters by name, then value; one without `=` before the same name with it. */
function sortQuery(query: string): string {
  if (!query.includes("&")) return query;
  const pairs = query.split("&").map((pair) => {
    const equals = pair.indexOf("=");
    return equals < 0
      ? { pair, name: pair, value: "", rank: 0 }
      : { pair, name: pair.slice(0, equals), value: pair.slice(equals + 1), rank: 1 };
  });
  // All is ASCII, so comparing UTF-16 units is comparing bytes.
  pairs.sort((a, b) =>
    a.name < b.name
      ? -1
      : a.name > b.name
      ? 1
      : a.rank - b.rank || (a.value < b.value ? -1 : a.value > b.value ? 1 : 0)
  );
  return pairs.map((p) => p.pair).join("&");
}

function normaliseQuery(raw: string): string {
  let query = normalise(raw, true);
  if (query.includes("=")) {
    query = dropSession(query, "jsessionid=", 32);
    query = dropSession(query, "phpsessid=", 32);
    query = dropSession(query, "sid=", 32);
    query = dropAspSession(query);
    query = dropColdFusion(query);
  }
  return sortQuery(query);
}

/** White space, control characters and what is beyond ASCII percent-encoded, the rest as it is. */
function oneField(text: string): string {
  let out = "";
  for (const byte of new TextEncoder().encode(text)) {
    if (byte > 0x20 && byte < 0x7f) out += String.fromCharCode(byte);
    else out += (byte < 16 ? "%0" : "%") + byte.toString(16);
  }
  return out;
}

/** Host labels in reverse, joined by commas; `www` and digits before a name of two labels go. */
function reverseHost(host: string): string {
  if (host.startsWith("[")) return host.slice(1, -1);
  const labels = host.split(".");
  if (labels.length > 2 && /^www[0-9]*$/.test(labels[0]!)) labels.shift();
  return labels.reverse().join(",");
}

/**
 * SURT key of a URL, as CDXJ indexes are sorted by; see the module's head for the rules. What is not
 * http(s) (`dns:example.com`, `warcinfo:…`), or cannot be parsed, is its own key, with white space and
 * control characters encoded so that it stays one field of a line.
 *
 * @example
 * ```ts
 * import { surt } from "@ccrawl/cli/url";
 *
 * surt("https://www.example.com/Path/?b=2&a=1"); // "com,example)/path?a=1&b=2"
 * ```
 */
export function surt(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) {
    return oneField(url);
  }
  let host = parsed.hostname;
  while (host.endsWith(".")) host = host.slice(0, -1);
  const port = parsed.port === "" ? "" : ":" + parsed.port;
  const query = parsed.search.length > 1 ? normaliseQuery(parsed.search.slice(1)) : "";
  return reverseHost(host) + port + ")" + normalisePath(parsed.pathname) +
    (query === "" ? "" : "?" + query);
}
