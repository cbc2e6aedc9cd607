/**
 * Telling a sitemap from any other answer, and reading it.
 *
 * @module
 */

import { isUtf8 } from "node:buffer";
import { decodeBody, decodeText } from "../net/mod.ts";
import { isAbsolute, SitemapReader } from "./_reader.ts";
import { XmlScanner } from "./_scanner.ts";

/** Entries taken of one file, as the protocol has it. */
export const MAX_SITEMAP_URLS = 50_000;
/** Bytes read of one file, unpacked: the protocol's 50 MB. */
export const MAX_SITEMAP_BYTES = 52_428_800;

/** What a file is: pages, other sitemaps (`index`), or the pages of a feed. */
export type SitemapKind = "urlset" | "index" | "rss" | "atom" | "text";

/** A page (or, in an index, a sitemap) that a sitemap names. */
export interface SitemapEntry {
  /** Its address as written, character references resolved: to be resolved and checked by the reader. */
  readonly loc: string;
  /** When it was changed, unix ms, where that is said and can be read. */
  readonly lastmod?: number;
}

/** A sitemap that was read. */
export interface Sitemap {
  /** Which it is. */
  readonly kind: SitemapKind;
  /** In their order. */
  readonly entries: readonly SitemapEntry[];
  /** Whether there is more of it: beyond the bounds, or cut off. */
  readonly cut: boolean;
}

/** An answer that may be a sitemap. */
export interface SitemapInput {
  /** Its body, content coding undone. */
  readonly body: Uint8Array;
  /** The Content-Type field's value; empty where there was none. */
  readonly contentType: string;
  /** The URL asked for. */
  readonly url: string;
  /** Whether a robots.txt or an index called it a sitemap, so that plain text is taken for one. */
  readonly expected?: boolean;
  /** Whether the body is not all that the server meant to send. */
  readonly truncated?: boolean;
}

/** What is looked at first. */
const SAMPLE = 4096;
/** Bytes decoded at a time. */
const SLICE = 1 << 18;
/** A document that has not come to its root after so many bytes is something else. */
const MAX_PROLOGUE = 1 << 16;

/**
 * Reads an answer as a sitemap: an XML sitemap or an index of them, an RSS or Atom feed, each known by
 * its root element whatever its Content-Type says; plain text, an address a line, where the path says
 * that it is a sitemap (or `expected` does); any of them packed with gzip.
 *
 * Files that were cut, or lie about their encoding, give what can be read of them. Time is linear in
 * the bytes, within the bounds.
 *
 * @returns Undefined for what is no sitemap.
 */
export function readSitemap(input: SitemapInput): Sitemap | undefined {
  const { body } = input;
  if (body.length < 2) return undefined;
  if (body[0] !== 0x1f || body[1] !== 0x8b) return read(input, body, input.truncated ?? false);
  // Most of what is packed is something else: that is seen in its beginning.
  const start = decodeBody(body.subarray(0, 4 * SAMPLE), "gzip", SAMPLE).bytes;
  if (!mayBe(input, start)) return undefined;
  const { bytes, decoded } = decodeBody(body, "gzip", MAX_SITEMAP_BYTES);
  return read(input, bytes, !decoded);
}

function read(input: SitemapInput, bytes: Uint8Array, cut: boolean): Sitemap | undefined {
  if (!mayBe(input, bytes)) return undefined;
  const within = bytes.subarray(0, MAX_SITEMAP_BYTES);
  const ended = cut || within.length < bytes.length;
  const pieces = textOf(within, input.contentType);
  const sitemap = startsTag(bytes) ? readXml(pieces) : readText(pieces, ended);
  return sitemap && { ...sitemap, cut: sitemap.cut || ended };
}

/** Whether the first bytes speak against it. */
function mayBe(input: SitemapInput, bytes: Uint8Array): boolean {
  if (startsTag(bytes)) return true;
  const mime = input.contentType.split(/[;,]/, 1)[0]!.trim().toLowerCase();
  if (input.expected === true) return !mime.includes("html");
  const { pathname } = URL.parse(input.url) ?? { pathname: "" };
  return (mime === "text/plain" || pathname.endsWith(".gz")) && /sitemap/i.test(pathname);
}

