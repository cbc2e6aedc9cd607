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
