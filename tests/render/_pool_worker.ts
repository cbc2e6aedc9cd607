/**
 * A worker of the pool for tests: pages that hold a marker do what a hostile page might bring about.
 */

import process from "node:process";
import { decodeText, loadDetector } from "../../lib/net/charset.ts";
import { decodeBody } from "../../lib/net/decode.ts";
import { serveRenderPool } from "../../lib/render/pool_worker.ts";

const MARKER = "<!--do ";

function obey(text: string): void {
  if (!text.startsWith(MARKER)) return;
  const what = text.slice(MARKER.length, text.indexOf("-->"));
  if (what === "spin") { for (;;); }
  if (what === "match") /^(a+)+$/.test("a".repeat(64) + "b");
  if (what === "grow") {
    for (const all: number[][] = [];;) all.push(new Array(1000).fill(all.length));
  }
  if (what === "exit") process.exit(0);
  if (what === "throw") throw new Error("told to throw");
  if (what === "recurse") obey(text + recurse(1));
}

function recurse(n: number): number {
  return recurse(n + 1) + 1;
}

await serveRenderPool({
  decodeBody(body, contentEncoding, maxBytes) {
    if (contentEncoding === "x-spin") { for (;;); }
    if (contentEncoding === "x-exit") process.exit(0);
    return decodeBody(body, contentEncoding, maxBytes);
  },
  decodeText(bytes, contentType) {
    const decoded = decodeText(bytes, contentType);
    obey(decoded.text);
    return decoded;
  },
  loadDetector,
});
