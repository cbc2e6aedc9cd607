// A crawl that comes back, over sites known by their sitemaps, killed again and again at random moments.
import assert from "node:assert/strict";
import { crawlArgs } from "../engine/_kill.ts";
import { withFolder } from "../engine/_crawl.ts";
import { Ccrawl, type SeenRecord } from "../engine/_process.ts";
import { verifyPaths } from "../../lib/engine/verify.ts";
import { readStats } from "../../lib/frontier/read.ts";
import { startWeb } from "../web/mod.ts";

const HOSTS = 40, PAGES = 800, INTERVAL = 3000, KILLS = 10;

Deno.test("kills lose no page of a crawl that comes back, and make none early", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({
      hosts: HOSTS,
      pages: PAGES,
      kind: "sitemap",
      pageBytes: 2000,
    });
    await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
    const args = crawlArgs(
      web,
      dir,
      ...["--sitemaps", "--recrawl", "--recrawl-interval", `${INTERVAL}ms`, "--delay", "20ms"],
      ...["--warc-size", "2MB", "--writers", "2"],
    );
    const last = new Map<string, number>(), visits = new Map<string, number>();
    const take = (records: readonly SeenRecord[]) => {
      for (const { url, fetched_at } of records as (SeenRecord & { fetched_at: string })[]) {
        const at = Date.parse(fetched_at), before = last.get(url);
        if (before !== undefined) assert.ok(at - before >= INTERVAL, `${url} after ${at - before}`);
        last.set(url, at);
        visits.set(url, (visits.get(url) ?? 0) + 1);
      }
    };
    const verify = async () => {
      for await (const fault of verifyPaths([`${dir}/warc`], { state: `${dir}/crawl.db` })) {
        assert.fail(JSON.stringify(fault));
      }
    };
    for (let kill = 0; kill < KILLS; kill++) {
      const run = new Ccrawl(args);
      const until = 50 + Math.floor(Math.random() * 600);
      assert.ok(await run.until(() => run.records.length >= until), run.stderr);
      run.kill("SIGKILL");
      await run.ended;
      take(run.records);
      await verify();
    }
    // As many visits as all pages have, twice: by then each had its turn.
    const run = new Ccrawl(args);
    const all = PAGES + 6 * HOSTS;
    assert.ok(await run.until(() => run.records.length >= 2 * all), run.stderr);
    run.kill("SIGTERM");
    await run.succeeds();
    take(run.records);
    await verify();
    assert.equal(visits.size, all);
    for (const url of web.expectedUrls()) assert.ok(visits.get(url)! >= 2, url);
    const { known, visits: books } = await readStats(`${dir}/crawl.db`);
    assert.deepEqual([known, books!.waiting + books!.due], [all, all]);
  }));
