import assert from "node:assert/strict";
import { startWeb } from "../web/mod.ts";
import { collect, withFolder } from "./_crawl.ts";

Deno.test("crawl() fetches every page of a tree, each once, none outside it", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 10, pages: 500, pageBytes: 2000, graph: "tree" });
    const { records } = await collect(web, {
      seeds: web.seeds(),
      maxDepth: 100,
      state: `${dir}/crawl.db`,
      warc: `${dir}/warc`,
    });
    assert.deepEqual(
      records.map((r) => r.url).sort(),
      [...web.expectedUrls()].sort(),
    );
    assert.ok(
      records.every((r) => r.status === 200 && r.warc_file !== "" && r.digest.length === 32),
    );
    const summary = await web.summary();
    assert.equal(summary.robots, 10, "robots.txt once a host");
  }));
