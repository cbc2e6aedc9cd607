import assert from "node:assert/strict";
import { startWeb } from "../web/mod.ts";
import type { LocalWeb } from "../web/mod.ts";
import type { CrawlOptions } from "../../lib/engine/crawl_options.ts";
import { collect, withFolder } from "./_crawl.ts";

/** The paths that were asked for at `host`, beside robots.txt. */
async function crawled(web: LocalWeb, options: CrawlOptions): Promise<string[]> {
  const { records } = await collect(web, { sitemaps: true, ...options });
  return records.map(({ url }) => url).sort();
}

const pagesOf = (web: LocalWeb, host: string, pages: number) =>
  Array.from({ length: pages }, (_, i) => web.url(host, `/p/${i}`));

Deno.test("a crawl with sitemaps fetches all that robots.txt leads to, in every form, each once", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 3, pages: 60, kind: "sitemap", pageBytes: 600 });
    const { records, run } = await collect(web, {
      seeds: web.seeds(),
      sitemaps: true,
      warc: `${dir}/warc`,
      state: `${dir}/crawl.db`,
    });
    const urls = records.map(({ url }) => url);
    assert.equal(new Set(urls).size, urls.length);
    const pages = urls.filter((url) => url.includes("/p/")).sort();
    assert.deepEqual(pages, [...web.expectedUrls()].sort());
    assert.ok(records.every(({ depth, warc_file }) => depth === 0 && warc_file !== ""));
    // An index and its five sitemaps a host; the pages of 60, and what the index lists.
    assert.equal(urls.length, 60 + 3 * 6);
    assert.deepEqual(run.figures.sitemaps, { read: 18, listed: 60 + 3 * 5 });
    const again = await collect(web, {
      seeds: web.seeds(),
      sitemaps: true,
      state: `${dir}/crawl.db`,
    });
    assert.equal(again.records.length, 0, "all of it is known");
  }));

Deno.test("a crawl without sitemaps does not look for them", async () => {
  await using web = await startWeb({ hosts: 1, pages: 9, kind: "sitemap" });
  assert.deepEqual(await crawled(web, { seeds: web.seeds(), sitemaps: false }), web.seeds());
});

Deno.test("where robots.txt names no sitemap, or is not asked for, it is /sitemap.xml", async () => {
  await using web = await startWeb({ hosts: 1, pages: 7, kind: "sitemap-default" });
  const expected = [...web.expectedUrls(), web.url("h0000.sitemap-default.test", "/sitemap.xml")];
  assert.deepEqual(await crawled(web, { seeds: web.seeds() }), expected.sort());
  assert.deepEqual(await crawled(web, { seeds: web.seeds(), robots: false }), expected.sort());
});

Deno.test("sitemaps of hosts that links lead to are not looked for, those of redirected seeds are", async () => {
  await using web = await startWeb({ hosts: 1, pages: 3, kind: "sitemap-default" });
  const named = web.url("h0000.sitemap-default.test", "/p/0");
  const moved = web.url("x.good.test", `/redirect-to?url=${encodeURIComponent(named)}`);
  assert.deepEqual(
    (await crawled(web, { seeds: [moved] })).filter((url) => url.includes("/p/")),
    [...web.expectedUrls()],
  );
  await using other = await startWeb({
    hosts: 2,
    pages: 20,
    graph: "tree-across",
    kind: "sitemap",
  });
  const urls = await crawled(other, {
    seeds: [`${other.seeds()[0]}`],
    maxDepth: 1,
    exclude: ["h0000.*sitemap-index"],
  });
  assert.ok(urls.some((url) => url.includes("h0001.")), "links lead to it");
  assert.deepEqual(urls.filter((url) => url.includes("sitemap-index")), []);
});

Deno.test("an index in an index is followed so far, and no farther", async () => {
  await using web = await startWeb({ hosts: 1, pages: 10 });
  const seed = web.url("h0000.good.test", "/sitemaps/nested/0");
  const urls = await crawled(web, { seeds: [seed] });
  assert.deepEqual(
    urls.filter((url) => url.includes("nested")),
    [0, 1, 2, 3, 4, 5].map((i) => web.url("h0000.good.test", `/sitemaps/nested/${i}`)),
  );
  assert.deepEqual(
    urls.filter((url) => url.includes("/p/")),
    [0, 5].map((i) => web.url("h0000.good.test", `/p/${i}`)),
  );
});

