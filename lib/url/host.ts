/**
 * Hosts and the domains they are registered under.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { getDomain } from "tldts";

/**
 * Host of an http(s) URL: lower case, no port, no userinfo, no trailing dot; an IPv6 address keeps its
 * brackets. Cheap for a URL in canonical form, and right for any other.
 *
 * @returns The empty string when the URL has no host or cannot be parsed.
 */
export function hostOf(url: string): string {
  const start = url.startsWith("https://") ? 8 : url.startsWith("http://") ? 7 : 0;
  if (start > 0) {
    let label = start;
    let i = start;
    for (; i < url.length; i++) {
      const c = url.charCodeAt(i);
      if (c === 0x2e) label = i + 1;
      else if (!(c >= 0x61 && c <= 0x7a || c >= 0x30 && c <= 0x39 || c === 0x2d)) break;
    }
    // A last label that begins with a digit may spell an address in another form, `xn--` may be badly
    // spelled, and a host may begin or end with a dot: the parser knows.
    const first = url.charCodeAt(label);
    if (i > label && first >= 0x61 && (i === url.length || url.charCodeAt(i) === 0x2f)) {
      const host = url.slice(start, i);
      if (host.charCodeAt(0) !== 0x2e && !host.includes("xn--")) return host;
    }
  }
  let host = URL.parse(url)?.hostname ?? "";
  while (host.endsWith(".")) host = host.slice(0, -1);
  return host;
}

const OPTIONS = { allowPrivateDomains: true, extractHostname: false, validateHostname: true };

/**
 * Domain that a host is registered under, by the public suffix list with its private section
 * (`a.b.example.co.uk` → `example.co.uk`, `me.github.io` → `me.github.io`). An IP address, a bare
 * suffix (`co.uk`) and a malformed host are their own.
 *
 * @param host In lower case and ASCII form, as {@linkcode hostOf} gives it.
 */
export function registeredDomain(host: string): string {
  // With `extractHostname: false` the empty labels and bad characters of a host are not looked at.
  return wellFormed(host) ? getDomain(host, OPTIONS) ?? host : host;
}

/** Letters, digits, `-` and `_` in labels of 1 to 63, 253 in all (RFC 1035 section 2.3.4). */
function wellFormed(host: string): boolean {
  if (host.length === 0 || host.length > 253) return false;
  let labelStart = 0;
  for (let i = 0; i <= host.length; i++) {
    const c = i < host.length ? host.charCodeAt(i) : 0x2e;
    if (c === 0x2e) {
      if (i === labelStart || i - labelStart > 63) return false;
      labelStart = i + 1;
    } else if (
      !(c >= 0x61 && c <= 0x7a || c >= 0x30 && c <= 0x39 || c === 0x2d || c === 0x5f || c >= 0x80)
    ) {
      return false;
    }
  }
  return true;
}

/** Version of the package that carries the public suffix list; a test holds it to deno.json's pin. */
export const SUFFIX_LIST_PACKAGE = "tldts@7.6.0";

// One host under each kind of rule, and under sections that change often: should the list be swapped
// without its version (an import map, a patched package), most swaps still show.
const PROBES =
  "a.b.com a.b.co.uk a.b.github.io a.b.blogspot.com a.b.kawasaki.jp a.city.kawasaki.jp a.b.ck " +
  "a.www.ck a.b.pages.dev a.b.vercel.app a.b.netlify.app a.b.amazonaws.com a.b.s3.amazonaws.com " +
  "a.b.web.app a.b.workers.dev a.b.deno.dev a.b.myshopify.com a.b.wordpress.com a.b.com.br " +
  "a.b.nom.br a.b.gov.cn a.b.xn--55qx5d.cn a.b.compute.amazonaws.com a.b.azurewebsites.net " +
  "a.b.herokuapp.com a.b.fly.dev a.b.onrender.com a.b.r2.dev a.b.tokyo.jp a.b.c.tokyo.jp";

let hash: string | undefined;

/**
 * What identifies the public suffix list in use: it decides which shard a host belongs to, so a state
 * made under another is not resumed unawares. SHA-256 in hexadecimal of the carrying package's name
 * and version, and of the domains that this list finds for a fixed set of hosts.
 */
export function suffixListHash(): string {
  if (hash === undefined) {
    const h = createHash("sha256").update(SUFFIX_LIST_PACKAGE);
    for (const probe of PROBES.split(" ")) h.update(" " + probe + "=" + registeredDomain(probe));
    hash = h.digest("hex");
  }
  return hash;
}
