/**
 * A host's behaviour is read off its name, so that nothing has to be configured: each label left of
 * `.test` that names a trait switches it on, and a number at its end is the trait's figure.
 * `h1.robots-404.slow-500.test` has no robots.txt and answers pages after half a second.
 *
 * @module
 */

/** Where a trait acts. */
export type TraitGroup = "address" | "dns" | "tls" | "connection" | "robots" | "page" | "graph";

/** Every trait: its group and what it does (`N` is the figure behind the name). */
export const TRAITS: Readonly<Record<string, readonly [group: TraitGroup, does: string]>> = {
  good: ["page", "answers as it should; the default"],

  ip: ["address", "lives on the shared address 127.200.x.y of figure N"],
  v6: ["address", "has no A record, only AAAA ::1"],
  dual: ["address", "has A 127.x and AAAA ::1"],
  many: ["address", "has 60 A records, all 127.x: truncated over UDP"],
  "dead-first": [
    "address",
    "first address (224.0.0.251) cannot be connected to, the second is good",
  ],
  mixed: ["address", "A 93.184.215.14 and A 127.0.0.1"],
  private: ["address", "A 10.1.2.3 alone"],
  "link-local": ["address", "A 169.254.169.254 alone"],
  zero: ["address", "A 0.0.0.0 alone"],
  cgnat: ["address", "A 100.64.0.1 alone"],
  mapped: ["address", "AAAA ::ffff:127.0.0.1 alone"],
  nat64: ["address", "AAAA 64:ff9b::7f00:1 alone"],
  "six-to-four": ["address", "AAAA 2002:7f00:1:: alone"],
  ula: ["address", "AAAA fd00::1 alone"],

  nx: ["dns", "NXDOMAIN; with N, from name server N (from 1) alone"],
  servfail: ["dns", "SERVFAIL; with N, from name server N alone"],
  "dns-refused": ["dns", "REFUSED; with N, from name server N alone"],
  "dns-silent": ["dns", "no answer; with N, from name server N alone"],
  "dns-late": ["dns", "answers after N ms (2000)"],
  "dns-loss": ["dns", "N % of the questions (50) are lost"],
  "dns-flaky": ["dns", "the first N questions (1) are lost"],
  cname: ["dns", "a chain of N aliases (3) before the address, whole in one answer"],
  "cname-bare": ["dns", "an alias without its address: the asker has to follow it"],
  "cname-loop": ["dns", "two aliases that name each other"],
  tc: ["dns", "truncated and empty over UDP, whole over TCP"],
  "tc-silent": ["dns", "truncated over UDP, and TCP never answers"],
  "no-address": ["dns", "NOERROR without an address"],
  ttl: ["dns", "a time to live of N seconds (0)"],
  "dns-wrong-id": ["dns", "answers under another id only"],
  "dns-wrong-name": ["dns", "answers another question only"],
  "dns-spoof": ["dns", "a false answer (other id, 203.0.113.66) before the true one"],
  "dns-garbage": ["dns", "answers bytes that are no message"],
  "dns-pointer-loop": ["dns", "an answer whose name points at itself"],

  "tls-expired": ["tls", "a certificate that ended a day ago"],
  "tls-not-yet": ["tls", "a certificate that starts in a day"],
  "tls-wrong-name": ["tls", "a certificate for another name"],
  "tls-self-signed": ["tls", "a certificate signed by itself"],
  "tls-unknown-ca": ["tls", "a certificate of an authority that nobody knows"],
  "tls-plain": ["tls", "plain http on the TLS port"],
  "tls-alert": ["tls", "fatal alert N (40) instead of a ServerHello"],
  "tls-hang": ["tls", "takes the ClientHello and never says a word"],
  "tls-half": ["tls", "half a ServerHello, then silence"],
  "tls-close": ["tls", "closes on the ClientHello"],
  "tls-garbage": ["tls", "random bytes instead of a ServerHello"],
  "tls-slow": ["tls", "starts the handshake after N ms (1000)"],
  "tls-cut": ["tls", "closes without close_notify after every answer"],

  tarpit: ["connection", "accepts, reads, never answers"],
  "accept-close": ["connection", "closes instead of answering"],
  reset: ["connection", "resets; on the reset port alone (N bytes of body first)"],
  close: ["connection", "`Connection: close` with every answer"],
  keep: ["connection", "`Connection: close` with every N-th answer (3)"],
  drop: ["connection", "closes without a word after every N-th answer (3)"],
  stale: ["connection", "closes an idle connection after N ms (50)"],

  robots: ["robots", "robots.txt answers status N (404)"],
  "robots-private": ["robots", "disallows /private/"],
  "robots-all": ["robots", "disallows everything"],
  "robots-named": ["robots", "disallows everything for CCrawl, nothing for others"],
  "robots-odd": ["robots", "disallows the odd pages /p/1, /p/3, …"],
  "robots-empty": ["robots", "an empty file"],
  "crawl-delay": ["robots", "Crawl-delay: N (1)"],
  "robots-outage": ["robots", "503 to the first N fetches (1), then allows"],
  "robots-cross": ["robots", "redirects to robots.txt of rules.robots-private.test"],
  "robots-chain": ["robots", "N redirects (5) before the file, which disallows /private/"],
  "robots-loop": ["robots", "redirects for ever"],
  "robots-inside": ["robots", "redirects to 127.0.0.1's own robots.txt by address"],
  "robots-big": ["robots", "1 MB; /private/ at its start, /late/ beyond 500 KiB"],
  "robots-slow": ["robots", "answers after N ms (3000)"],
  "robots-silent": ["robots", "never answers"],
  "robots-drip": ["robots", "a byte every N ms (1000), for ever"],
  "robots-close": ["robots", "closes instead of answering"],
  "robots-no-store": ["robots", "Cache-Control: no-store"],
  "robots-max-age": ["robots", "Cache-Control: max-age=N (120)"],
  "robots-gzip": ["robots", "gzip-coded; disallows /private/"],
  "robots-bom": ["robots", "starts with a byte order mark; disallows /private/"],
  "robots-html": ["robots", "200 with a page of HTML"],
  sitemap: ["robots", "robots.txt names /sitemap-index.xml"],
  "sitemap-default": ["robots", "has /sitemap.xml, which robots.txt does not name"],

  slow: ["page", "answers after N ms (10000)"],
  jitter: ["page", "answers after 0 to N ms (100), by page"],
  drip: ["page", "the body a byte every N ms (1000)"],
  endless: ["page", "a body that never ends"],
  "endless-chunked": ["page", "chunks that never end"],
  "endless-head": ["page", "header lines that never end"],
  "bomb-gzip": ["page", "gzip of N MB of zeros (100)"],
  "bomb-br": ["page", "brotli of N MB of zeros (100)"],
  "bomb-zstd": ["page", "zstd of N MB of zeros (100)"],
  status: ["page", "answers status N (503)"],
  "retry-after": ["page", "adds Retry-After: N (2) to what `status` answers"],
  times: ["page", "`status` for the first N requests (1) alone"],
  moved: ["page", "redirects every page to the same path of the first graph host"],
  "moved-loop": ["page", "redirects every page to itself"],
  "moved-private": [
    "page",
    "redirects every page to one of the private addresses, by page: off this machine, with `--allow-private`",
  ],
  gzip: ["page", "gzip-coded pages"],
  br: ["page", "brotli-coded pages"],
  zstd: ["page", "zstd-coded pages"],
  deflate: ["page", "zlib-coded pages"],
  chunked: ["page", "chunked pages"],
  http10: ["page", "HTTP/1.0, no length, closed at the end"],
  size: ["page", "pages of N bytes"],
  same: ["page", "all pages have the same bytes"],
  changed: ["page", "N % of the pages (100) are another version than before"],
  noindex: ["page", "meta robots noindex"],
  nofollow: ["page", "meta robots nofollow"],
  noarchive: ["page", "meta robots noarchive"],
  "x-robots": ["page", "X-Robots-Tag: noindex, nofollow"],
  shared: ["page", "pages whose text is the same on every host"],

  mesh: ["graph", "links at random in many spellings, whatever the web's graph"],
  pages: ["graph", "N pages on this host"],
};

