/**
 * What a request is answered with: first the host's traits, then the path.
 *
 * @module
 */

import { bomb, codingSample, encodeBody } from "./_codings.ts";
import { encodeText } from "./_charsets.ts";
import { concat, type Exchange } from "./_exchange.ts";
import { pageNumber } from "./_http.ts";
import { lastModified } from "./_pages.ts";
import { answerRobots, answerRobotsHop } from "./_robots.ts";
import { answerTrap } from "./_traps.ts";
import { ODD_ANSWERS, oddBytes } from "./odd.ts";
import { CHARSETS, CODINGS } from "./samples.ts";
import { mix, mixText } from "./scenario.ts";
import { PRIVATE_TARGETS } from "./targets.ts";
import { figure } from "./traits.ts";

const CODING_TRAITS = ["gzip", "br", "zstd", "deflate"] as const;
const BOMBS = ["gzip", "br", "zstd"] as const;
const PIECE = new Uint8Array(64 * 1024).fill(0x61);
const encoder = new TextEncoder();

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

/** Sends a page in the way the host's traits want it sent. */
async function sendPage(x: Exchange, lines: readonly string[], body: Uint8Array): Promise<boolean> {
  const t = x.host.traits;
  const fields = ["Content-Type: text/html; charset=utf-8", ...lines];
  const drip = figure(t, "drip", 1000);
  if (drip !== undefined) return await sendDrip(x, fields, body, drip);
  if (t.has("http10")) {
    return await x.raw(200, concat(head("HTTP/1.0 200 OK", fields), body), false);
  }
  if (t.has("chunked")) return await sendChunked(x, fields, body, 4096, 0);
  return await x.answer(200, fields, body);
}

function head(first: string, fields: readonly string[]): Uint8Array {
  return encoder.encode([first, ...fields].join("\r\n") + "\r\n\r\n");
}

async function sendDrip(
  x: Exchange,
  fields: readonly string[],
  body: Uint8Array,
  ms: number,
): Promise<boolean> {
  x.status = 200;
  await x.piece(head("HTTP/1.1 200 OK", [...fields, `Content-Length: ${body.length}`]));
  return await x.drip(body, ms);
}

async function sendChunked(
  x: Exchange,
  fields: readonly string[],
  body: Uint8Array,
  size: number,
  pauseMs: number,
): Promise<boolean> {
  x.status = 200;
  await x.piece(
    head("HTTP/1.1 200 OK", [...fields, "Transfer-Encoding: chunked", ...x.connectionLines()]),
  );
  for (let i = 0; i < body.length; i += size) {
    if (pauseMs > 0 && !await x.wait(pauseMs)) return false;
    const part = body.subarray(i, i + size);
    await x.piece(
      concat(encoder.encode(`${part.length.toString(16)}\r\n`), part, encoder.encode("\r\n")),
    );
  }
  return await x.raw(200, "0\r\n\r\n", !x.head.close);
}

async function endless(x: Exchange): Promise<boolean> {
  x.status = 200;
  await x.piece(
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!DOCTYPE html><title>Endless</title><p>",
  );
  for (;;) await x.piece(PIECE);
}

async function endlessChunked(x: Exchange): Promise<boolean> {
  x.status = 200;
  await x.piece("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n");
  const chunk = concat(
    encoder.encode(`${PIECE.length.toString(16)}\r\n`),
    PIECE,
    encoder.encode("\r\n"),
  );
  for (;;) await x.piece(chunk);
}

async function endlessHead(x: Exchange): Promise<boolean> {
  await x.piece("HTTP/1.1 200 OK\r\n");
  const lines = encoder.encode(`X-More: ${"m".repeat(1000)}\r\n`.repeat(16));
  for (;;) await x.piece(lines);
}

async function sendBomb(
  x: Exchange,
  coding: "gzip" | "br" | "zstd",
  megabytes: number,
): Promise<boolean> {
  const body = await bomb(coding, Math.min(megabytes, 10_000));
  return await x.html(200, [`Content-Encoding: ${coding}`], body);
}

async function sendCoding(x: Exchange, name: string): Promise<boolean> {
  const sample = CODINGS.find((c) => c.name === name);
  const body = codingSample(name);
  if (sample === undefined || body === undefined) {
    return await linkPage(x, "Content codings", CODINGS.map((c) => `/coding/${c.name}`));
  }
  const fields = ["Content-Type: text/html; charset=utf-8"];
  if (sample.header !== "") fields.push(`Content-Encoding: ${sample.header}`);
  if (name.endsWith("-chunked")) return await sendChunked(x, fields, body, 97, 0);
  return await x.answer(200, fields, body);
}

