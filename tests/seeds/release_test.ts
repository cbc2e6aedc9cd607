import assert from "node:assert/strict";
import { findRelease, linkedReleases, rankTableUrl } from "../../lib/seeds/release.ts";
import { startDataSite } from "../web/data_site.ts";

Deno.test("linkedReleases() finds ids in links alone, whatever stands behind them", () => {
  const html = `
    <p>cc-main-2027-jan-feb-mar is announced, not linked</p>
    <a href="/projects/hyperlinkgraph/cc-main-2025-may-jun-jul/index.html">one</a>
    <a class=x HREF='https://example.com/#CC-MAIN-2026-Mar-Apr-May'>no: the attribute's name</a>
    <a href = 'https://example.com/CC-MAIN-2026-Mar-Apr-May'>two</a>
    <a href=/x/cc-main-2024-25-dec-jan-feb/host/cc-main-2024-25-dec-jan-feb-host-ranks.txt.gz>three</a>
    <a href="/crawl/CC-MAIN-2025-26">a crawl, no release</a> href= href`;
  assert.deepEqual(linkedReleases(html), [
    "cc-main-2025-may-jun-jul",
    "cc-main-2026-mar-apr-may",
    "cc-main-2024-25-dec-jan-feb",
  ]);
  assert.deepEqual(linkedReleases("href=".repeat(100_000)), []);
  assert.deepEqual(linkedReleases("href=" + "cc-main-".repeat(100_000)), []);
});

Deno.test("findRelease() takes the newest that the page links to, and the listing's where it links to none", async () => {
  await using site = startDataSite();
  const options = { dataEndpoint: `${site.url}//`, releasesPage: `${site.url}/web-graphs` };
  site.page("/projects/hyperlinkgraph/", '<a href="cc-main-2025-may-jun-jul/">x</a>');
  assert.equal(await findRelease(options), "cc-main-2025-may-jun-jul");
  site.page("/web-graphs", "<p>No links today</p>");
  assert.equal(await findRelease(options), "cc-main-2025-may-jun-jul");
  site.page(
    "/web-graphs",
    '<a href="/a/cc-main-2025-nov-dec-jan/"><a href="/a/cc-main-2025-26-dec-jan-feb/">',
  );
  assert.equal(await findRelease(options), "cc-main-2025-26-dec-jan-feb");
});

Deno.test("findRelease() says where it looked when there is none, and passes on that a site is busy", async () => {
  await using site = startDataSite();
  const options = {
    dataEndpoint: site.url,
    releasesPage: `${site.url}/web-graphs`,
    retryFor: 0,
    sleep: () => Promise.resolve(),
  };
  site.page("/web-graphs", "");
  await assert.rejects(findRelease(options), {
    name: "ReleaseError",
    message: /^Cannot find the newest release of the web graph: neither .*web-graphs nor .*--graph/,
  });
  site.fault({ kind: "status", status: 503 });
  await assert.rejects(findRelease(options), { name: "HubBusyError", exitCode: 75 });
});

Deno.test("rankTableUrl() names the tables of a release, and refuses what is no release's name", () => {
  assert.equal(
    rankTableUrl("cc-main-2026-mar-apr-may", "host"),
    "https://data.commoncrawl.org/projects/hyperlinkgraph/cc-main-2026-mar-apr-may/host/" +
      "cc-main-2026-mar-apr-may-host-ranks.txt.gz",
  );
  assert.equal(
    rankTableUrl("cc-main-2026-mar-apr-may", "domain", { dataEndpoint: "http://a/b/" }),
    "http://a/b/projects/hyperlinkgraph/cc-main-2026-mar-apr-may/domain/" +
      "cc-main-2026-mar-apr-may-domain-ranks.txt.gz",
  );
  for (const name of ["", "newest", "cc-main-2026-../../x", "cc-main-2026-30", "x".repeat(500)]) {
    assert.throws(() => rankTableUrl(name, "host"), { name: "ReleaseError" });
  }
});
