/**
 * Pages, made so fast that they are never what is measured: one buffer with head and body, of which only the
 * first few hundred bytes are written for the page; the rest is copied from text prepared at the start.
 *
 * @module
 */

import { type GraphPage, pageLinks } from "./graph.ts";
import { mix, mixText, type Scenario } from "./scenario.ts";

const WORDS =
  ("time year people way day man thing woman life child world school state family student group " +
    "country problem hand part place case week company system program question work government number night " +
    "point home water room mother area money story fact month lot right study book eye job word business " +
    "issue side kind head house service friend father power hour game line end member law car city community " +
    "name president team minute idea body information back parent face others level office door health person " +
    "art war history party result change morning reason research girl guy moment air teacher force education " +
    "the of and to in is was for that with on as by at from they we not are this but had have his her which")
    .split(" ");

const encoder = new TextEncoder();
const FILLER_SPARE = 1 << 16;
/** Bytes of the filler's longest tag, and then some. */
const LONGEST_TAG = 64;

/** What varies about a page beyond its place in the graph. */
export interface PageLook {
  /** Bytes of the body. */
  readonly bytes: number;
  /** Version; another one changes text and validators. */
  readonly version: number;
  /** Content of `<meta name="robots">`, empty for none. */
  readonly robotsMeta: string;
  /** Further header lines, each with its CRLF. */
  readonly extraHead: string;
  /** The text's variant; pages with the same `bytes`, links and variant still differ in title and first lines. */
  readonly variant: number;
}

/** Makes the pages of one scenario. */
export class PageMaker {
  readonly #s: Scenario;
  readonly #filler: Uint8Array;
  readonly #free: Uint8Array[] = [];
  readonly #cap: number;

  constructor(s: Scenario) {
    this.#s = s;
    this.#filler = makeFiller(s.seed, s.pageBytes + FILLER_SPARE);
    this.#cap = s.pageBytes + 4096;
  }

  /** A buffer for {@linkcode page}; give it back with {@linkcode release} once it has been written. */
  take(bytes: number): Uint8Array {
    if (bytes + 4096 > this.#cap) return new Uint8Array(bytes + 4096);
    return this.#free.pop() ?? new Uint8Array(this.#cap);
  }

  release(buffer: Uint8Array): void {
    if (buffer.length === this.#cap && this.#free.length < 256) this.#free.push(buffer);
  }

  /** The validator of a page: 16 hex digits. */
  etag(g: GraphPage, version: number): string {
    const a = mix(mixText(g.host, this.#s.seed), g.page, version);
    const b = mix(a, version, g.page);
    return a.toString(16).padStart(8, "0") + b.toString(16).padStart(8, "0");
  }

  /** Writes head and body of a page into `out`; returns the bytes in use. */
  page(out: Uint8Array, g: GraphPage, look: PageLook): number {
    const head =
      'HTTP/1.1 200 OK\r\nServer: local-web\r\nContent-Type: text/html; charset=utf-8\r\nETag: "' +
      this.etag(g, look.version) + '"\r\nLast-Modified: ' + lastModified(look.version) +
      "\r\n" + look.extraHead + "Content-Length: " + look.bytes + "\r\n\r\n";
    const at = encoder.encodeInto(head, out).written;
    this.body(out.subarray(at, at + look.bytes), g, look);
    return at + look.bytes;
  }

  /** Fills `out` wholly with the body of a page. */
  body(out: Uint8Array, g: GraphPage, look: PageLook): void {
    const h = mix(mixText(g.host), g.page, look.variant);
    let text = '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Page ' +
      g.page + " of " +
      g.host + "</title>" +
      (look.robotsMeta === "" ? "" : '<meta name="robots" content="' + look.robotsMeta + '">') +
      "</head>\n<body><main><h1>Page " + g.page + " of " + g.host + "</h1>\n<p>This is version " +
      look.version + " of page " + g.page + ", whose mark is " + h.toString(36) + ".</p>\n";
    const links = pageLinks(this.#s, g);
    if (links.length > 0) {
      text += "<ul>\n";
      for (let i = 0; i < links.length; i++) {
        const l = links[i]!;
        text += '<li><a href="' + l + '">' + WORDS[(h + i) % WORDS.length] + "</a></li>\n";
      }
      text += "</ul>\n";
    }
    const used = encoder.encodeInto(text, out).written;
    const tail = TAIL.length;
    const room = out.length - used - tail;
    if (room <= 0) {
      // Too small for links and all: what fits, closed by blanks, so that the length stays what was promised.
      out.fill(32, used);
      return;
    }
    // Another stretch of text for every page, from the start of a paragraph where the spare part allows.
    const from = h % FILLER_SPARE;
    this.#fill(out, used, room, from);
    out.set(TAIL, out.length - tail);
  }

  #fill(out: Uint8Array, at: number, room: number, from: number): void {
    const f = this.#filler;
    out[at] = 60;
    out[at + 1] = 112;
    out[at + 2] = 62;
    let done = 3;
    // Skip to the end of a sentence: a cut tag at the start would be read as text.
    let start = from;
    while (f[start] !== 46 || f[start + 1] !== 32) start++;
    start++;
    while (done < room) {
      const n = Math.min(room - done, f.length - start);
      out.set(f.subarray(start, start + n), at + done);
      done += n;
      start = 0;
    }
    // And never leave half a tag at the end.
    for (let i = room - 1, low = Math.max(3, room - LONGEST_TAG); i >= low; i--) {
      const c = out[at + i];
      if (c === 62) break;
      if (c === 60) {
        out.fill(32, at + i, at + room);
        break;
      }
    }
    if (room < 3) out.fill(32, at, at + room);
  }
}

const TAIL = encoder.encode("</p></main></body></html>\n");

/** Versions are a day apart. */
export function lastModified(version: number): string {
  return LAST_MODIFIED[version] ??
    (LAST_MODIFIED[version] = new Date(Date.UTC(2024, 0, 1) + version * 86_400_000).toUTCString());
}
const LAST_MODIFIED: Record<number, string> = {};

/**
 * Text that compresses as real pages do (level 1 makes 20 KB of it about 3.7 times smaller, the median
 * of real home pages): common words are common, and there is markup between them.
 */
function makeFiller(seed: number, bytes: number): Uint8Array {
  const parts: string[] = [];
  let size = 0;
  for (let i = 0; size < bytes; i++) {
    let p = '<div class="entry"><p class="entry-text">';
    const sentences = 3 + mix(seed, i) % 5;
    for (let j = 0; j < sentences; j++) {
      const source = mix(seed, i, j) % 3 === 0 ? i : i % 7; // phrases come back, as they do
      const n = 6 + mix(seed, source, j) % 12;
      for (let k = 0; k < n; k++) {
        const chance = mix(seed + k, source, j) / 2 ** 32;
        const w = WORDS[Math.floor(chance ** 3 * WORDS.length)]!;
        p += k === 0 ? w[0]!.toUpperCase() + w.slice(1) : " " + w;
      }
      p += ". ";
    }
    p += '</p><p class="entry-meta"><span class="date">2024-03-' + (10 + i % 20) +
      '</span> <span class="tags">' + WORDS[i % WORDS.length] + "</span></p></div>\n";
    parts.push(p);
    size += p.length;
  }
  return encoder.encode(parts.join("")).slice(0, bytes);
}
