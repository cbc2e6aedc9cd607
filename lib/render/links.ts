import { decodeHTMLAttribute } from "entities/decode";
import { isName, TagScanner } from "./_scan.ts";

/** One place that a page points to. */
export interface PageLink {
  /**
   * The attribute's value with character references decoded and stripped as the URL standard strips
   * its input (C0 controls and spaces at both ends, tabs and line breaks anywhere). Not resolved.
   */
  readonly href: string;
  /** Whether every link of the page with this value says `rel=nofollow`. */
  readonly nofollow: boolean;
}

/** What a page says about where to go on. */
export interface PageLinks {
  /** The first `<base href>`, against which the others resolve (itself resolved against the page). */
  readonly base?: string;
  /** Distinct links in the order of the page. */
  readonly links: readonly PageLink[];
  /** `content` of each `<meta name=robots>` and `<meta name=ccrawl>`, as written. */
  readonly robotsMeta: readonly string[];
  /** The first `<link rel=canonical>`. */
  readonly canonical?: string;
  /** Target of the first `<meta http-equiv=refresh>` that has one. */
  readonly refresh?: string;
}

/** Options of {@linkcode extractLinks}. */
export interface LinkOptions {
  /** Distinct links kept. @default 10000 */
  readonly maxLinks?: number;
}

/** Longest attribute value read; a longer one is passed over, since half a URL is a wrong URL. */
const LONGEST_VALUE = 8_000;
const MOST_ROBOTS_META = 32;
const READ: ReadonlySet<string> = new Set(["a", "area", "frame", "iframe", "base", "link", "meta"]);

/**
 * Find the links of a page in one pass over its source, without building a tree.
 *
 * Followed are `a[href]`, `area[href]`, `frame[src]`, `iframe[src]`, and of `link[href]` those that
 * lead to further pages: `rel=next`, `rel=prev`, and `rel=alternate` unless its type says that it is
 * no page (feeds, oEmbed). Left out are empty values, bare fragments, schemes other than http and
 * https, and what stands in a `<template>` (inert, and mostly full of placeholders) unless it is a
 * declarative shadow root. Links in `<noscript>` count: a crawler runs no scripts.
 *
 * Linear in the input and bounded by `maxLinks`; an attribute over 8 000 characters is ignored.
 *
 * @example Usage
 * ```ts
 * import { extractLinks } from "@ccrawl/cli/render";
 * import assert from "node:assert/strict";
 *
 * const page = extractLinks('<base href="/b/"><a href="x?a=1&amp;b=2" rel=nofollow>x</a>');
 * assert.deepEqual(page.links, [{ href: "x?a=1&b=2", nofollow: true }]);
 * assert.equal(page.base, "/b/");
 * ```
 */
export function extractLinks(html: string, options: LinkOptions = {}): PageLinks {
  const maxLinks = options.maxLinks ?? 10_000;
  const scanner = new TagScanner(html);
  const attributes = new Attributes();
  const links = new Map<string, boolean>();
  const robotsMeta: string[] = [];
  let base: string | undefined, canonical: string | undefined, refresh: string | undefined;
  let inert = 0;

  const add = (href: string | undefined, rel: string | undefined): void => {
    if (!href || !isFollowable(href)) return;
    const nofollow = rel !== undefined && hasToken(rel, "nofollow");
    const known = links.get(href);
    if (known === undefined) {
      if (links.size < maxLinks) links.set(href, nofollow);
    } else if (known && !nofollow) links.set(href, false);
  };

  for (let name = scanner.next(); name !== undefined; name = scanner.next()) {
    if (name === "template") {
      if (scanner.closing) {
        if (inert > 0) inert--;
      } else if (inert > 0 || !attributes.read(scanner, html).shadow) inert++;
    } else if (!scanner.closing && inert === 0 && READ.has(name)) {
      const { href, src, rel, content } = attributes.read(scanner, html);
      if (scanner.cut) break; // a tag that the input ends in never was one
      if (name === "a" || name === "area") add(href, rel);
      else if (name === "frame" || name === "iframe") add(src, undefined);
      else if (name === "base") base ??= href || undefined;
      else if (name === "link") {
        if (!href || !rel) { /* says nothing */ }
        else if (hasToken(rel, "canonical")) canonical ??= href;
        else if (leadsOn(rel, attributes.type)) add(href, rel);
      } else if (content) {
        const meta = attributes.name?.toLowerCase();
        if (meta === "robots" || meta === "ccrawl") {
          if (robotsMeta.length < MOST_ROBOTS_META) robotsMeta.push(content);
        } else if (attributes.httpEquiv?.toLowerCase() === "refresh") {
          refresh ??= refreshTarget(content);
        }
      }
    }
    scanner.finish(name);
  }
  const found: PageLink[] = [];
  for (const [href, nofollow] of links) found.push({ href, nofollow });
  return {
    ...(base !== undefined && { base }),
    links: found,
    robotsMeta,
    ...(canonical !== undefined && { canonical }),
    ...(refresh !== undefined && { refresh }),
  };
}

/** The attributes of one tag that matter here; one object serves all tags of a page. */
class Attributes {
  href: string | undefined;
  src: string | undefined;
  rel: string | undefined;
  type: string | undefined;
  name: string | undefined;
  content: string | undefined;
  httpEquiv: string | undefined;
  shadow = false;

