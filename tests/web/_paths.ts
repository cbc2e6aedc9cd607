/**
 * The paths that every host has, whatever its traits; README.md has the table.
 *
 * @module
 */

import {
  endless,
  endlessChunked,
  endlessHead,
  linkPage,
  number,
  sendBomb,
  sendCharset,
  sendChunked,
  sendCoding,
  sendDrip,
  sendOdd,
  sendPage,
  sendValidated,
} from "./_bodies.ts";
import { sendCorpusPage } from "./_corpus.ts";
import type { Exchange } from "./_exchange.ts";
import { lastModified } from "./_pages.ts";
import { answerRobotsHop } from "./_robots.ts";
import { answerDefaultSitemap, answerSitemap, answerSitemapIndex } from "./_sitemaps.ts";
import { answerTrap } from "./_traps.ts";
import { PRIVATE_TARGETS } from "./targets.ts";

const encoder = new TextEncoder();

/** Answers a path; `rest` is what follows its first segment. */
export type Route = (x: Exchange, rest: string) => Promise<boolean>;

/** Routes by first segment. */
export const ROUTES: Readonly<Record<string, Route>> = {
  "": (x) =>
    sendPage(
      x,
      [],
      encoder.encode(
        `<!DOCTYPE html><html lang="en"><head><title>Home of ${x.host.name}</title></head><body>` +
          `<h1>Home of ${x.host.name}</h1><p><a href="/p/0">The first page</a></p></body></html>\n`,
      ),
    ),
  "robots-hop": (x, rest) => answerRobotsHop(x, number(rest, 0)),
  "sitemap.xml": answerDefaultSitemap,
  "sitemap-index.xml": answerSitemapIndex,
  "sitemaps": answerSitemap,
  "private": (x) =>
    x.html(200, [], "<title>Private</title><p>robots-private hosts disallow this.</p>"),
  "late": (x) =>
    x.html(200, [], "<title>Late</title><p>robots-big hosts disallow this too late.</p>"),
  "status": (x, rest) => {
    const after = x.query.get("retry-after");
    return x.html(
      number(rest, 500),
      after === null ? [] : [`Retry-After: ${after}`],
      "<p>as asked</p>",
    );
  },
  "slow": async (x, rest) =>
    await x.wait(number(rest, 10_000)) &&
    await x.html(200, [], "<title>Slow</title><p>at last</p>"),

  "redirect": (x, rest) => {
    const left = number(rest, 1);
    return left > 0
      ? x.redirect(number(x.query.get("status"), 302), `/redirect/${left - 1}`)
      : x.html(200, [], "<title>Redirected</title><p>the end of the chain</p>");
  },
  "redirect-loop": (x, rest) => x.redirect(302, `/redirect-loop/${(number(rest, 0) + 1) % 2}`),
  "redirect-cross": (x, rest) => {
    // From host to host, a new one at every hop.
    const left = number(rest, 1);
    if (left === 0) return x.html(200, [], "<title>Crossed</title><p>the end of the chain</p>");
    return x.redirect(302, `${x.origin(`hop${left - 1}.good.test`)}/redirect-cross/${left - 1}`);
  },
  "redirect-to": (x) => x.redirect(number(x.query.get("status"), 302), x.query.get("url") ?? "/"),
  "redirect-private": (x, rest) =>
    x.redirect(302, PRIVATE_TARGETS[number(rest, 0) % PRIVATE_TARGETS.length]!),
  "many": (x) => x.redirect(301, "/one"),
  "many-index": (x, rest) =>
    linkPage(
      x,
      "Many ways to one page",
      Array.from({ length: Math.min(number(rest, 5000), 100_000) }, (_, i) => `/many/${i}`),
    ),
  "one": (x) => x.html(200, [], "<title>One</title><p>where many redirects point</p>"),

  "etag": (x, rest) => sendValidated(x, rest, "ETag", `"tag-${rest}"`),
  "weak-etag": (x, rest) => sendValidated(x, rest, "ETag", `W/"tag-${rest}"`),
  "modified": (x, rest) =>
    sendValidated(x, rest, "Last-Modified", lastModified(number(rest, 0) % 365)),
  "changing": (x) =>
    x.html(
      200,
      [`ETag: "v${x.host.served}"`],
      `<!DOCTYPE html><title>Changing</title><p>${x.host.served}</p>\n`,
    ),

  "corpus": (x, rest) => sendCorpusPage(x, number(rest, 0)),
  "coding": sendCoding,
  "charset": sendCharset,
  "bomb": (x, rest) => {
    const [coding, megabytes] = rest.split("/");
    return sendBomb(
      x,
      (["gzip", "br", "zstd"] as const).find((b) => b === coding) ?? "gzip",
      number(megabytes ?? "", 100),
    );
  },
  "odd": sendOdd,
  "trap": answerTrap,

  "chunked": (x, rest) =>
    sendChunked(
      x,
      ["Content-Type: text/html"],
      encoder.encode("<p>in chunks</p>".repeat(100)),
      64,
      number(rest, 0),
    ),
  "http10": (x) =>
    x.raw(200, "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>as in 1996</p>", false),
  "http09": (x) => x.raw(200, "<html><body>as in 1991</body></html>", false),
  "close": (x) => x.html(200, ["Connection: close"], "<p>and that was that</p>"),
  "cut": (x) =>
    x.raw(200, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n<p>only the start", false),
  "cut-chunked": (x) =>
    x.raw(
      200,
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n400\r\n<p>only the start",
      false,
    ),
  "stall": async (x) => {
    // The start of a body, then nothing, with the connection left open.
    x.status = 200;
    await x.piece("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n<p>only the start");
    return await x.hold();
  },
  "stall-head": async (x) => {
    await x.piece("HTTP/1.1 200 OK\r\nContent-Type: te");
    return await x.hold();
  },
  "smuggle": (x) =>
    x.raw(
      200,
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi" +
        "HTTP/1.1 200 OK\r\nX-Smuggled: 1\r\nContent-Length: 8\r\n\r\nsmuggled",
      true,
    ),
  "smuggle-late": async (x, rest) => {
    // The second answer comes when the first one is over and nobody has asked.
    await x.raw(200, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", true);
    if (!await x.wait(number(rest, 20))) return false;
    await x.piece("HTTP/1.1 200 OK\r\nX-Smuggled: 1\r\nContent-Length: 8\r\n\r\nsmuggled");
    return true;
  },
  "drip": (x, rest) =>
    sendDrip(
      x,
      ["Content-Type: text/html"],
      encoder.encode("<p>drop by drop by drop</p>".repeat(100)),
      number(rest, 1000),
    ),
  "drip-head": async (x, rest) => {
    return await x.drip("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", number(rest, 1000));
  },
  "endless": endless,
  "endless-chunked": endlessChunked,
  "endless-head": endlessHead,
  "endless-continue": async (x) => {
    const many = encoder.encode("HTTP/1.1 100 Continue\r\n\r\n".repeat(100));
    for (;;) await x.piece(many);
  },
  "endless-trailers": async (x) => {
    x.status = 200;
    await x.piece("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n");
    const lines = encoder.encode("X-More: more\r\n".repeat(100));
    for (;;) await x.piece(lines);
  },
  "big": (x, rest) =>
    x.answer(200, ["Content-Type: text/html"], bigBody(Math.min(number(rest, 1 << 20), 1 << 28))),
  "big-head": (x, rest) => {
    // One field of that many bytes.
    const size = Math.min(number(rest, 300_000), 1 << 24);
    return x.answer(
      200,
      ["Content-Type: text/html", `X-Big: ${"b".repeat(size)}`],
      "<p>big head</p>",
    );
  },
  "type": (x, rest) =>
    x.answer(200, [`Content-Type: ${rest}`], "<!DOCTYPE html><title>Typed</title><p>or not</p>"),
  "no-type": (x) =>
    x.answer(200, [], "<!DOCTYPE html><title>Untyped</title><p>HTML by its first bytes</p>"),
  "pdf": (x) => x.answer(200, ["Content-Type: application/pdf"], "%PDF-1.4\n%\xe2\xe3\n"),
  "empty": (x) => x.html(200, [], ""),
  "meta": (x, rest) =>
    x.html(
      200,
      [],
      `<!DOCTYPE html><html><head><meta name="ROBOTS" content="${rest}"><title>Meta</title></head>` +
        `<body><p><a href="/p/0">on</a></p></body></html>\n`,
    ),
  "x-robots": (x, rest) =>
    x.html(
      200,
      [`X-Robots-Tag: ${rest}`],
      `<!DOCTYPE html><title>Tagged</title><p><a href="/p/0">on</a></p>\n`,
    ),
  "canonical": (x) =>
    x.html(
      200,
      ['Link: </p/0>; rel="canonical"'],
      "<!DOCTYPE html><title>Twin</title><p>of another page</p>\n",
    ),
  "base": (x) =>
    x.html(
      200,
      [],
      `<!DOCTYPE html><html><head><base href="/p/"><title>Based</title></head><body><a href="0">on</a></body></html>\n`,
    ),
  "index": (x) =>
    linkPage(x, "Everything", Object.keys(ROUTES).filter((r) => r !== "").map((r) => `/${r}/`)),
};

function bigBody(size: number): Uint8Array {
  const body = new Uint8Array(size).fill(0x62);
  body.set(encoder.encode("<p>").subarray(0, size));
  return body;
}

/** The first segments of every path that hosts have beyond `/p/` and `/robots.txt`. */
export const PATHS: readonly string[] = Object.keys(ROUTES);
