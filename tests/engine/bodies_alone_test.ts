import assert from "node:assert/strict";
import { collect, withFolder } from "./_crawl.ts";
import { answersOf } from "./_warc.ts";
import { startWeb } from "../web/mod.ts";

Deno.test("crawl() is not blown up by bombs", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 1000 });
    const bombs = ["gzip", "br", "zstd"].map((coding) =>
      web.url(`${coding}.good.test`, `/bomb/${coding}/300`)
    );
    let most = 0;
    const timer = setInterval(() => most = Math.max(most, Deno.memoryUsage().rss), 20);
    const before = Deno.memoryUsage().rss;
    const { records } = await collect(web, {
      seeds: [...bombs, web.url("good.good.test", "/one")],
      warc: dir,
      maxDepth: 1,
    });
    clearInterval(timer);
    assert.deepEqual(records.map((r) => r.status), [200, 200, 200, 200]);
    assert.ok(records.every((r) => r.digest.length === 32));
    const grown = (most - before) / 2 ** 20;
    assert.ok(grown < 500, `${grown} MB for three times 300 MB`);
    const stored = await answersOf(dir);
    for (const url of bombs) assert.ok(stored.get(url)!.http.payload.length < 2 ** 20, "as served");
  }));
