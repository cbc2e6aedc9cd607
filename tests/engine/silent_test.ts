import assert from "node:assert/strict";
import { crawl } from "../../lib/engine/crawl.ts";
import { toward } from "./_crawl.ts";
import { startWeb } from "../web/mod.ts";

Deno.test("crawl() lets a crowd on one address keep nobody else out", async () => {
  await using web = await startWeb({ hosts: 10, pages: 50, pageBytes: 1000 });
  // More hosts than the crawl holds leases for, on an address that answers nobody for long.
  const crowd = Array.from(
    { length: 1500 },
    (_, i) => web.url(`c${i}.ip7.slow-25000.test`, "/p/0"),
  );
  const wanted = new Set(web.expectedUrls());
  const run = crawl(toward(web, {
    seeds: [...crowd, ...web.seeds()],
    maxDepth: 10,
    perIp: 4,
    workers: 16,
    robots: false,
    graceMs: 0,
  }));
  for await (const { url, status } of run) {
    assert.deepEqual([status, wanted.delete(url)], [200, true], url);
    if (wanted.size === 0) break;
  }
  const { addresses } = await web.summary();
  const crowded = addresses.find((a) => a.ip === "127.200.0.7")!;
  assert.ok(crowded.maxConcurrent <= 4, `${crowded.maxConcurrent} at once`);
});
