/**
 * Internet addresses: their strict text forms, which of them a crawler may connect to, and which ports are
 * not for the web.
 *
 * @module
 */

/** Reads dotted decimal (`192.0.2.1`) between two offsets; leading zeros are refused, since some read octal. */
function parseIPv4(text: string, from: number, out: Uint8Array, at: number): boolean {
  let part = 0;
  let value = -1;
  for (let i = from; i <= text.length; i++) {
    const c = i < text.length ? text.charCodeAt(i) : 0x2e;
    if (c === 0x2e) {
      if (value < 0 || part > 3) return false;
      out[at + part++] = value;
      value = -1;
    } else if (c >= 0x30 && c <= 0x39) {
      if (value === 0) return false;
      value = (value < 0 ? 0 : value * 10) + c - 0x30;
      if (value > 255) return false;
    } else return false;
  }
  return part === 4;
}

function hexDigit(c: number): number {
  if (c >= 0x30 && c <= 0x39) return c - 0x30;
  const lower = c | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** Reads RFC 4291 section 2.2's forms, the one that ends in dotted decimal among them. */
function parseIPv6(text: string): Uint8Array | null {
  const out = new Uint8Array(16);
  let at = 0;
  let gap = -1;
  let i = 0;
  if (text.startsWith("::")) {
    gap = 0;
    i = 2;
  }
  while (i < text.length) {
    if (at > 14) return null;
    let value = 0;
    const start = i;
    let digit = -1;
    while (i < text.length && (digit = hexDigit(text.charCodeAt(i))) >= 0) {
      value = value << 4 | digit;
      if (++i - start > 4) return null;
    }
    const c = i < text.length ? text.charCodeAt(i) : -1;
    if (c === 0x2e) {
      if (at > 12 || !parseIPv4(text, start, out, at)) return null;
      at += 4;
      break;
    }
    if (i === start) return null;
    out[at++] = value >> 8;
    out[at++] = value & 255;
    if (c === -1) break;
    if (c !== 0x3a) return null;
    i++;
    if (text.charCodeAt(i) === 0x3a) {
      if (gap >= 0) return null;
      gap = at;
      i++;
    } else if (i === text.length) return null;
  }
  if (gap < 0) return at === 16 ? out : null;
  if (at > 14) return null;
  out.copyWithin(16 - (at - gap), gap, at);
  out.fill(0, gap, 16 - (at - gap));
  return out;
}

/**
 * Reads an IPv4 or IPv6 address in its strict text form into its 4 or 16 bytes; `null` if it is none.
 * Zone identifiers, brackets, leading zeros in IPv4, and short or hexadecimal IPv4 forms are refused.
 */
export function parseAddress(text: string): Uint8Array | null {
  if (text.length > 45) return null;
  if (text.includes(":")) return parseIPv6(text);
  const out = new Uint8Array(4);
  return parseIPv4(text, 0, out, 0) ? out : null;
}

/** Writes 4 or 16 bytes as an address, IPv6 in the form of RFC 5952 section 4. */
export function formatAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`;
  let bestAt = -1;
  let best = 1;
  for (let i = 0; i < 8; i++) {
    let run = 0;
    while (i + run < 8 && bytes[2 * (i + run)] === 0 && bytes[2 * (i + run) + 1] === 0) run++;
    if (run > best) {
      bestAt = i;
      best = run;
    }
    i += run;
  }
  let out = "";
  for (let i = 0; i < 8; i++) {
    if (i === bestAt) {
      out += "::";
      i += best - 1;
      continue;
    }
    if (i > 0 && i !== bestAt + best) out += ":";
    out += (bytes[2 * i]! << 8 | bytes[2 * i + 1]!).toString(16);
  }
  return out;
}

/** First and last address of every IPv4 block that is not globally reachable unicast, in order. */
const IPV4_REFUSED: readonly (readonly [first: number, last: number])[] = ([
  ["0.0.0.0", 8], // this network
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT
  ["127.0.0.0", 8], // loopback
  ["169.254.0.0", 16], // link-local
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // 6to4 relays
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarking
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, and the broadcast address
] as const).map(([base, bits]) => {
  const first = toNumber(parseAddress(base)!);
  return [first, first + 2 ** (32 - bits) - 1];
});

function toNumber(b: Uint8Array): number {
  return ((b[0]! << 24 | b[1]! << 16 | b[2]! << 8 | b[3]!) >>> 0);
}

/**
 * Whether an address is globally reachable unicast: the only ones a crawl connects to unless told otherwise.
 * By IANA's special-purpose registries (RFC 6890), with these closed as well: everything outside 2000::/3,
 * the whole of 2001::/23, and all forms that carry an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo),
 * since they are ways around the rule. What is no address is not global.
 *
 * @example
 * ```ts
 * import { isGlobalAddress } from "@ccrawl/cli/fetch";
 *
 * isGlobalAddress("93.184.216.34"); // true
 * isGlobalAddress("::ffff:127.0.0.1"); // false
 * ```
 */
export function isGlobalAddress(ip: string): boolean {
  const b = parseAddress(ip);
  if (b === null) return false;
  if (b.length === 4) {
    const n = toNumber(b);
    for (const [first, last] of IPV4_REFUSED) if (n >= first && n <= last) return false;
    return true;
  }
  // Global unicast is 2000::/3. Outside of it: loopback, unspecified, mapped, compatible, NAT64, discard-only,
  // unique-local, link-local, site-local, multicast, segment routing.
  if (b[0]! >> 5 !== 1) return false;
  const group0 = b[0]! << 8 | b[1]!;
  const group1 = b[2]! << 8 | b[3]!;
  if (group0 === 0x2001) {
    // 2001::/23: Teredo, benchmarking, ORCHID and the rest; 2001:db8::/32: documentation.
    return group1 >= 0x200 && group1 !== 0xdb8;
  }
  if (group0 === 0x2002) return false; // 6to4
  return !(group0 === 0x3fff && group1 < 0x1000); // 3fff::/20: documentation
}

/** The fetch standard's bad ports (section "Port blocking"). */
// deno-fmt-ignore
const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526,
  530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659,
  4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Whether a port is never asked for web pages: the fetch standard's bad-port list. */
export function isBadPort(port: number): boolean {
  return BAD_PORTS.has(port);
}
