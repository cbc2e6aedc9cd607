/**
 * What the engine reads out of an answer: digest, links, redirect target, directives.
 * CPU work, meant to run off the fetch thread.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { encodeBase32 } from "./base32.ts";
import { canonicalUrl, LinkCanonicalizer } from "../url/mod.ts";
import { decodeBody, decodeText, MAX_DECODED } from "../net/mod.ts";
import { extractLinks } from "../render/links.ts";
import { readSitemap, type Sitemap } from "../sitemap/mod.ts";

/** The parts of an answer that are looked at. */
export interface PageInput {
  /** URL asked for, canonical. */
  readonly url: string;
  readonly status: number;
  /** Header values, joined with ", " where a name repeats; empty where it was not sent. */
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly location: string;
  readonly robotsTag: string;
  /** Body with transfer coding removed, content coding kept. */
  readonly body: Uint8Array;
  /** Base32 SHA-1 of `body`, where it was computed already. */
  readonly bodyDigest?: string;
  /** Why the body is not all of it, where it is not. */
  readonly truncated?: string;
  /** Look whether it is a sitemap, which it may be `expected` to be; not looked at when left out. */
  readonly sitemap?: { readonly expected: boolean };
}

/** What was found. */
export interface PageFacts {
  /** Base32 SHA-1 of the decoded body (of the body as it is where decoding fails). */
  readonly digest: string;
  /** Distinct links to http and https URLs, canonical, without the page itself; of a sitemap, what it lists. */
  readonly links: readonly string[];
  /** Set where the answer is a sitemap. */
  readonly sitemap?: Sitemap["kind"];
  /** When the pages that it lists were changed, where it says so: unix ms by URL. */
  readonly lastmods?: ReadonlyMap<string, number>;
  /** Canonical target of a 3xx with a usable Location. */
  readonly redirect?: string;
  /** Lower-cased words of meta robots and X-Robots-Tag that concern us. */
  readonly directives: readonly string[];
}

/** Most characters of markup that are scanned for links. */
const MAX_MARKUP = 16 * 2 ** 20;
/** Links kept of one page. */
const MAX_LINKS = 10_000;

/** Whether the answer is HTML, by its declared type or, where none was sent, by its first bytes. */
export function isHtml(contentType: string, body: Uint8Array): boolean {
  const mime = mimeOf(contentType);
  if (mime !== "") return mime === "text/html" || mime === "application/xhtml+xml";
  let at = 0;
  while (at < 512 && at < body.length && (body[at]! <= 0x20 || body[at]! >= 0x80)) at++;
  if (body[at] !== 0x3c) return false;
  const start = String.fromCharCode(...body.subarray(at, at + 64)).toLowerCase();
  return HTML_STARTS.some((tag) => start.startsWith(tag));
}

const HTML_STARTS = [
  "<!doctype html",
  "<html",
  "<head",
  "<title",
  "<meta",
  "<body",
  "<script",
  "<style",
  "<link",
  "<div",
  "<p>",
  "<h1",
  "<table",
  "<a ",
  "<br",
  "<font",
  "<iframe",
  "<b>",
  "<!--",
];

/** The type of a Content-Type value: lower-cased, parameters dropped. */
export function mimeOf(contentType: string): string {
  const end = contentType.search(/[;,]/);
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** Whether a status sends us elsewhere: any 3xx but 304, which speaks of what we have already. */
export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

/** Reads an answer. Never throws on what a server sent. */
export function readPage(page: PageInput): PageFacts {
  const coded = page.contentEncoding !== "" && page.body.length > 0;
  const decoded = coded
    ? decodeBody(page.body, page.contentEncoding, MAX_DECODED)
    : { bytes: page.body, decoded: true };
  const digest = coded && decoded.decoded
    ? sha1(decoded.bytes)
    : page.bodyDigest ?? sha1(page.body);
  const directives = directivesOf(page.robotsTag);
  const redirect = isRedirect(page.status) && page.location !== ""
    ? canonicalUrl(page.location, page.url)
    : undefined;
  const sitemap = page.sitemap === undefined || page.status < 200 || page.status > 299
    ? undefined
    : readSitemap({
      body: decoded.bytes,
      contentType: page.contentType,
      url: page.url,
      expected: page.sitemap.expected,
      truncated: page.truncated !== undefined || !decoded.decoded,
    });
  let links: string[] = [];
  const lastmods = new Map<string, number>();
  if (sitemap !== undefined) links = listedUrls(page.url, sitemap, lastmods);
  else if (decoded.bytes.length > 0 && isHtml(page.contentType, decoded.bytes)) {
    const bytes = decoded.bytes.length > MAX_MARKUP
      ? decoded.bytes.subarray(0, MAX_MARKUP)
      : decoded.bytes;
    const found = extractLinks(decodeText(bytes, page.contentType, { html: true }).text, {
      maxLinks: MAX_LINKS,
    });
    for (const content of found.robotsMeta) directives.push(...directivesOf(content));
    links = canonicalLinks(page.url, found);
  }
  return {
    digest,
    links,
    directives,
    ...(redirect === undefined ? {} : { redirect }),
    ...(sitemap === undefined ? {} : { sitemap: sitemap.kind, lastmods }),
  };
}

function sha1(bytes: Uint8Array): string {
  return encodeBase32(createHash("sha1").update(bytes).digest());
}

function listedUrls(
  url: string,
  { entries }: Sitemap,
  lastmods: Map<string, number>,
): string[] {
  const canonicalizer = new LinkCanonicalizer(url);
  const listed = new Set<string>();
  for (const { loc, lastmod } of entries) {
    const one = canonicalizer.resolve(loc);
    if (one === undefined || one === url) continue;
    listed.add(one);
    if (lastmod !== undefined) lastmods.set(one, lastmod);
  }
  return [...listed];
}

function canonicalLinks(url: string, found: ReturnType<typeof extractLinks>): string[] {
  const base = found.base === undefined ? url : canonicalUrl(found.base, url) ?? url;
  const canonicalizer = new LinkCanonicalizer(base);
  const seen = new Set<string>();
  const add = (href: string) => {
    const link = canonicalizer.resolve(href);
    if (link !== undefined && link !== url) seen.add(link);
  };
  for (const { href } of found.links) add(href);
  if (found.refresh !== undefined) add(found.refresh);
  return [...seen];
}

/**
 * Directives of a robots meta or X-Robots-Tag value that hold for us: those addressed to everybody
 * (`noindex, nofollow`) or to our token (`ccrawl: noarchive`).
 */
export function directivesOf(value: string): string[] {
  const out: string[] = [];
  let ours = true;
  for (const part of value.slice(0, 4096).toLowerCase().split(",")) {
    let word = part.trim();
    const colon = word.indexOf(":");
    if (colon >= 0) {
      const name = word.slice(0, colon).trim();
      if (DIRECTIVES_WITH_VALUE.has(name)) continue;
      ours = name === "ccrawl";
      word = word.slice(colon + 1).trim();
    }
    if (ours && word !== "" && word.length <= 32 && out.length < 32) out.push(word);
  }
  return out;
}

const DIRECTIVES_WITH_VALUE = new Set([
  "max-snippet",
  "max-image-preview",
  "max-video-preview",
  "unavailable_after",
]);
