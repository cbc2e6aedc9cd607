import assert from "node:assert/strict";
import { verifyPaths } from "../../lib/engine/verify.ts";
import { readStats } from "../../lib/frontier/read.ts";
import { type LocalWeb, startWeb } from "../web/mod.ts";
import { collect, withFolder } from "./_crawl.ts";
import { crawlArgs } from "./_kill.ts";
import type { CrawlEvent } from "../../lib/engine/crawl_options.ts";
import { Ccrawl, ccrawl, type SeenRecord } from "./_process.ts";
import { readFolder } from "./_warc.ts";

/** Visits of the same URL, one after the other. */
function byUrl<T extends { url: string }>(records: readonly T[]): Map<string, T[]> {
  const out = new Map<string, T[]>();
  for (const record of records) {
    const visits = out.get(record.url);
    if (visits === undefined) out.set(record.url, [record]);
    else visits.push(record);
  }
  return out;
}

async function assertVerified(dir: string): Promise<void> {
  for await (const fault of verifyPaths([`${dir}/warc`], { state: `${dir}/crawl.db` })) {
    assert.fail(JSON.stringify(fault));
  }
}

const PAGES = { etag: "/etag/x", modified: "/modified/3", plain: "/one", changing: "/changing" };

/** One host a page, so that none waits for another's turn. */
function pagesOf(web: LocalWeb): Record<keyof typeof PAGES, string> {
  return Object.fromEntries(
    Object.entries(PAGES).map(([name, path]) => [name, web.url(`${name}.good.test`, path)]),
  ) as Record<keyof typeof PAGES, string>;
}

Deno.test("a crawl that comes back asks on conditions, and stores again only what has changed", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 1 });
    const pages = pagesOf(web);
    const options = {
      seeds: Object.values(pages),
      recrawl: { intervalMs: 200 },
      state: `${dir}/crawl.db`,
      warc: `${dir}/warc`,
    };
    const first = await collect(web, { ...options, limit: 20 });
    assert.equal(first.records.length, 20);
    // Another run goes on from what the state and the archive hold.
    const second = await collect(web, { ...options, limit: 12 });
    const records = [...first.records, ...second.records];
    const visits = byUrl(records);
    const statuses = (url: string) => visits.get(url)!.map(({ status }) => status);
    for (const url of [pages.etag, pages.modified]) {
      const [one, ...more] = statuses(url);
      assert.equal(one, 200);
      assert.ok(more.length >= 2 && more.every((status) => status === 304), more.join());
    }
    for (const url of [pages.plain, pages.changing]) {
      assert.ok(statuses(url).length >= 3 && statuses(url).every((status) => status === 200));
    }
    for (const url of [pages.etag, pages.modified, pages.plain]) {
      assert.equal(new Set(visits.get(url)!.map(({ digest }) => digest)).size, 1, url);
    }
    const changing = visits.get(pages.changing)!;
    assert.equal(new Set(changing.map(({ digest }) => digest)).size, changing.length);

    const stored = (await readFolder(`${dir}/warc`)).filter(({ type, url }) =>
      (type === "response" || type === "revisit") && !url.endsWith("robots.txt")
    );
    assert.equal(stored.length, records.length);
    for (const [url, [response, ...revisits]] of byUrl(stored)) {
      assert.equal(response!.type, "response");
      for (const revisit of revisits) {
        if (url === pages.changing) assert.equal(revisit.type, "response");
        else {
          assert.equal(revisit.type, "revisit");
          assert.equal(
            revisit.headers.get("WARC-Profile")?.split("/").at(-1),
            url === pages.plain ? "identical-payload-digest" : "server-not-modified",
          );
          assert.equal(revisit.headers.get("WARC-Refers-To"), `<${response!.id}>`);
          assert.equal(revisit.headers.get("WARC-Refers-To-Date"), response!.date);
        }
      }
    }
    await assertVerified(dir);
    const sum = { changed: 0, unchanged: 0, notModified: 0, failing: 0 };
    for (const { run } of [first, second]) {
      for (const name of Object.keys(sum) as (keyof typeof sum)[]) {
        sum[name] += run.figures.revisits![name];
      }
    }
    assert.deepEqual(sum, {
      changed: changing.length - 1,
      unchanged: records.length - 3 - changing.length,
      notModified: visits.get(pages.etag)!.length + visits.get(pages.modified)!.length - 2,
      failing: 0,
    });
    const { known, answered, visits: books } = await readStats(`${dir}/crawl.db`);
    assert.deepEqual([known, answered], [4, records.length]);
    assert.equal(books!.waiting + books!.due, 4);
  }));

