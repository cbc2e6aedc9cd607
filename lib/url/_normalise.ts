/** Percent-encoding and tracking parameters of a parsed URL's path and query. */

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
export function normalisePercent(s: string): string {
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
  const end = pair.indexOf("=");
  const length = end < 0 ? pair.length : end;
  if (length >= 4 && pair.slice(0, 4).toLowerCase() === "utm_") return true;
  return length <= 7 && NAMES.has(pair.slice(0, length).toLowerCase());
}

/** A query without its `?`, percent-normalised; the tracking parameters are left out. */
export function dropTracking(query: string): string {
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