/** The traits of one host: name → figure (`undefined` where none was given). */
export type Traits = ReadonlyMap<string, number | undefined>;

const NONE: Traits = new Map();

/** Reads the traits off a host name, or off labels joined by dots (`robots-404.slow-500`). */
export function traitsOf(name: string): Traits {
  let found: Map<string, number | undefined> | undefined;
  const labels = name.split(".");
  for (let i = labels.length - 1; i >= 0; i--) {
    const hit = readLabel(labels[i]!);
    if (hit !== undefined) (found ??= new Map()).set(hit[0], hit[1]);
  }
  return found ?? NONE;
}

/** The figure of a trait that is on, `fallback` where the name gave none, `undefined` where it is off. */
export function figure(t: Traits, name: string, fallback: number): number | undefined {
  return t.has(name) ? t.get(name) ?? fallback : undefined;
}

function readLabel(label: string): [string, number | undefined] | undefined {
  let name = label;
  const group = name.lastIndexOf("-g");
  if (group > 0 && isDigits(name, group + 2)) name = name.slice(0, group);
  if (Object.hasOwn(TRAITS, name)) return [name, undefined];
  let cut = name.length;
  while (cut > 0 && name.charCodeAt(cut - 1) >= 48 && name.charCodeAt(cut - 1) <= 57) cut--;
  if (cut === name.length || cut < 2) return undefined;
  const number = Number(name.slice(cut));
  // `slow-500`, and `ip7` where a hyphen would only be in the way.
  const stem = name.charCodeAt(cut - 1) === 45 ? name.slice(0, cut - 1) : name.slice(0, cut);
  return Object.hasOwn(TRAITS, stem) ? [stem, number] : undefined;
}

function isDigits(text: string, from: number): boolean {
  if (from >= text.length) return false;
  for (let i = from; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 48 || c > 57) return false;
  }
  return true;
}
