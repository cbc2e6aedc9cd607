/**
 * Sitemaps of a host's pages, in every form.
 *
 * @module
 */

import { gzipSync } from "node:zlib";
import { notFound } from "./_bodies.ts";
import type { Exchange } from "./_exchange.ts";

/** The forms in which `/sitemap-index.xml` names the host's pages, each form every fifth one. */
const FORMS = ["xml", "gz.xml.gz", "sitemap.txt", "rss", "atom"] as const;

/** `/sitemap.xml`, on hosts whose robots.txt names none. */
export function answerDefaultSitemap(x: Exchange): Promise<boolean> {
  return x.host.traits.has("sitemap-default") ? xml(x, urlset(pages(x))) : notFound(x);
}

/** `/sitemap-index.xml`. */
export function answerSitemapIndex(x: Exchange): Promise<boolean> {
  return xml(x, index(x, FORMS.map((form) => `/sitemaps/${form}`)));
}

/** `/sitemaps/KIND`. */
export function answerSitemap(x: Exchange, rest: string): Promise<boolean> {
  const [kind, figure] = rest.split("/");
  const own = (form: typeof FORMS[number]) =>
    pages(x).filter((_, i) => i % FORMS.length === FORMS.indexOf(form));
  switch (kind) {
    case "xml":
      return xml(x, urlset(own("xml")));
    case "gz.xml.gz":
      return x.answer(
        200,
        ["Content-Type: application/x-gzip"],
        gzipSync(urlset(own("gz.xml.gz"))),
      );
    case "sitemap.txt":
      return x.answer(200, ["Content-Type: text/plain"], own("sitemap.txt").join("\n"));
    case "rss": {
      const items = own("rss").map((url) => `<item><link>${url}</link></item>`);
      return xml(x, `<rss version="2.0"><channel>${items.join("")}</channel></rss>`);
    }
    case "atom": {
      const entries = own("atom").map((url) => `<entry><link href="${url}"/></entry>`);
      return xml(x, `<feed xmlns="http://www.w3.org/2005/Atom">${entries.join("")}</feed>`);
    }
    case "nested": // an index in an index in an index, for ever
      return xml(x, index(x, [`/sitemaps/nested/${Number(figure ?? 0) + 1}`, "/sitemaps/xml"]));
    case "moved":
      return x.redirect(301, "/sitemaps/xml");
    case "away":
      return xml(x, index(x, [`/sitemaps/moved-away?host=${x.query.get("host") ?? ""}`]));
    case "moved-away":
      return x.redirect(301, `${x.origin(x.query.get("host") ?? "")}/sitemaps/xml`);
    case "others":
      return xml(
        x,
        urlset((x.query.get("hosts") ?? "").split(",").map((h) => x.origin(h) + "/p/1")),
      );
    case "many":
      return xml(
        x,
        urlset(Array.from({ length: Number(figure) }, (_, i) => `${x.origin()}/n/${i}`)),
      );
    case "fresh": // whatever the page is, it was changed just now
      return xml(
        x,
        `<urlset><url><loc>${x.origin()}/one</loc><lastmod>${
          new Date().toISOString()
        }</lastmod></url></urlset>`,
      );
    case "cut": {
      const whole = gzipSync(urlset(pages(x)));
      return x.answer(
        200,
        ["Content-Type: application/gzip"],
        whole.subarray(0, whole.length * 0.8),
      );
    }
    case "bomb.xml.gz":
      return x.answer(200, ["Content-Type: application/gzip"], bomb(urlset(pages(x).slice(0, 2))));
    default:
      return notFound(x);
  }
}

function pages(x: Exchange): string[] {
  return Array.from({ length: x.host.pages }, (_, i) => `${x.origin()}/p/${i}`);
}

function urlset(urls: readonly string[]): string {
  const entries = urls.map((url) => `<url><loc>${url}</loc></url>\n`);
  return `<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${
    entries.join("")
  }</urlset>\n`;
}

function index(x: Exchange, paths: readonly string[]): string {
  const entries = paths.map((path) => `<sitemap><loc>${x.origin()}${path}</loc></sitemap>\n`);
  return `<sitemapindex>\n${entries.join("")}</sitemapindex>\n`;
}

function xml(x: Exchange, text: string): Promise<boolean> {
  return x.answer(200, ["Content-Type: application/xml"], text);
}

/** 100 MB of blanks in the middle of a sitemap, in a hundred KB. */
function bomb(text: string): Uint8Array {
  const at = text.indexOf("</urlset>");
  const blanks = new Uint8Array(100 << 20).fill(32);
  return gzipSync(concat([text.slice(0, at), blanks, text.slice(at)]), { level: 1 });
}

function concat(parts: readonly (string | Uint8Array)[]): Uint8Array {
  const bytes = parts.map((part) =>
    typeof part === "string" ? new TextEncoder().encode(part) : part
  );
  const out = new Uint8Array(bytes.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of bytes) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