Deno.test("no page is visited before its interval is over, and links of changed pages are followed once", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 4, pages: 24, pageBytes: 500 });
    const interval = 400;
    const { records } = await collect(web, {
      seeds: web.seeds(),
      maxDepth: 9,
      recrawl: { intervalMs: interval },
      state: `${dir}/crawl.db`,
      limit: 24 * 3,
    });
    const visits = byUrl(records);
    assert.deepEqual([...visits.keys()].sort(), [...web.expectedUrls()].sort());
    for (const [url, times] of visits) {
      const at = times.map(({ fetched_at }) => Date.parse(fetched_at));
      for (let i = 1; i < at.length; i++) {
        // The first interval is the base, later ones longer: nothing of this web changes.
        assert.ok(at[i]! - at[i - 1]! >= interval, `${url}: ${at.join()}`);
      }
    }
  }));

Deno.test("a server that is not well, or is gone, keeps what is known of its pages", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 1 });
    const url = web.url("etag.good.test", "/etag/x");
    const options = { seeds: [url], recrawl: { intervalMs: 50 }, state: `${dir}/crawl.db` };
    assert.deepEqual((await collect(web, { ...options, limit: 1 })).records.map((r) => r.status), [
      200,
    ]);
    await web.set("etag.good.test", "status-500");
    const { run, records } = await collect(web, { ...options, limit: 2 });
    assert.deepEqual(records.map(({ status }) => status), [500, 500]);
    assert.equal(run.figures.revisits!.failing, 2);
    await web.set("etag.good.test", "accept-close");
    const [lost] =
      (await collect(web, { ...options, limit: 1, retries: 0, robots: false })).records;
    assert.notEqual(lost!.error, "");
    await web.set("etag.good.test", null);
    const [back] = (await collect(web, { ...options, limit: 1 })).records;
    assert.equal(back!.status, 304);
  }));

Deno.test("a host that cannot be had is left alone for a day by a crawl that comes back, not left out", async () => {
  await using web = await startWeb({ hosts: 1, pages: 1 });
  const events: CrawlEvent[] = [];
  const stop = new AbortController();
  const since = Date.now();
  await collect(web, {
    seeds: [web.url("a.robots-503.test", "/p/0")],
    recrawl: true,
    robotsRetryMs: 1,
    signal: stop.signal,
    onEvent: (event) => {
      events.push(event);
      if (event.type === "host-blocked" && event.untilMs > since + 3_600_000) stop.abort();
      assert.notEqual(event.type, "host-left-out");
    },
  });
  const last = events.findLast(({ type }) => type === "host-blocked");
  assert.ok(last?.type === "host-blocked" && last.untilMs >= since + 24 * 3_600_000 - 1000);
});

Deno.test("crawl status tells what waits for its next visit; seeds name their hosts' tiers", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 3, pages: 3 });
    const state = `${dir}/crawl.db`;
    const seeds = web.seeds().map((url, i) => JSON.stringify({ url, tier: [1, 5, undefined][i] }));
    await collect(web, { seeds, state, recrawl: true, limit: 3 });
    const { visits } = await readStats(state);
    assert.deepEqual([visits!.waiting, visits!.due], [2, 0]);
    const inHours = (visits!.next! - Date.now()) / 3_600_000;
    assert.ok(inHours > 23 && inHours <= 24, String(inHours));
    const { stdout } = await ccrawl(["crawl", "status", "--state", state, "-o", "jsonl"]);
    const shown = JSON.parse(stdout) as Record<string, unknown>;
    assert.deepEqual([shown.revisits_waiting, shown.revisits_due], [2, 0]);
    assert.equal(Date.parse(String(shown.next_revisit)), Math.floor(visits!.next!));
  }));

