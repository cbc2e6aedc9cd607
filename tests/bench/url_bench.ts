/**
 * What URL work costs a page: nanoseconds a link, beside the runtime's own parser in the same run.
 *
 *     deno run -A tests/bench/url_bench.ts
 */

import { canonicalUrlSlow, LinkCanonicalizer } from "../../lib/url/canonical.ts";
import { hostOf, registeredDomain } from "../../lib/url/host.ts";
import { Scope } from "../../lib/url/scope.ts";
import { shardOf } from "../../lib/url/shard.ts";
import { surt } from "../../lib/url/surt.ts";
import { trapReason } from "../../lib/url/traps.ts";

const base = "https://www.example.com/blog/2024/05/some-article-title";
const links = {
  "absolute": "https://www.example.com/category/products/item-1234?page=2&sort=asc",
  "absolute path": "/category/products/item-1234?page=2",
  "relative": "images/photo-1.jpg",
  "fragment": "#comments",
  "escaped": "/wiki/%e3%83%84%E3%83%bc%7e?x=%41",
  "tracking": "https://other.example.org/a?utm_source=news&id=7",
  "parent (parser)": "../other/page.html",
  "non-ASCII (parser)": "/straße/über",
};

/** Nanoseconds a call, the best of several rounds. */
function time(run: () => unknown): number {
  const count = 50_000;
  let best = Infinity;
  for (let round = 0; round < 6; round++) {
    const start = performance.now();
    for (let i = 0; i < count; i++) run();
    best = Math.min(best, (performance.now() - start) * 1e6 / count);
  }
  return best;
}

const canonicalizer = new LinkCanonicalizer(base);
const parsedBase = new URL(base);
console.log("canonical form, ns a link: ours, by the parser, new URL alone, ratio to new URL");
for (const [name, link] of Object.entries(links)) {
  const ours = time(() => canonicalizer.resolve(link));
  const slow = time(() => canonicalUrlSlow(link, parsedBase));
  const parser = time(() => new URL(link, parsedBase).href);
  console.log(
    `  ${name.padEnd(20)} ${ours.toFixed(0).padStart(6)} ${slow.toFixed(0).padStart(6)} ` +
      `${parser.toFixed(0).padStart(6)}  ${(ours / parser).toFixed(3)}`,
  );
}

const url = links.absolute;
const parser = time(() => new URL(url).href);
const scope = new Scope({
  include: ["com,example", "org,example)/a"],
  exclude: ["\\.pdf$", "com,example)/private/"],
  shards: 3,
  shard: shardOf(url, 3),
});
const others: [string, () => unknown][] = [
  ["new LinkCanonicalizer", () => new LinkCanonicalizer(base)],
  ["hostOf", () => hostOf(url)],
  ["registeredDomain", () => registeredDomain("www.example.co.uk")],
  ["shardOf", () => shardOf(url, 3)],
  ["trapReason", () => trapReason(url)],
  ["surt", () => surt(url)],
  ["Scope.inScope", () => scope.inScope(url)],
];
console.log(`others, ns a call, ratio to new URL (${parser.toFixed(0)})`);
for (const [name, run] of others) {
  const ns = time(run);
  console.log(`  ${name.padEnd(22)} ${ns.toFixed(0).padStart(6)}  ${(ns / parser).toFixed(3)}`);
}