  /** Read the tag that the scanner stands in. The first of several attributes of a name counts. */
  read(scanner: TagScanner, html: string): this {
    this.href =
      this.src =
      this.rel =
      this.type =
        undefined;
    this.name = this.content = this.httpEquiv = undefined;
    this.shadow = false;
    while (scanner.attribute()) {
      const { nameStart, nameEnd } = scanner;
      switch (nameEnd - nameStart) {
        case 3:
          if (isName(html, nameStart, "src")) this.src ??= url(scanner, html);
          else if (isName(html, nameStart, "rel")) this.rel ??= value(scanner, html);
          break;
        case 4:
          if (isName(html, nameStart, "href")) this.href ??= url(scanner, html);
          else if (isName(html, nameStart, "name")) this.name ??= value(scanner, html);
          else if (isName(html, nameStart, "type")) this.type ??= value(scanner, html);
          break;
        case 7:
          if (isName(html, nameStart, "content")) this.content ??= value(scanner, html);
          break;
        case 10:
          if (isName(html, nameStart, "http-equiv")) this.httpEquiv ??= value(scanner, html);
          break;
        case 14:
          if (isName(html, nameStart, "shadowrootmode")) this.shadow = true;
      }
    }
    return this;
  }
}

/** The current attribute's value, character references decoded; empty when it is too long. */
function value(scanner: TagScanner, html: string): string {
  const { valueStart, valueEnd } = scanner;
  if (valueEnd - valueStart > LONGEST_VALUE) return "";
  const raw = html.slice(valueStart, valueEnd);
  return raw.includes("&") ? decodeHTMLAttribute(raw) : raw;
}

/** The current attribute's value as the URL parser would see it. */
function url(scanner: TagScanner, html: string): string {
  const { valueStart, valueEnd } = scanner;
  // Nearly every one is clean; reading the source is cheaper than reading a slice of it.
  for (let i = valueStart; i < valueEnd; i++) {
    const c = html.charCodeAt(i);
    if (c <= 32 || c === 38) return stripUrl(value(scanner, html));
  }
  return valueEnd - valueStart > LONGEST_VALUE ? "" : html.slice(valueStart, valueEnd);
}

/** URL standard, basic URL parser, steps 1 to 3: strip both ends, drop tabs and line breaks. */
function stripUrl(s: string): string {
  let start = 0, end = s.length;
  while (start < end && s.charCodeAt(start) <= 32) start++;
  while (end > start && s.charCodeAt(end - 1) <= 32) end--;
  let inner = false;
  for (let i = start; i < end; i++) {
    const c = s.charCodeAt(i);
    if (c === 9 || c === 10 || c === 13) {
      inner = true;
      break;
    }
  }
  const stripped = start === 0 && end === s.length ? s : s.slice(start, end);
  return inner ? stripped.replace(/[\t\n\r]/g, "") : stripped;
}

/** Whether a stripped reference can lead to another page over http. */
function isFollowable(href: string): boolean {
  if (href === "" || href.charCodeAt(0) === 35 /* # */) return false;
  // A scheme is a letter, then letters, digits, "+", "-", "." up to a colon.
  for (let i = 0; i < href.length; i++) {
    const c = href.charCodeAt(i);
    if (c === 58 /* : */) {
      if (i === 0) return true;
      const scheme = href.slice(0, i).toLowerCase();
      return scheme === "http" || scheme === "https";
    }
    const letter = (c | 32) >= 97 && (c | 32) <= 122;
    if (!letter && (i === 0 || !(c >= 48 && c <= 57 || c === 43 || c === 45 || c === 46))) {
      return true;
    }
  }
  return true;
}

/** Whether a space-separated attribute holds a token, whatever its case. */
function hasToken(list: string, token: string): boolean {
  if (list.length < token.length) return false;
  const lower = list.toLowerCase();
  for (let at = lower.indexOf(token); at >= 0; at = lower.indexOf(token, at + 1)) {
    const end = at + token.length;
    if (
      (at === 0 || lower.charCodeAt(at - 1) <= 32) &&
      (end === lower.length || lower.charCodeAt(end) <= 32)
    ) return true;
  }
  return false;
}

/** Whether a `link` element with this relation names a further page. */
function leadsOn(rel: string, type: string | undefined): boolean {
  if (hasToken(rel, "next") || hasToken(rel, "prev")) return true;
  if (!hasToken(rel, "alternate") || hasToken(rel, "stylesheet")) return false;
  return !type || /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type);
}

/** Target of a refresh by the HTML standard's shared declarative refresh steps; undefined if none. */
function refreshTarget(content: string): string | undefined {
  let i = 0;
  const space = () => {
    while (i < content.length && content.charCodeAt(i) <= 32) i++;
  };
  space();
  const from = i;
  while (i < content.length && (/[0-9.]/.test(content[i]!))) i++;
  if (i === from) return undefined;
  space();
  if (content[i] === ";" || content[i] === ",") i++;
  space();
  const word = content.slice(i, i + 3).toLowerCase();
  if (word === "url") {
    const back = i;
    i += 3;
    space();
    if (content[i] === "=") {
      i++;
      space();
    } else i = back;
  }
  const quote = content[i];
  let target: string;
  if (quote === '"' || quote === "'") {
    const end = content.indexOf(quote, i + 1);
    target = content.slice(i + 1, end < 0 ? content.length : end);
  } else target = content.slice(i);
  target = stripUrl(target);
  return target !== "" && isFollowable(target) ? target : undefined;
}