Deno.test("a sitemap that moved is followed on its site, not to another", async () => {
  await using web = await startWeb({ hosts: 1, pages: 10 });
  const host = "h0000.good.test";
  const pages = (urls: string[]) => urls.filter((url) => url.includes("/p/")).length;
  assert.equal(pages(await crawled(web, { seeds: [web.url(host, "/sitemaps/moved")] })), 2);
  // What a seed redirects to is a seed; what a sitemap lists and redirects elsewhere is not.
  const index = web.url("a.drip-0-g1.test", `/sitemaps/moved-away?host=${host}`);
  assert.equal(pages(await crawled(web, { seeds: [index] })), 2);
});

Deno.test("a sitemap brings in pages of its own site, and of hosts that seeds named; others are links", async () => {
  await using web = await startWeb({ hosts: 1, pages: 10 });
  const hosts = ["x.good-g1.test", "named.good-g2.test", "other.good-g3.test"];
  const sitemap = web.url("y.good-g1.test", `/sitemaps/others?hosts=${hosts.join()}`);
  const named = web.url("named.good-g2.test", "/p/0");
  const own = web.url("x.good-g1.test", "/p/1");
  const found = (urls: string[]) => urls.filter((url) => url.endsWith("/p/1"));
  assert.deepEqual(found(await crawled(web, { seeds: [sitemap] })), [own]);
  const elsewhere = web.url("named.good-g2.test", "/p/1");
  assert.deepEqual(found(await crawled(web, { seeds: [named, sitemap] })), [elsewhere, own].sort());
  const linked = web.url("other.good-g3.test", "/p/1");
  assert.deepEqual(
    found(await crawled(web, { seeds: [named, sitemap], maxDepth: 1 })),
    [elsewhere, linked, own].sort(),
  );
});

Deno.test("scope and accept hold for what sitemaps list, not for the sitemaps", async () => {
  await using web = await startWeb({ hosts: 1, pages: 30, kind: "sitemap" });
  const host = "h0000.sitemap.test";
  const pages = (urls: string[]) => urls.filter((url) => url.includes("/p/"));
  const include = await crawled(web, { seeds: web.seeds(), include: ["/p/1\\d$"] });
  assert.deepEqual(pages(include), [
    web.url(host, "/p/0"),
    ...pagesOf(web, host, 20).slice(10),
  ]);
  const exclude = await crawled(web, { seeds: web.seeds(), exclude: ["/p/1\\d$", "/rss$"] });
  assert.equal(pages(exclude).length, 30 - 10 - 4);
  const asked: number[] = [];
  const accept = await crawled(web, {
    seeds: web.seeds(),
    accept: ({ url, depth }) => {
      asked.push(depth);
      return !url.includes("/p/2");
    },
  });
  assert.equal(pages(accept).length, 30 - 11);
  assert.ok(asked.every((depth) => depth === 0));
});

Deno.test("a sitemap that is cut, or a bomb, gives what can be read of it", async () => {
  await using web = await startWeb({ hosts: 1, pages: 40 });
  const host = "h0000.good.test";
  const cut = await crawled(web, { seeds: [web.url(host, "/sitemaps/cut")] });
  assert.ok(cut.length > 3 && cut.length < 42, String(cut.length));
  const bomb = await crawled(web, { seeds: [web.url(host, "/sitemaps/bomb.xml.gz")] });
  assert.deepEqual(bomb.filter((url) => url.includes("/p/")), pagesOf(web, host, 2));
});

Deno.test("--max-pages and --max-urls-per-host hold with a sitemap of more than 50 000 URLs", async () => {
  await using web = await startWeb({ hosts: 1, pages: 1 });
  const seeds = [web.url("h0000.good.test", "/sitemaps/many/50100")];
  const { records, run } = await collect(web, { seeds, sitemaps: true, maxPages: 5, delayMs: 0 });
  assert.equal(records.length, 5);
  assert.equal(run.figures.sitemaps?.listed, 50_000);
  const { records: bounded } = await collect(web, {
    seeds: [web.url("h0000.good.test", "/sitemaps/many/500")],
    sitemaps: true,
    maxUrlsPerHost: 10,
    delayMs: 0,
  });
  assert.equal(bounded.length, 10);
});
