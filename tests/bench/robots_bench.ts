/**
 * What robots.txt costs: parsing and checking real files (CCRAWL_CORPUS) and files written to be slow,
 * beside a plain pass over the same bytes in the same run; and the memory of a full cache.
 *
 *     CCRAWL_CORPUS=… deno run -A tests/bench/robots_bench.ts
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stepsTaken } from "../../lib/robots/_rules.ts";
import { RobotsCache } from "../../lib/robots/cache.ts";
import { parseRobots } from "../../lib/robots/parse.ts";

function best(rounds: number, run: () => void): number {
  let ms = Infinity;
  for (let i = 0; i < rounds; i++) {
    const start = performance.now();
    run();
    ms = Math.min(ms, performance.now() - start);
  }
  return ms;
}

const bytes = (text: string) => new TextEncoder().encode(text);

/** The fixed thing: one look at every byte. */
function plainPass(body: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < body.length; i++) sum = (sum * 31 + body[i]!) | 0;
  return sum;
}

const corpus = Deno.env.get("CCRAWL_CORPUS");
const real: Uint8Array[] = [];
if (corpus === undefined) console.log("CCRAWL_CORPUS is not set: no real files");
else {
  for (const name of readdirSync(join(corpus, "robots"))) {
    if (name !== "README.md") real.push(readFileSync(join(corpus, "robots", name)));
  }
  const total = real.reduce((sum, body) => sum + body.length, 0);
  const pass = best(20, () => real.forEach(plainPass));
  const parse = best(20, () => real.forEach((body) => parseRobots(body, { agent: "CCrawl" })));
  const parsed = real.map((body) => parseRobots(body, { agent: "CCrawl" }));
  const url = "https://example.com/category/products/item-1234?page=2&sort=asc";
  const check = best(20, () => parsed.forEach((robots) => robots.check("CCrawl", url)));
  console.log(`${real.length} real files, ${total} bytes`);
  console.log(
    `  parse ${(parse * 1000 / real.length).toFixed(1)} µs a file, ` +
      `${(parse / pass).toFixed(1)} times a plain pass`,
  );
  console.log(`  check ${(check * 1000 / real.length).toFixed(2)} µs a URL`);
  console.log(
    `  memory by its own account ${
      Math.round(parsed.reduce((sum, robots) => sum + robots.byteLength, 0) / real.length)
    } bytes a host`,
  );
}

function fileOf(line: (i: number) => string): string {
  let out = "User-agent: *\n";
  for (let i = 0; out.length < 500_000; i++) out += line(i) + "\n";
  return out;
}

const hostile: Record<string, string> = {
  "stars in one line": "User-agent: *\nDisallow: /" + "*a".repeat(250_000) + "b",
  "stars in many lines": fileOf((i) => `Disallow: /*a*a*a*a*a*a*a*a*a*b${i % 10}`),
  "a shared prefix": fileOf((i) => "Disallow: /" + "a".repeat(i % 3990) + "/"),
  "fifty thousand rules": fileOf((i) => `Disallow:/${i}`),
  "wildcards without end": fileOf(() => "Disallow: /*abab*bb*"),
};
const long = "https://example.com/" + "ab".repeat(1000) + "a".repeat(2000);
console.log("500 KiB files written to be slow, a URL of 4 000 characters");
for (const [name, file] of Object.entries(hostile)) {
  const body = bytes(file);
  const pass = best(10, () => plainPass(body));
  const parse = best(10, () => parseRobots(body, { agent: "CCrawl" }));
  const robots = parseRobots(body, { agent: "CCrawl" });
  const check = best(10, () => robots.check("CCrawl", long));
  console.log(
    `  ${name.padEnd(22)} parse ${parse.toFixed(1)} ms (${(parse / pass).toFixed(0)} passes), ` +
      `check ${check.toFixed(2)} ms (${(check / pass).toFixed(1)} passes), ${stepsTaken()} steps`,
  );
}

if (real.length > 0) {
  const answers = real.map((body) => ({ status: 200, body }));
  let next = 0;
  const cache = new RobotsCache({
    userAgentToken: "CCrawl",
    fetch: () => Promise.resolve(answers[next++ % answers.length]!),
  });
  const gc = (globalThis as { gc?: () => void }).gc;
  gc?.();
  const before = Deno.memoryUsage();
  const start = performance.now();
  for (let i = 0; i < 60_000; i++) await cache.get(`https://host${i}.example/`);
  const ms = performance.now() - start;
  gc?.();
  const after = Deno.memoryUsage();
  const grown = after.heapUsed + after.external - before.heapUsed - before.external;
  console.log(
    `a cache that saw 60 000 hosts holds ${cache.stats.entries}, ` +
      `${(cache.stats.bytes / 2 ** 20).toFixed(1)} MB by its account, ` +
      `${(grown / 2 ** 20).toFixed(1)} MB of heap${gc ? "" : " (before a collection)"}, ` +
      `${(ms * 1000 / 60_000).toFixed(1)} µs a host`,
  );
  const hit = best(5, () => {
    for (let i = 0; i < 10_000; i++) cache.peek("https://host59999.example/x");
  });
  console.log(`  ${(hit * 1e6 / 10_000).toFixed(0)} ns a question answered from memory`);
}
