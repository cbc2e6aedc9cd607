/**
 * What the crawler says of itself in every request.
 *
 * @module
 */

/** The header lines of a request after Host, in the order sent. */
export function requestHeaders(userAgent: string): [name: string, value: string][] {
  return [
    ["User-Agent", userAgent],
    ["Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"],
    ["Accept-Encoding", "gzip, br, zstd, deflate"],
  ];
}

/**
 * The product token of a user agent, lower-cased: its leading letters, `_` and `-` (RFC 9309,
 * section 2.2.1). Empty where it begins with none.
 */
export function productToken(userAgent: string): string {
  return /^[A-Za-z_-]*/.exec(userAgent)![0].toLowerCase();
}
