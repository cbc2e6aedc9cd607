import assert from "node:assert/strict";
import { startWeb } from "../web/mod.ts";
import { collect } from "./_crawl.ts";
import { crawled, pagesOf } from "./_sitemaps.ts";

Deno.test("what sitemaps list", async (t) => {
  await using web = await startWeb({ hosts: 1, pages: 10 });

  await t.step("an index in an index is followed so far, and no farther", async () => {
    const seed = web.url("a.pages-10.test", "/sitemaps/nested/0");
    const urls = await crawled(web, { seeds: [seed] });
    assert.deepEqual(
      urls.filter((url) => url.includes("nested")),
      [0, 1, 2, 3, 4, 5].map((i) => web.url("a.pages-10.test", `/sitemaps/nested/${i}`)),
    );
    assert.deepEqual(
      urls.filter((url) => url.includes("/p/")),
      [0, 5].map((i) => web.url("a.pages-10.test", `/p/${i}`)),
    );
  });

  await t.step("a sitemap that moved is followed on its site, not to another", async () => {
    const host = "a.pages-10.test";
    const pages = (urls: string[]) => urls.filter((url) => url.includes("/p/")).length;
    assert.equal(pages(await crawled(web, { seeds: [web.url(host, "/sitemaps/moved")] })), 2);
    // What a seed redirects to is a seed; what a sitemap lists and redirects elsewhere is not.
    const seed = web.url("a.good-g1.test", `/sitemaps/moved-away?host=${host}`);
    assert.equal(pages(await crawled(web, { seeds: [seed] })), 2);
    const index = web.url("a.good-g1.test", `/sitemaps/away?host=${host}`);
    const urls = await crawled(web, { seeds: [index] });
    assert.deepEqual(urls.filter((url) => !url.includes("a.good-g1.test")), []);
    assert.ok(urls.some((url) => url.includes("moved-away")));
  });

  await t.step(
    "a sitemap brings in pages of its own site, and of hosts that seeds named; others are links",
    async () => {
      const hosts = ["x.good-g1.test", "named.good-g2.test", "other.good-g3.test"];
      const sitemap = web.url("y.good-g1.test", `/sitemaps/others?hosts=${hosts.join()}`);
      const named = web.url("named.good-g2.test", "/p/0");
      const own = web.url("x.good-g1.test", "/p/1");
      const found = (urls: string[]) => urls.filter((url) => url.endsWith("/p/1"));
      assert.deepEqual(found(await crawled(web, { seeds: [sitemap] })), [own]);
      const elsewhere = web.url("named.good-g2.test", "/p/1");
      assert.deepEqual(
        found(await crawled(web, { seeds: [named, sitemap] })),
        [elsewhere, own].sort(),
      );
      const linked = web.url("other.good-g3.test", "/p/1");
      assert.deepEqual(
        found(await crawled(web, { seeds: [named, sitemap], maxDepth: 1 })),
        [elsewhere, linked, own].sort(),
      );
    },
  );

  await t.step("a sitemap that is cut, or a bomb, gives what can be read of it", async () => {
    const host = "a.pages-40.test";
    const cut = await crawled(web, { seeds: [web.url(host, "/sitemaps/cut")] });
    assert.ok(cut.length > 3 && cut.length < 42, String(cut.length));
    const bomb = await crawled(web, { seeds: [web.url(host, "/sitemaps/bomb.xml.gz")] });
    assert.deepEqual(bomb.filter((url) => url.includes("/p/")), pagesOf(web, host, 2));
  });

  await t.step(
    "--max-pages and --max-urls-per-host hold with a sitemap of more than 50 000 URLs",
    async () => {
      const seeds = [web.url("a.pages-1.test", "/sitemaps/many/50100")];
      const { records, run } = await collect(web, {
        seeds,
        sitemaps: true,
        maxPages: 5,
        delayMs: 0,
      });
      assert.equal(records.length, 5);
      assert.equal(run.figures.sitemaps?.listed, 50_000);
      const { records: bounded } = await collect(web, {
        seeds: [web.url("a.pages-1.test", "/sitemaps/many/500")],
        sitemaps: true,
        maxUrlsPerHost: 10,
        delayMs: 0,
      });
      assert.equal(bounded.length, 10);
    },
  );
});
