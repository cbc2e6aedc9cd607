import assert from "node:assert/strict";
import { startWeb } from "../web/mod.ts";
import { collect, withFolder } from "./_crawl.ts";
import { crawled, pagesOf } from "./_sitemaps.ts";

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
