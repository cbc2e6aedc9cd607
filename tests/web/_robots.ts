/**
 * robots.txt of every kind.
 *
 * @module
 */

import { gzipSync } from "node:zlib";
import type { Exchange } from "./_exchange.ts";
import { figure } from "./traits.ts";

const OPEN = "User-agent: *\nAllow: /\n";
const PRIVATE = "User-agent: *\nDisallow: /private/\n";
const TEXT = "Content-Type: text/plain";

/** Answers a request for robots.txt as the host's traits say. */
export async function answerRobots(x: Exchange): Promise<boolean> {
  const { host } = x;
  const t = host.traits;
  const nth = host.robotsServed++;

  if (t.has("robots-silent")) return await x.hold();
  if (t.has("robots-close")) return false;
  const slow = figure(t, "robots-slow", 3000);
  if (slow !== undefined && !await x.wait(slow)) return false;
  const drip = figure(t, "robots-drip", 1000);
  if (drip !== undefined) {
    x.status = 200;
    await x.piece("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\n# ");
    while (await x.wait(drip)) await x.piece(".");
    return false;
  }
  const outage = figure(t, "robots-outage", 1);
  if (outage !== undefined && nth < outage) return await x.answer(503, [TEXT], "later\n");
  const status = figure(t, "robots", 404);
  if (status !== undefined) return await answerStatus(x, status);
  if (t.has("robots-cross")) {
    return await x.redirect(301, `${x.origin("rules.robots-private.test")}/robots.txt`);
  }
  if (t.has("robots-inside")) {
    return await x.redirect(
      301,
      `${x.connection.scheme}://127.0.0.1:${x.connection.port}/robots.txt`,
    );
  }
  if (t.has("robots-loop")) return await x.redirect(302, "/robots.txt");
  const chain = figure(t, "robots-chain", 5);
  if (chain !== undefined && chain > 0) return await x.redirect(302, `/robots-hop/${chain - 1}`);

  const lines = [TEXT];
  if (t.has("robots-no-store")) lines.push("Cache-Control: no-store");
  const age = figure(t, "robots-max-age", 120);
  if (age !== undefined) lines.push(`Cache-Control: max-age=${age}`);
  if (t.has("robots-html")) {
    return await x.html(
      200,
      [],
      "<!DOCTYPE html><html><body><p>Disallow nothing here</p></body></html>\n",
    );
  }
  if (t.has("robots-gzip")) {
    return await x.answer(200, [...lines, "Content-Encoding: gzip"], gzipSync(PRIVATE));
  }
  if (t.has("robots-bom")) return await x.answer(200, lines, "\ufeff" + PRIVATE);
  if (t.has("robots-big")) return await x.answer(200, lines, bigRobots());
  if (t.has("robots-empty")) return await x.answer(200, lines, "");
  let text = OPEN;
  if (t.has("robots-all")) text = "User-agent: *\nDisallow: /\n";
  else if (t.has("robots-private")) text = PRIVATE;
  else if (t.has("robots-odd")) {
    text = "User-agent: *\n" + [1, 3, 5, 7, 9].map((d) => `Disallow: /p/*${d}$\n`).join("");
  } else if (t.has("robots-named")) {
    text = "User-agent: ccrawl\nDisallow: /\n\nUser-agent: *\nAllow: /\n";
  }
  if (t.has("sitemap")) text += `Sitemap: ${x.origin()}/sitemap-index.xml\n`;
  const delay = figure(t, "crawl-delay", 1);
  if (delay !== undefined) text += `Crawl-delay: ${delay}\n`;
  return await x.answer(200, lines, text);
}

/** A hop of `robots-chain`. */
export function answerRobotsHop(x: Exchange, left: number): Promise<boolean> {
  if (left > 0) return x.redirect(302, `/robots-hop/${left - 1}`);
  return x.answer(200, [TEXT], PRIVATE);
}

function answerStatus(x: Exchange, status: number): Promise<boolean> {
  const lines = [TEXT];
  const after = figure(x.host.traits, "retry-after", 2);
  if (after !== undefined && (status === 429 || status === 503)) {
    lines.push(`Retry-After: ${after}`);
  }
  return x.answer(status, lines, `status ${status}\n`);
}

let big: string | undefined;

/** A megabyte: `/private/` in its first lines, `/late/` far behind 500 KiB. */
function bigRobots(): string {
  if (big !== undefined) return big;
  const lines = ["User-agent: *", "Disallow: /private/"];
  for (let i = 0; lines.length < 20_000; i++) {
    lines.push(`Disallow: /a-long-folder-name-that-fills-the-file/${i}`);
  }
  lines.push("Disallow: /late/");
  return big = lines.join("\n") + "\n";
}