Deno.test("a crawl with nothing to come back to ends, one that only has to wait does not", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 2, pages: 2 });
    const nothing = await collect(web, { seeds: [], recrawl: true });
    assert.ok(nothing.run.foundNothing);
    const once = web.seeds().map((url) => JSON.stringify({ url, tier: 5 }));
    assert.equal((await collect(web, { seeds: once, recrawl: true })).records.length, 2);
    // Done by a crawl that was to end, it is due an interval after it is to be come back to.
    const state = `${dir}/crawl.db`;
    await collect(web, { seeds: web.seeds(), state });
    const { records } = await collect(web, {
      seeds: [],
      state,
      recrawl: { intervalMs: 300 },
      limit: 2,
    });
    assert.deepEqual(records.map(({ url }) => url).sort(), web.seeds().sort());
  }));

Deno.test("a page that its sitemap says has changed is visited at once", async () => {
  await using web = await startWeb({ hosts: 1, pages: 1 });
  const host = "fresh.good.test", intervalMs = 2400;
  const { records } = await collect(web, {
    seeds: [web.url(host, "/sitemaps/fresh")],
    sitemaps: true,
    recrawl: { intervalMs },
    limit: 12,
  });
  const visits = byUrl(records);
  const page = visits.get(web.url(host, "/one"))!.map(({ fetched_at }) => Date.parse(fetched_at));
  // Of itself it would be visited after 2.4 s and more and more; the sitemap changes, and is read after
  // 2.4, 1.2, 0.6 s, …
  assert.ok(visits.get(web.url(host, "/sitemaps/fresh"))!.length >= 3);
  const gaps = page.slice(1).map((at, i) => at - page[i]!);
  assert.ok(gaps.some((gap) => gap < intervalMs), gaps.join());
});

Deno.test("a crawl that comes back goes on through kills, keeps its intervals, and stops when told", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 5, pages: 25, pageBytes: 400 });
    const interval = 300;
    await Deno.writeTextFile(`${dir}/seeds.txt`, [...web.expectedUrls()].join("\n"));
    const args = crawlArgs(
      web,
      dir,
      ...["--recrawl", "--recrawl-interval", `${interval}ms`, "--delay", "5ms"],
    );
    const records: (SeenRecord & { fetched_at: string })[] = [];
    for (const count of [40, 30]) {
      const run = new Ccrawl(args);
      assert.ok(await run.until(() => run.records.length >= count), run.stderr);
      run.kill("SIGKILL");
      await run.ended;
      records.push(...run.records as typeof records);
      await assertVerified(dir);
    }
    const last = new Ccrawl(args);
    assert.ok(await last.until(() => last.records.length >= 30), last.stderr);
    last.kill("SIGTERM");
    await last.succeeds();
    records.push(...last.records as typeof records);
    await assertVerified(dir);
    assert.match(last.stderr, /revisits: \d+, 0 changed, \d+ unchanged of which \d+ by 304/);
    const visits = byUrl(records);
    assert.equal(visits.size, 25);
    for (const [url, times] of visits) {
      const at = times.map(({ fetched_at }) => Date.parse(fetched_at));
      for (let i = 1; i < at.length; i++) assert.ok(at[i]! - at[i - 1]! >= interval, url);
    }
  }));

Deno.test("a 304 that nobody asked for says nothing of what is kept, and refers to nothing", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 1 });
    const url = web.url("plain.good.test", "/one");
    const options = {
      seeds: [url],
      recrawl: { intervalMs: 50 },
      state: `${dir}/crawl.db`,
      warc: `${dir}/warc`,
    };
    const [had] = (await collect(web, { ...options, limit: 1 })).records;
    assert.equal(had!.status, 200);
    await web.set("plain.good.test", "status-304");
    const { run, records } = await collect(web, { ...options, limit: 2 });
    assert.deepEqual(records.map(({ status }) => status), [304, 304]);
    assert.ok(records.every(({ digest }) => digest !== had!.digest));
    assert.equal(run.figures.revisits!.failing, 2);
    const stored = await readFolder(`${dir}/warc`);
    const revisits = stored.filter((record) => record.url === url && record.type === "revisit");
    assert.equal(revisits.length, 2);
    assert.ok(revisits.every(({ headers }) => headers.get("WARC-Refers-To") === undefined));
    await web.set("plain.good.test", null);
    await collect(web, { ...options, limit: 1 });
    const back = (await readFolder(`${dir}/warc`)).findLast((record) =>
      record.url === url && record.type === "revisit"
    );
    assert.match(back!.headers.get("WARC-Profile")!, /identical-payload-digest$/);
    await assertVerified(dir);
  }));
