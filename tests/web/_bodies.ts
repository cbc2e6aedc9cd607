/**
 * The ways in which a body is sent: whole, in chunks, drop by drop, coded, in old charsets, odd, without end.
 *
 * @module
 */

import { bomb, codingSample } from "./_codings.ts";
import { encodeText } from "./_charsets.ts";
import { concat, type Exchange } from "./_exchange.ts";
import { ODD_ANSWERS, oddBytes } from "./odd.ts";
import { CHARSETS, CODINGS } from "./samples.ts";
import { figure } from "./traits.ts";

const PIECE = new Uint8Array(64 * 1024).fill(0x61);
const encoder = new TextEncoder();

/** Sends a page in the way the host's traits want it sent. */
export async function sendPage(
  x: Exchange,
  lines: readonly string[],
  body: Uint8Array,
): Promise<boolean> {
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

/** A whole head, then the body a byte at a time. */
export async function sendDrip(
  x: Exchange,
  fields: readonly string[],
  body: Uint8Array,
  ms: number,
): Promise<boolean> {
  x.status = 200;
  await x.piece(head("HTTP/1.1 200 OK", [...fields, `Content-Length: ${body.length}`]));
  return await x.drip(body, ms);
}

/** A chunked answer, `pauseMs` between the chunks. */
export async function sendChunked(
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

/** A body that never ends. */
export async function endless(x: Exchange): Promise<boolean> {
  x.status = 200;
  await x.piece(
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!DOCTYPE html><title>Endless</title><p>",
  );
  for (;;) await x.piece(PIECE);
}

/** Chunks that never end. */
export async function endlessChunked(x: Exchange): Promise<boolean> {
  x.status = 200;
  await x.piece("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n");
  const chunk = concat(
    encoder.encode(`${PIECE.length.toString(16)}\r\n`),
    PIECE,
    encoder.encode("\r\n"),
  );
  for (;;) await x.piece(chunk);
}

/** Fields that never end. */
export async function endlessHead(x: Exchange): Promise<boolean> {
  await x.piece("HTTP/1.1 200 OK\r\n");
  const lines = encoder.encode(`X-More: ${"m".repeat(1000)}\r\n`.repeat(16));
  for (;;) await x.piece(lines);
}

/** Megabytes of zeros, coded. */
export async function sendBomb(
  x: Exchange,
  coding: "gzip" | "br" | "zstd",
  megabytes: number,
): Promise<boolean> {
  const body = await bomb(coding, Math.min(megabytes, 10_000));
  return await x.html(200, [`Content-Encoding: ${coding}`], body);
}

/** `/coding/…` */
export async function sendCoding(x: Exchange, name: string): Promise<boolean> {
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

/** `/charset/…` */
export function sendCharset(x: Exchange, rest: string): Promise<boolean> {
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

/** `/odd/…` */
export async function sendOdd(x: Exchange, rest: string): Promise<boolean> {
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

/** A page with a list of links. */
export function linkPage(x: Exchange, title: string, links: readonly string[]): Promise<boolean> {
  const list = links.map((l) => `<li><a href="${l}">${l}</a></li>\n`).join("");
  return x.html(
    200,
    [],
    `<!DOCTYPE html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1><ul>\n${list}</ul></body></html>\n`,
  );
}

/** A page with a validator of its own that does not change. */
export async function sendValidated(
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

/** The answer to a path that is none. */
export function notFound(x: Exchange): Promise<boolean> {
  return x.html(
    404,
    [],
    "<!DOCTYPE html><title>Not here</title><p>Nothing lives at this path.</p>\n",
  );
}

/** A whole number out of a path, or `fallback`. */
export function number(text: string | null, fallback: number): number {
  if (text === null || text === "") return fallback;
  const n = Number(text);
  return Number.isSafeInteger(n) && n >= 0 ? n : fallback;
}
