/** The vocabularies: sitemaps, their indexes, RSS and Atom. */

import { decodeXML } from "entities";
import { attributeOf, type XmlSink } from "./_scanner.ts";
import { parseLastmod } from "./lastmod.ts";
import type { SitemapEntry, SitemapKind } from "./read.ts";

/** Characters of one text that are kept; a URL that is longer is none. */
const MAX_TEXT = 16_384;

interface Vocabulary {
  readonly kind: SitemapKind;
  /** The element that stands for one page. */
  readonly item: string;
  /** Its children that hold the address and the date of the last change. */
  readonly loc: string;
  readonly lastmod: string;
}

const RSS: Vocabulary = { kind: "rss", item: "item", loc: "link", lastmod: "pubdate" };
/** By the name of the root, without its prefix. */
const VOCABULARIES: Readonly<Record<string, Vocabulary>> = {
  urlset: { kind: "urlset", item: "url", loc: "loc", lastmod: "lastmod" },
  sitemapindex: { kind: "index", item: "sitemap", loc: "loc", lastmod: "lastmod" },
  rss: RSS,
  rdf: { ...RSS, lastmod: "dc:date" },
  feed: { kind: "atom", item: "entry", loc: "link", lastmod: "updated" },
};

/** Reads the entries of a document whose root it knows, and stops at once at another. */
export class SitemapReader implements XmlSink {
  /** Which it is; undefined before its root, and for something else. */
  kind: SitemapKind | undefined;
  stopped = false;
  /** Whether there were more entries than were asked for. */
  cut = false;
  readonly entries: SitemapEntry[] = [];
  readonly #max: number;
  #vocabulary = RSS;
  #prefix = "";
  /** Elements open inside of the item, itself among them; 0 outside. */
  #depth = 0;
  #loc = "";
  #spare = "";
  #lastmod = "";
  /** The child whose text is being read, and that text: decoded, and not decoded yet. */
  #field: "loc" | "lastmod" | "guid" | undefined;
  #text = "";
  #coded = "";
  #overlong = false;

  constructor(max: number) {
    this.#max = max;
  }

  open(name: string, rest: string): void {
    if (this.kind === undefined) return this.#root(name);
    const { item, loc, lastmod, kind } = this.#vocabulary;
    if (name === this.#prefix + item) {
      this.#emit(); // of one that was never closed
      this.#depth = 1;
      return;
    }
    if (this.#depth === 0) return;
    if (this.#field !== undefined) {
      // Text has no elements: the one before was not closed.
      this.#keep();
      this.#depth--;
    }
    if (this.#depth++ > 1) return;
    if (name === this.#prefix + loc) {
      if (kind !== "atom") this.#begin("loc");
      else {
        const rel = attributeOf(rest, "rel") ?? "alternate", href = attributeOf(rest, "href");
        if (href !== undefined && rel === "alternate" && this.#loc === "") {
          this.#loc = decodeXML(href).trim();
        }
      }
    } else if (name === lastmod || name === this.#prefix + lastmod) this.#begin("lastmod");
    else if (kind === "rss" && name === "guid" && attributeOf(rest, "ispermalink") !== "false") {
      this.#begin("guid");
    }
  }

  #root(name: string): void {
    const colon = name.indexOf(":");
    const local = name.slice(colon + 1);
    const vocabulary = Object.hasOwn(VOCABULARIES, local) ? VOCABULARIES[local] : undefined;
    if (vocabulary === undefined) {
      this.stopped = true;
      return;
    }
    this.#vocabulary = vocabulary;
    this.kind = vocabulary.kind;
    // The items of RDF are in RSS's own namespace, which has no prefix there.
    this.#prefix = local === "rdf" ? "" : name.slice(0, colon + 1);
  }

  close(name: string): void {
    if (this.#depth === 0) return;
    if (this.#field !== undefined) this.#keep();
    if (name === this.#prefix + this.#vocabulary.item) this.#emit();
    else if (this.#depth > 1) this.#depth--;
  }

  text(text: string, raw: boolean): void {
    if (this.#field === undefined) return;
    if (this.#text.length + this.#coded.length + text.length > MAX_TEXT) {
      this.#overlong = true;
      return;
    }
    if (!raw) this.#coded += text;
    else {
      this.#decode();
      this.#text += text;
    }
  }

  /** The document has ended, be it in the middle. */
  end(): void {
    this.#field = undefined; // what was not closed may lack its rest
    this.#emit();
  }

  #decode(): void {
    this.#text += decodeXML(this.#coded);
    this.#coded = "";
  }

  #begin(field: "loc" | "lastmod" | "guid"): void {
    this.#field = field;
    this.#text = this.#coded = "";
    this.#overlong = false;
  }

  #keep(): void {
    this.#decode();
    const text = this.#overlong ? "" : this.#text.trim();
    if (this.#field === "loc") this.#loc ||= text;
    else if (this.#field === "lastmod") this.#lastmod ||= text;
    else if (isAbsolute(text)) this.#spare ||= text;
    this.#field = undefined;
  }

  #emit(): void {
    const loc = this.#loc || this.#spare;
    if (this.#depth > 0 && loc !== "") {
      if (this.entries.length < this.#max) {
        const lastmod = parseLastmod(this.#lastmod);
        this.entries.push(lastmod === undefined ? { loc } : { loc, lastmod });
      } else this.stopped = this.cut = true;
    }
    this.#depth = 0;
    this.#field = undefined;
    this.#loc = this.#spare = this.#lastmod = "";
  }
}

/** Whether it is an address with a scheme that is fetched. */
export function isAbsolute(text: string): boolean {
  return /^https?:\/\//i.test(text);
}
