/**
 * The one spelling in which rules and URLs are compared (RFC 9309 section 2.2.2).
 *
 * In both, an escape of a character that stands for itself (unreserved, or a delimiter other than `/`,
 * `?`, `#` and `%`) is decoded, hexadecimal digits are upper case, and whatever may not stand raw in a
 * URL is encoded. An encoded `/` or `?` is another octet than a raw one in a path, and the same in a
 * query, where neither delimits anything.
 */

/** Stands for `*` in a pattern; no raw NUL is ever written. */
export const WILDCARD = 0;

const PERCENT = 0x25;
const STAR = 0x2a;
const SLASH = 0x2f;
const QUESTION = 0x3f;

/** Unreserved characters and delimiters of RFC 3986 section 2: those that stand raw. */
const RAW = new Uint8Array(256);
for (
  const c of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?[]@!$&'()*+,;=%"
) {
  RAW[c.charCodeAt(0)] = 1;
}
/** Those of them that an escape is decoded to. */
const DECODED = RAW.slice();
for (const c of "/?#%") DECODED[c.charCodeAt(0)] = 0;

const HEX = new Uint8Array(256).fill(255);
for (let i = 0; i < 10; i++) HEX[0x30 + i] = i;
for (let i = 0; i < 6; i++) HEX[0x41 + i] = HEX[0x61 + i] = 10 + i;

const DIGITS = new TextEncoder().encode("0123456789ABCDEF");

/** Octets under construction. Grows; one is reused for every URL. */
export class Octets {
  bytes: Uint8Array<ArrayBuffer>;
  length = 0;
  /** Bit `octet & 31` for every octet that is not a wildcard. */
  mask = 0;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
  }

  clear(): void {
    this.length = 0;
    this.mask = 0;
  }

  /** Makes room for `more` octets. */
  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + more));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  push(octet: number): void {
    if (this.length === this.bytes.length) this.reserve(1);
    this.bytes[this.length++] = octet;
    if (octet !== WILDCARD) this.mask |= 1 << (octet & 31);
  }

  pushEscape(byte: number): void {
    this.push(PERCENT);
    this.push(DIGITS[byte >> 4]!);
    this.push(DIGITS[byte & 15]!);
  }
}

/**
 * Appends `source` from `from` to `to` in the one spelling.
 *
 * @param pattern Whether `*` is a wildcard (runs of it are one).
 * @param decodeInQuery Whether an encoded `/` or `?` after the first raw `?` is decoded.
 * @returns Whether something was (or, undecoded, would be) decoded by `decodeInQuery`.
 */
function append(
  out: Octets,
  source: Uint8Array,
  from: number,
  to: number,
  pattern: boolean,
  decodeInQuery: boolean,
): boolean {
  let inQuery = false;
  let differs = false;
  for (let i = from; i < to; i++) {
    const c = source[i]!;
    if (c === PERCENT && i + 2 < to) {
      const high = HEX[source[i + 1]!]!;
      const low = HEX[source[i + 2]!]!;
      if (high !== 255 && low !== 255) {
        const byte = high << 4 | low;
        i += 2;
        if (inQuery && (byte === SLASH || byte === QUESTION)) {
          differs = true;
          if (decodeInQuery) {
            out.push(byte);
            continue;
          }
        }
        if (DECODED[byte] === 1) out.push(byte);
        else out.pushEscape(byte);
        continue;
      }
    }
    if (pattern && c === STAR) {
      if (out.length === 0 || out.bytes[out.length - 1] !== WILDCARD) out.push(WILDCARD);
    } else if (RAW[c] === 1) {
      if (c === QUESTION) inQuery = true;
      out.push(c);
    } else out.pushEscape(c);
  }
  return differs;
}

/** A pattern's octets in `out`; a final raw `$` must have been cut off. */
export function patternOctets(out: Octets, source: Uint8Array, from: number, to: number): void {
  out.clear();
  append(out, source, from, to, true, true);
}

const encoder = new TextEncoder();
let utf8 = new Uint8Array(8192);

/**
 * The octets of a URL's path and query: in `plain` with an encoded `/` or `?` left as it is, and in
 * `decoded` with those of the query decoded. Where the two are the same, `plain` is both.
 *
 * @returns The one that holds the decoded spelling.
 */
export function urlOctets(target: string, plain: Octets, decoded: Octets): Octets {
  if (target.length * 3 > utf8.length) utf8 = new Uint8Array(target.length * 3);
  const length = encoder.encodeInto(target, utf8).written;
  plain.clear();
  if (!append(plain, utf8, 0, length, false, false)) return plain;
  decoded.clear();
  append(decoded, utf8, 0, length, false, true);
  return decoded;
}

/** A pattern as it may be read: wildcards as `*`, a literal star as `%2A`. */
export function patternText(octets: Uint8Array, anchored: boolean): string {
  let out = "";
  for (const octet of octets) {
    out += octet === WILDCARD ? "*" : octet === STAR ? "%2A" : String.fromCharCode(octet);
  }
  if (anchored) return out + "$";
  return out.endsWith("$") ? out.slice(0, -1) + "%24" : out;
}
