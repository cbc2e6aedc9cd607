import assert from "node:assert/strict";
import { recrawl } from "../../lib/engine/recrawl.ts";
import { startWeb } from "../web/mod.ts";
import { withFolder } from "./_crawl.ts";

Deno.test("a page's time is not used up by names that wait for their lookup, however slow that is", async () => {
  await using web = await startWeb({ hosts: 1, pages: 1 });
  await withFolder(async (dir) => {
    const rows = 120;
    const urls = Array.from(
      { length: rows },
      (_, i) => web.url(`n${i}.dns-late-100-g${i}.test`, "/p/0"),
    );
    await Deno.writeTextFile(`${dir}/list.txt`, urls.join("\n"));
    // Of 120 names four are looked up at a time, each in a tenth of a second: three seconds in all.
    const run = recrawl({
      from: `${dir}/list.txt`,
      out: `${dir}/out`,
      workers: 8,
      extractors: 1,
      extractor: "none",
      dnsLookups: 4,
      timeoutMs: 1500,
      resolvers: [web.resolver],
      allowPrivate: true,
      minFree: 0,
    });
    let most = 0;
    for await (const { error, url } of run) {
      assert.equal(error, "", url);
      most = Math.max(most, run.figures.inFlight);
    }
    const { fetched, dns } = run.figures;
    assert.equal(fetched, rows);
    assert.deepEqual([dns.lookedUp, dns.cached, dns.unresolved], [rows, 0, 0]);
    assert(most <= 16, `${most} rows in flight while names wait for each other`);
  });
});
