import assert from "node:assert/strict";
import { collect, withFolder } from "./_crawl.ts";
import { assertPolite, shortestGap } from "./_politeness.ts";
import { answersOf, latin1 } from "./_warc.ts";
import { startWeb } from "../web/mod.ts";

Deno.test("crawl() keeps its distance however connections end", async () => {
  await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 2000 });
  const delayMs = 30;
  // Some close at the very moment at which the next request is due.
  const kinds = ["stale-30", "stale-29", "stale-31", "stale-1", "drop-2", "keep-2", "close"];
  const hosts = kinds.flatMap((kind) => [1, 2, 3].map((i) => `h${i}.${kind}.pages-25.test`));
  const { records, run } = await collect(web, {
    seeds: hosts.map((host) => web.url(host, "/p/0")),
    maxDepth: 100,
    delayMs,
    retries: 0,
  });
  const failed = records.filter((r) => r.status !== 200);
  assert.deepEqual(failed.map((r) => [r.url, r.error_detail]), []);
  assert.equal(records.length, hosts.length * 25);
  assert.equal(run.figures.fetched, records.length);
  await assertPolite(web, delayMs);
  assert.ok(shortestGap(records) >= delayMs - 1, `${shortestGap(records)} ms`);
});

Deno.test("crawl() takes no answer that nobody asked for", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 2000 });
    const urls: string[] = [];
    // Late, but before anybody asks again: what comes after that nobody could tell from the answer.
    for (const late of [0, 1, 5, 20]) {
      for (let i = 0; i < 3; i++) {
        const host = `late${late}.good.test`;
        urls.push(web.url(host, `/smuggle-late/${late}?${i}`), web.url(host, `/one?${i}`));
      }
    }
    for (let i = 0; i < 3; i++) {
      urls.push(web.url("a.good.test", `/smuggle?${i}`), web.url("a.good.test", `/one?${i}`));
    }
    const { records } = await collect(web, {
      seeds: urls,
      warc: { dir, dedup: false },
      delayMs: 500,
    });
    assert.deepEqual(records.filter((r) => r.status !== 200), []);
    const stored = await answersOf(dir);
    for (const url of urls) {
      const { http } = stored.get(url)!;
      assert.equal(http.get("x-smuggled"), undefined, url);
      const body = latin1(http.payload);
      if (url.includes("/one")) assert.match(body, /^<title>One/, url);
      else assert.equal(body, "hi", url);
    }
  }));
