/**
 * A worker of the pool for tests: pages do what a hostile page might bring about, told by a content coding
 * of theirs (whenever it is undone) or by a comment at their beginning (when their row is made, unless they
 * failed already).
 */

import process from "node:process";
import { decodeText, loadDetector } from "../../lib/net/charset.ts";
import { decodeBody } from "../../lib/net/decode.ts";
import { encodePageRow } from "../../lib/render/page_row.ts";
import { serveRenderPool } from "../../lib/render/pool_worker.ts";

const MARKER = "<!--do ";
let hangs = false;
let spun = false;

function obey(what: string): void {
  if (what === "spin") { for (;;); }
  if (what === "spin, then throw") {
    if (spun) throw new Error("told to throw");
    spun = true;
    for (;;);
  }
  if (what === "tell") throw new Error(`this thread was ${spun ? "" : "not "}stopped`);
  if (what === "work") work();
  if (what === "match") /^(a+)+$/.test("a".repeat(64) + "b");
  if (what === "grow") grow();
  if (what === "exit") process.exit(0);
  if (what === "exit 3") process.exit(3);
  if (what === "throw") throw new Error("told to throw");
  if (what === "recurse") recurse(1);
}

function work(): void {
  for (const end = performance.now() + 300; performance.now() < end;);
}

function grow(): never {
  const all: unknown[] = [];
  for (;;) all.push(new Array(1000).fill(Math.random()));
}

function recurse(n: number): number {
  return recurse(n + 1) + 1;
}

await serveRenderPool({
  decodeBody(body, contentEncoding, maxBytes) {
    if (contentEncoding.startsWith("x-do ")) {
      obey(contentEncoding.slice("x-do ".length));
      contentEncoding = "";
    }
    return decodeBody(body, contentEncoding, maxBytes);
  },
  decodeText(bytes, contentType) {
    const decoded = decodeText(bytes, contentType);
    hangs = decoded.text.startsWith("<!--hang-->");
    return hangs ? { ...decoded, source: "fallback" } : decoded;
  },
  loadDetector: () => hangs ? new Promise(() => {}) : loadDetector(),
  assembler: (setup) => (page, outcome, allocate) => {
    if (setup === "fail") throw new Error("no row can be made");
    const comment = new TextDecoder().decode(page.body.subarray(0, 50));
    if (outcome.failed === "" && comment.startsWith(MARKER)) {
      obey(comment.slice(MARKER.length, comment.indexOf("-->")));
    }
    return encodePageRow(page, outcome, allocate);
  },
});
