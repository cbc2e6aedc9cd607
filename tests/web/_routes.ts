/**
 * What a request is answered with: first the host's traits, then the path.
 *
 * @module
 */

import type { Exchange } from "./_exchange.ts";
import { pageNumber } from "./_http.ts";
import { lastModified } from "./_pages.ts";
import { answerRobots, answerRobotsHop } from "./_robots.ts";
import { mix } from "./scenario.ts";
import { figure } from "./traits.ts";

/** Private and otherwise refused targets that redirects point at. */
export const PRIVATE_TARGETS: readonly string[] = [
  "http://10.0.0.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://[::1]/",
  "http://2130706433/",
  "http://0x7f.1/",
  "http://0177.0.0.1/",
  "http://127.0.0.1/",
  "http://192.168.1.1/",
  "http://172.16.0.1/",
  "http://100.64.0.1/",
  "http://0.0.0.0/",
  "http://[::ffff:127.0.0.1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://[2002:7f00:1::]/",
  "http://[fd00::1]/",
  "http://[fe80::1]/",
  "http://224.0.0.1/",
  "http://198.18.0.1/",
  "http://h1.private.test/",
  "http://localhost/",
];

/** Answers one request; resolves with whether the connection may be kept. */
export async function answer(x: Exchange): Promise<boolean> {
  const { host } = x;
  const t = host.traits;
  if (t.has("tarpit")) return await x.hold();
  if (t.has("accept-close") || t.has("reset")) return false;
  const keep = x.path === "/robots.txt" ? await answerRobots(x) : await answerPage(x);
  const n = x.connection.answers + 1;
  if (t.has("close")) return false;
  const drop = figure(t, "drop", 3);
  return keep && !(drop !== undefined && n % drop === 0);
}

async function answerPage(x: Exchange): Promise<boolean> {
  const { host, path } = x;
  const t = host.traits;
  const nth = host.served++;
  const slow = figure(t, "slow", 10_000);
  if (slow !== undefined && !await x.wait(slow)) return false;
  const jitter = figure(t, "jitter", 100);
  if (jitter !== undefined && !await x.wait(mix(nth, x.web.scenario.seed) % (jitter + 1))) {
    return false;
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

  const page = pageNumber(path);
  if (page >= 0) return page < host.pages ? await graphPage(x, page) : await notFound(x);
  const cut = path.indexOf("/", 1);
  const name = cut < 0 ? path.slice(1) : path.slice(1, cut);
  const rest = cut < 0 ? "" : path.slice(cut + 1);
  const route = Object.hasOwn(ROUTES, name) ? ROUTES[name] : undefined;
  return route === undefined ? await notFound(x) : await route(x, rest);
}

function notFound(x: Exchange): Promise<boolean> {
  return x.html(
    404,
    [],
    "<!DOCTYPE html><title>Not here</title><p>Nothing lives at this path.</p>\n",
  );
}

/** A page of the graph on a host that is not plain, or one asked for with a validator. */
async function graphPage(x: Exchange, page: number): Promise<boolean> {
  const { host, web } = x;
  const g = web.graphPage(host, page, x.connection.port);
  const tag = `"${web.maker.etag(g, host.look.version)}"`;
  const { ifNoneMatch } = x.head;
  if (ifNoneMatch === tag || ifNoneMatch === lastModified(host.look.version)) {
    return await x.answer(304, [`ETag: ${tag}`]);
  }
  const out = web.maker.take(host.look.bytes);
  try {
    const used = web.maker.page(out, g, host.look);
    return await x.raw(200, out.subarray(0, used), !x.head.close);
  } finally {
    web.maker.release(out);
  }
}

type Route = (x: Exchange, rest: string) => Promise<boolean>;

/** Paths that every host has; see the table in README.md. */
const ROUTES: Readonly<Record<string, Route>> = {
  "": (x) =>
    x.html(
      200,
      [],
      `<!DOCTYPE html><html lang="en"><head><title>Home of ${x.host.name}</title></head><body>` +
        `<h1>Home of ${x.host.name}</h1><p><a href="/p/0">The first page</a></p></body></html>\n`,
    ),
  "robots-hop": (x, rest) => answerRobotsHop(x, number(rest, 0)),
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
  "many-index": (x, rest) => {
    let list = "<!DOCTYPE html><title>Many ways to one page</title><ul>\n";
    for (let i = 0, n = Math.min(number(rest, 5000), 100_000); i < n; i++) {
      list += `<li><a href="/many/${i}">${i}</a>\n`;
    }
    return x.html(200, [], list + "</ul>\n");
  },
  "one": (x) => x.html(200, [], "<title>One</title><p>where many redirects point</p>"),
};

function number(text: string | null, fallback: number): number {
  if (text === null || text === "") return fallback;
  const n = Number(text);
  return Number.isSafeInteger(n) && n >= 0 ? n : fallback;
}
