/**
 * What a request is answered with: first the host's traits, then the path.
 *
 * @module
 */

import { endless, endlessChunked, endlessHead, notFound, sendBomb, sendPage } from "./_bodies.ts";
import { encodeBody } from "./_codings.ts";
import type { Exchange } from "./_exchange.ts";
import { pageNumber } from "./_http.ts";
import { lastModified } from "./_pages.ts";
import { ROUTES } from "./_paths.ts";
import { answerRobots } from "./_robots.ts";
import { mix, mixText } from "./scenario.ts";
import { PRIVATE_TARGETS } from "./targets.ts";
import { figure } from "./traits.ts";

const CODING_TRAITS = ["gzip", "br", "zstd", "deflate"] as const;
const BOMBS = ["gzip", "br", "zstd"] as const;

/** Answers one request; resolves with whether the connection may be kept. */
export async function answer(x: Exchange): Promise<boolean> {
  const { host } = x;
  const t = host.traits;
  if (t.has("tarpit")) return await x.hold();
  if (t.has("accept-close") || t.has("reset")) return false;
  const keep = x.path === "/robots.txt" ? await answerRobots(x) : await answerPage(x);
  if (x.closing || x.head.close || t.has("tls-cut")) return false;
  const drop = figure(t, "drop", 3);
  return keep && !(drop !== undefined && (x.connection.answers + 1) % drop === 0);
}

async function answerPage(x: Exchange): Promise<boolean> {
  const { host, path } = x;
  const t = host.traits;
  const nth = host.served++;
  const slow = figure(t, "slow", 10_000);
  if (slow !== undefined && !await x.wait(slow)) return false;
  const jitter = figure(t, "jitter", 100);
  if (jitter !== undefined) {
    const ms = mix(mixText(x.head.path), x.web.scenario.seed) % (jitter + 1);
    if (!await x.wait(ms)) return false;
  }

  const status = figure(t, "status", 503);
  if (status !== undefined && nth < (figure(t, "times", 1) ?? Infinity)) {
    const after = figure(t, "retry-after", 2);
    return await x.html(
      status,
      after === undefined ? [] : [`Retry-After: ${after}`],
      "<p>not now</p>",
    );
  }
  if (t.has("moved")) return await x.redirect(301, x.origin(x.web.firstHost()) + x.head.path);
  if (t.has("moved-loop")) return await x.redirect(302, x.head.path);
  if (t.has("moved-private")) {
    return await x.redirect(
      302,
      PRIVATE_TARGETS[Math.max(0, pageNumber(path)) % PRIVATE_TARGETS.length]!,
    );
  }
  if (t.has("endless")) return await endless(x);
  if (t.has("endless-chunked")) return await endlessChunked(x);
  if (t.has("endless-head")) return await endlessHead(x);
  for (const coding of BOMBS) {
    const megabytes = figure(t, `bomb-${coding}`, 100);
    if (megabytes !== undefined) return await sendBomb(x, coding, megabytes);
  }

  const page = pageNumber(path);
  if (page >= 0) return page < host.pages ? await graphPage(x, page) : await notFound(x);
  const cut = path.indexOf("/", 1);
  const name = cut < 0 ? path.slice(1) : path.slice(1, cut);
  const rest = cut < 0 ? "" : path.slice(cut + 1);
  const route = Object.hasOwn(ROUTES, name) ? ROUTES[name] : undefined;
  return route === undefined ? await notFound(x) : await route(x, rest);
}

/** A page of the graph on a host that is not plain, or one asked for with a validator. */
async function graphPage(x: Exchange, page: number): Promise<boolean> {
  const { host, web } = x;
  const t = host.traits;
  let g = web.graphPage(host, page);
  if (t.has("same")) g = { ...g, page: 0, pages: 1 };
  if (t.has("shared")) g = { ...g, index: -1, host: "shared.test" };
  const changed = figure(t, "changed", 100) ?? 0;
  const look = { ...host.look, version: mix(mixText(host.name), page) % 100 < changed ? 1 : 0 };

  const tag = `"${web.maker.etag(g, look.version)}"`;
  const modified = lastModified(look.version);
  const { ifNoneMatch } = x.head;
  const lines = [`ETag: ${tag}`, `Last-Modified: ${modified}`];
  if (t.has("x-robots")) lines.push("X-Robots-Tag: noindex, nofollow");
  if (ifNoneMatch === tag || ifNoneMatch === modified) return await x.answer(304, lines);

  let body: Uint8Array = new Uint8Array(look.bytes);
  web.maker.body(body, g, look);
  const coding = CODING_TRAITS.find((c) => t.has(c));
  if (coding !== undefined) {
    body = encodeBody(body, coding);
    lines.push(`Content-Encoding: ${coding}`, "Vary: Accept-Encoding");
  }
  return await sendPage(x, lines, body);
}