/** Whether the first character that is no white space is a "<", in any encoding there is. */
function startsTag(bytes: Uint8Array): boolean {
  const end = Math.min(bytes.length, SAMPLE);
  for (let i = 0; i < end; i++) {
    const byte = bytes[i]!;
    if (byte === 0x3c) return true;
    // White space, a byte order mark, the other half of a wide character.
    if (byte > 32 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf && byte < 0xfe) return false;
  }
  return false;
}

/** The text, a slice at a time. */
function* textOf(bytes: Uint8Array, contentType: string): Generator<string, void, void> {
  const { source, charset: found } = decodeText(bytes.subarray(0, SAMPLE), contentType, {
    html: false,
  });
  const told = source === "bom" || source === "http" || source === "meta" ||
    found.startsWith("utf-16");
  const charset = told ? found : isUtf8(withoutCutEnd(bytes)) ? "utf-8" : "windows-1252";
  const decoder = decoderFor(charset);
  for (let at = 0; at < bytes.length; at += SLICE) {
    yield decoder.decode(bytes.subarray(at, at + SLICE), { stream: at + SLICE < bytes.length });
  }
}

/** Without the character that a cut may have left in part. */
function withoutCutEnd(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && end > bytes.length - 4 && bytes[end - 1]! >= 0x80) end--;
  return bytes.subarray(0, end);
}

/** A decoder of its own, as one that streams cannot be shared. */
function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder(); // one of the two that only pages of old are written in
  }
}

function readXml(pieces: Iterable<string>): Sitemap | undefined {
  const reader = new SitemapReader(MAX_SITEMAP_URLS);
  const scanner = new XmlScanner(reader);
  let seen = 0;
  for (const piece of pieces) {
    // The first piece is short, since most documents are something else.
    if (seen === 0) {
      scanner.push(piece.slice(0, SAMPLE));
      if (!reader.stopped) scanner.push(piece.slice(SAMPLE));
    } else scanner.push(piece);
    seen += piece.length;
    if (reader.stopped || scanner.over || reader.kind === undefined && seen > MAX_PROLOGUE) break;
  }
  if (!reader.stopped) scanner.end();
  if (reader.kind === undefined) return undefined;
  if (!reader.cut) reader.end();
  const { kind, entries, cut } = reader;
  return { kind, entries, cut: cut || scanner.over };
}

/** A line longer than this is no address. */
const MAX_LINE = 16_384;

function readText(pieces: Iterable<string>, ended: boolean): Sitemap | undefined {
  const entries: SitemapEntry[] = [];
  let rest = "", overlong = false, first = true;
  /** Whether to go on. */
  const take = (line: string): boolean => {
    const loc = line.trim();
    if (loc === "") return true;
    const is = isAbsolute(loc);
    if (first && !is) return loc.startsWith("#"); // else it is some other text
    first = false;
    if (!is) return true;
    if (entries.length === MAX_SITEMAP_URLS) return false;
    entries.push({ loc });
    return true;
  };
  const found = (cut: boolean): Sitemap | undefined =>
    first ? undefined : { kind: "text", entries, cut };
  for (const piece of pieces) {
    const text = rest + piece.replaceAll("\r", "\n"); // which ends a line by itself, too
    let from = 0;
    for (let end; (end = text.indexOf("\n", from)) >= 0; from = end + 1) {
      const line = text.slice(from, end);
      if (overlong) overlong = false;
      else if (line.length <= MAX_LINE && !take(line)) return found(true);
    }
    rest = text.slice(from);
    if (rest.length > MAX_LINE) {
      rest = "";
      overlong = true;
    }
  }
  // In its last line a file that was cut has half an address.
  if (!ended && !overlong && !take(rest)) return found(true);
  return found(false);
}
