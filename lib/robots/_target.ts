/** What of a URL rules are held against. */

const SPACE = 0x20;
const HASH = 0x23;
const SLASH = 0x2f;

/**
 * Path and query of a URL as they are requested; undefined when it cannot be parsed. The URL
 * parser is asked only where the text is not plainly what it would give.
 */
export function requestTarget(url: string): string | undefined {
  let start = 0;
  if (url.charCodeAt(0) !== SLASH) {
    const authority = url.startsWith("https://") ? 8 : url.startsWith("http://") ? 7 : -1;
    if (authority < 0) return parsedTarget(url);
    start = authority;
    while (start < url.length) {
      const c = url.charCodeAt(start);
      if (c === SLASH) break;
      if (c === 0x3f || c === HASH || c === 0x5c || c <= SPACE) return parsedTarget(url);
      start++;
    }
    if (start === url.length || start === authority) return parsedTarget(url);
  }
  let end = url.length;
  for (let i = start; i < end; i++) {
    const c = url.charCodeAt(i);
    if (c === HASH) end = i;
    else if (c <= SPACE || c === 0x5c) return parsedTarget(url);
    else if (c === 0x2e || c === 0x25) {
      // Perhaps a dot segment.
      if (url.charCodeAt(i - 1) === SLASH) return parsedTarget(url);
    }
  }
  return start === 0 && end === url.length ? url : url.slice(start, end);
}

function parsedTarget(url: string): string | undefined {
  const parsed = url.charCodeAt(0) === SLASH ? URL.parse("http://a" + url) : URL.parse(url);
  return parsed === null ? undefined : parsed.pathname + parsed.search;
}