function sendCharset(x: Exchange, rest: string): Promise<boolean> {
  const [label = "", how = "header"] = rest.split("/");
  const sample = CHARSETS.find((c) => c.label === label);
  if (sample === undefined) {
    return linkPage(x, "Charsets", CHARSETS.map((c) => `/charset/${c.label}/header`));
  }
  let type = "text/html";
  let meta = "";
  switch (how) {
    case "header":
      type += `; charset=${label}`;
      break;
    case "quoted":
      type += `; Charset="${label.toUpperCase()}" ; x=y`;
      break;
    case "meta":
      meta = `<meta charset=${label}>`;
      break;
    case "http-equiv":
      meta = `<META content='text/html; charset=${label}' HTTP-EQUIV="content-type">`;
      break;
    case "late-meta":
      meta = `<!--${" ".repeat(1500)}--><meta charset="${label}">`;
      break;
    case "conflict":
      // The header is right and wins over the document.
      type += `; charset=${label}`;
      meta = `<meta charset="${label === "utf-8" ? "windows-1252" : "utf-8"}">`;
      break;
  }
  if (how === "bom" && !label.startsWith("utf")) return notFound(x);
  const bom = how === "bom" ? "\ufeff" : "";
  const text =
    `${bom}<!DOCTYPE html><html><head>${meta}<title>${sample.text}</title></head><body><p>` +
    `${sample.text} `.repeat(5) + "</p></body></html>";
  return x.answer(200, [`Content-Type: ${type}`], encodeText(text, label));
}

/** The corpus named by CCRAWL_CORPUS, read once; empty without one. */
let corpus: Uint8Array[] | undefined;

function corpusAnswers(): Uint8Array[] {
  if (corpus !== undefined) return corpus;
  const folder = Deno.env.get("CCRAWL_CORPUS");
  if (folder === undefined || folder === "") return corpus = [];
  const list = JSON.parse(Deno.readTextFileSync(`${folder}/http-answers.json`)) as {
    answer: string;
  }[];
  return corpus = list.map((a) => Uint8Array.from(atob(a.answer), (c) => c.charCodeAt(0)));
}

async function sendOdd(x: Exchange, rest: string): Promise<boolean> {
  const [list, index] = rest.split("/");
  const n = number(index ?? "", -1);
  if (list === "own" && n >= 0 && n < ODD_ANSWERS.length) {
    const odd = ODD_ANSWERS[n]!;
    return await x.raw(odd.expect.status ?? 0, oddBytes(odd), !odd.closes);
  }
  const bytes = list === "corpus" ? corpusAnswers()[n] : undefined;
  if (bytes !== undefined) return await x.raw(200, bytes, x.query.has("keep"));
  const links = ODD_ANSWERS.map((_, i) => `/odd/own/${i}`);
  return await linkPage(x, "Odd answers", [
    ...links,
    ...corpusAnswers().map((_, i) => `/odd/corpus/${i}`),
  ]);
}

function linkPage(x: Exchange, title: string, links: readonly string[]): Promise<boolean> {
  const list = links.map((l) => `<li><a href="${l}">${l}</a></li>\n`).join("");
  return x.html(
    200,
    [],
    `<!DOCTYPE html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1><ul>\n${list}</ul></body></html>\n`,
  );
}

/** A page with a validator of its own that does not change. */
async function sendValidated(
  x: Exchange,
  rest: string,
  field: string,
  value: string,
): Promise<boolean> {
  if (x.head.ifNoneMatch === value) return await x.answer(304, [`${field}: ${value}`]);
  return await x.html(
    200,
    [`${field}: ${value}`],
    `<!DOCTYPE html><title>Validated ${rest}</title><p>unchanged</p>\n`,
  );
}

type Route = (x: Exchange, rest: string) => Promise<boolean>;

/** Paths that every host has; see the table in README.md. */
const ROUTES: Readonly<Record<string, Route>> = {
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

  "coding": sendCoding,
  "charset": sendCharset,
  "bomb": (x, rest) => {
    const [coding, megabytes] = rest.split("/");
    return sendBomb(x, BOMBS.find((b) => b === coding) ?? "gzip", number(megabytes ?? "", 100));
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

function number(text: string | null, fallback: number): number {
  if (text === null || text === "") return fallback;
  const n = Number(text);
  return Number.isSafeInteger(n) && n >= 0 ? n : fallback;
}

/** The first segments of every path that hosts have beyond `/p/` and `/robots.txt`. */
export const PATHS: readonly string[] = Object.keys(ROUTES);
