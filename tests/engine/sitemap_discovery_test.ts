import assert from "node:assert/strict";
import { listingRules, SitemapDiscovery } from "../../lib/engine/_sitemaps.ts";
import type { DiscoveredUrl, Frontier, LeasedUrl } from "../../lib/frontier/types.ts";
import { parseRobots } from "../../lib/robots/mod.ts";

const PAGE: LeasedUrl = {
  id: 1,
  url: "https://www.a.example/p",
  priority: 8,
  depth: 0,
  attempts: 0,
};

function robots(text: string, expires = 1) {
  const rules = parseRobots(new TextEncoder().encode(text), { agent: "CCrawl", sitemaps: true });
  return { rules, expires };
}

/** A discovery, and what it has offered. */
function discovery(exclude: string[] = []): { finds: SitemapDiscovery; offers: DiscoveredUrl[] } {
  const offers: DiscoveredUrl[] = [];
  const frontier = {
    put: (urls: readonly DiscoveredUrl[]) => {
      offers.push(...urls);
      return Promise.resolve({ added: urls.length, known: 0, refused: 0, staged: 0 });
    },
  } as unknown as Frontier;
  const finds = new SitemapDiscovery(frontier, { exclude }, (error) => {
    throw error;
  });
  return { finds, offers };
}

Deno.test("SitemapDiscovery offers what robots.txt names, other sites' apart; once for each robots.txt", () => {
  const { finds, offers } = discovery(["secret"]);
  const text =
    "User-agent: x\nDisallow: /\nSitemap: /one.xml\nSitemap: https://b.example/two.xml\n" +
    "Sitemap: mailto:x\nSitemap: https://a.example/secret.xml\nSitemap: /one.xml#again\n";
  finds.found(PAGE, robots(text));
  finds.found({ ...PAGE, url: "https://www.a.example/q" }, robots(text));
  assert.deepEqual(offers, [
    { url: "https://www.a.example/one.xml", priority: 8, depth: 0, listed: 1 },
    { url: "https://b.example/two.xml", priority: 8, depth: 0, listed: 129 },
  ]);
  finds.found(PAGE, robots("Sitemap: /three.xml", 2));
  assert.equal(offers.at(-1)!.url, "https://www.a.example/three.xml");
});

Deno.test("SitemapDiscovery guesses where nothing is named, and asks only for hosts that seeds named", () => {
  const { finds, offers } = discovery();
  finds.found({ ...PAGE, depth: 1 }, robots("Sitemap: /one.xml"));
  finds.found({ ...PAGE, listed: 2 }, robots("Sitemap: /one.xml"));
  assert.deepEqual(offers, []);
  finds.found(PAGE, robots("Sitemap: mailto:x"));
  finds.found({ ...PAGE, url: "http://www.a.example:8080/" }, undefined);
  assert.deepEqual(offers.map(({ url }) => url), [
    "https://www.a.example/sitemap.xml",
    "http://www.a.example:8080/sitemap.xml",
  ]);
});

Deno.test("listingRules() bounds how far sitemaps lead, and to whose pages", () => {
  const rules = (depth: number, level: number) =>
    Object.values(listingRules(depth, level)).map(Number).join("");
  // Expected to be one; lists pages of its own; of hosts that seeds named.
  assert.deepEqual([0, 1, 2, 4, 5].map((level) => rules(0, level)), [
    "011",
    "111",
    "011",
    "011",
    "000",
  ]);
  assert.deepEqual([129, 130, 132, 133].map((level) => rules(0, level)), [
    "101",
    "001",
    "001",
    "000",
  ]);
  assert.equal(rules(1, 0), "000");
});
