import assert from "node:assert/strict";
import { crawl } from "../../lib/engine/crawl.ts";
import type { CrawlEvent } from "../../lib/engine/crawl_options.ts";
import { openFrontier } from "../../lib/frontier/open.ts";
import { collect, toward, withFolder } from "./_crawl.ts";
import { assertPolite, isDisallowed, shortestGap } from "./_politeness.ts";
import { startWeb } from "../web/mod.ts";

Deno.test("crawl() with 64 workers asks no host twice at once, none too soon, nothing disallowed", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({
      hosts: 40,
      pages: 800,
      pageBytes: 2000,
      graph: "mesh",
      kind: "robots-odd.jitter-20",
    });
    const { records } = await collect(web, {
      seeds: web.seeds(),
      maxDepth: 1000,
      workers: 64,
      delayMs: 150,
      warc: dir,
      state: `${dir}/crawl.db`,
    });
    const { summary } = await assertPolite(web, 150);
    assert.ok(shortestGap(records) >= 149, `${shortestGap(records)} ms, in whole milliseconds`);
    assert.equal(summary.robots, 40);
    for (const { path } of await web.requests()) assert.ok(!isDisallowed(path), path);
    const refused = records.filter((r) => r.error === "skip");
    assert.ok(refused.length > 80, "the graph leads to disallowed pages");
    for (const r of refused) {
      assert.ok(isDisallowed(new URL(r.url).pathname), r.url);
      assert.match(r.error_detail, /robots\.txt line [2-6]/);
    }
    assert.equal((await web.coverage()).repeated, 0);
  }));

Deno.test("crawl() takes http and https of a host for one host", async () => {
  await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 1000 });
  const hosts = Array.from({ length: 8 }, (_, i) => `both${i}.pages-15.test`);
  const { records } = await collect(web, {
    seeds: hosts.flatMap((h) => [web.url(h, "/p/0"), web.url(h, "/p/0", "https")]),
    maxDepth: 10,
    delayMs: 40,
  });
  assert.equal(records.filter((r) => r.status === 200).length, 8 * 2 * 15);
  const { summary } = await assertPolite(web, 40, { robots: 2 });
  for (const host of summary.hosts) assert.equal(host.robots, 2, "one of each origin");
  assert.ok(shortestGap(records) >= 39, `${shortestGap(records)} ms`);
});

Deno.test("crawl() keeps every host's own pace", (t) =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 1000 });
    const slow = ["h1.slow-1200.pages-3.test", "h2.slow-1200.pages-3.test"];
    const delayed = ["h1.crawl-delay-1.pages-4.test", "h2.crawl-delay-1.pages-4.test"];
    const absurd = "h1.crawl-delay-301.pages-9.test";
    const refusing = [429, 503].map((s) => `h1.status-${s}.retry-after-2.times-1.pages-3.test`);
    const events: CrawlEvent[] = [];
    const { records } = await collect(web, {
      seeds: [...slow, ...delayed, absurd, ...refusing].flatMap((h) =>
        [0, 1, 2].map((p) => web.url(h, `/p/${p}`))
      ),
      maxDepth: 5,
      delayMs: 100,
      state: `${dir}/crawl.db`,
      onEvent: (event) => events.push(event),
    });
    const of = (host: string) => records.filter((r) => new URL(r.url).hostname === host);

    await t.step("a slow host is never asked twice at once, however short the delay", async () => {
      for (const host of slow) assert.deepEqual(of(host).map((r) => r.status), [200, 200, 200]);
      await assertPolite(web, 1200, { hosts: ({ host }) => slow.includes(host) });
    });
    await t.step("Crawl-delay is obeyed", async () => {
      for (const host of delayed) assert.equal(of(host).filter((r) => r.status === 200).length, 4);
      assert.ok(shortestGap(delayed.flatMap((host) => of(host))) >= 999);
      await assertPolite(web, 1000, { hosts: ({ host }) => delayed.includes(host) });
    });
    await t.step("a host with an absurd Crawl-delay is left out, with the reason", async () => {
      assert.ok(of(absurd).length > 0);
      for (const r of of(absurd)) {
        assert.equal(r.error, "skip");
        assert.equal(r.error_detail, "robots.txt asks for 301 s between requests");
      }
      assert.deepEqual(
        events.filter((e) => e.type === "host-left-out"),
        [{ type: "host-left-out", host: absurd, reason: "crawl-delay" }],
      );
      assert.deepEqual((await web.requests({ host: absurd })).map((r) => r.path), ["/robots.txt"]);
      await using frontier = await openFrontier({ path: `${dir}/crawl.db` });
      const stats = await frontier.stats();
      assert.deepEqual(stats.skippedBy, { "crawl-delay": 3 });
      assert.equal(stats.excludedHosts, 1);
    });
    await t.step("a host is left alone for as long as its 429 or 503 asks", async () => {
      for (const host of refusing) {
        const status = Number(/\d{3}/.exec(host)![0]);
        assert.deepEqual(of(host).map((r) => r.status).sort(), [200, 200, status].sort());
        const pages = (await web.requests({ host })).filter((r) => r.path !== "/robots.txt");
        const wait = pages[1]!.t - pages[0]!.end;
        assert.ok(wait >= 2000 - 5, `${wait} ms`);
      }
    });
    await t.step("all this time nobody is asked too soon", async () => {
      await assertPolite(web, 100);
    });
  }));

Deno.test("crawl() waits twice as long after every refusal that names no time", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 1 });
    const host = "h1.status-429.test";
    const state = `${dir}/crawl.db`;
    for (const minutes of [1, 2, 4]) {
      const stop = new AbortController();
      const waits: number[] = [];
      const run = crawl(toward(web, {
        seeds: Array.from({ length: 10 }, (_, p) => web.url(host, `/p/${p}`)),
        state,
        signal: stop.signal,
        onEvent: (event) => {
          if (event.type !== "host-blocked") return;
          assert.deepEqual([event.host, event.reason], [host, "status 429"]);
          waits.push((event.untilMs - Date.now()) / 60_000);
          stop.abort();
        },
      }));
      const records = [];
      for await (const record of run) records.push(record.status);
      assert.deepEqual(records, [429], "one request, then peace");
      assert.equal(waits.length, 1);
      assert.ok(Math.abs(waits[0]! - minutes) < 0.05, `${waits[0]} minutes`);
      // The wait is in the state: another run would begin with it. Here it is cut short.
      await using frontier = await openFrontier({ path: state });
      assert.deepEqual(await frontier.claim(1, 1), []);
      const [lease] = await frontier.claim(1, 1, 10 * 60_000);
      const { urls, notBefore } = lease!;
      assert.ok(Math.abs((notBefore - frontier.now()) / 60_000 - minutes) < 0.1);
      frontier.releaseHosts([{ host, notBefore: 0, unused: urls.map(({ id }) => id) }]);
    }
  }));

Deno.test("crawl() keeps 100 hosts on one address within --per-ip", async () => {
  await using web = await startWeb({
    hosts: 100,
    pages: 300,
    pageBytes: 1000,
    hostsPerIp: 100,
    kind: "jitter-20",
  });
  const { records } = await collect(web, { seeds: web.seeds(), maxDepth: 10, perIp: 4 });
  assert.equal(records.filter((r) => r.status === 200).length, 300);
  const { summary } = await assertPolite(web, 5);
  const [address, ...others] = summary.addresses.filter((a) => a.requests > 0);
  assert.equal(others.length, 0);
  assert.ok(address!.maxConcurrent <= 4, `${address!.maxConcurrent} requests at once`);
  assert.equal(address!.maxConcurrent, 4, "the bound is used");
});

Deno.test("crawl() puts a host off while its robots.txt is out of order, then crawls it", async () => {
  await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 1000 });
  const hosts = [1, 2, 3].map((i) => `h${i}.robots-outage-${i}.pages-4.test`);
  const events: CrawlEvent[] = [];
  const { records } = await collect(web, {
    seeds: hosts.map((h) => web.url(h, "/p/0")),
    maxDepth: 5,
    robotsRetryMs: 150,
    onEvent: (event) => events.push(event),
  });
  assert.deepEqual(records.map((r) => r.status), Array(12).fill(200));
  for (const [i, host] of hosts.entries()) {
    const requests = await web.requests({ host });
    const robots = requests.filter((r) => r.path === "/robots.txt");
    assert.deepEqual(robots.map((r) => r.status), [...Array(i + 1).fill(503), 200]);
    assert.ok(requests.every((r) => r.path === "/robots.txt" || r.t > robots.at(-1)!.t));
    for (let n = 1; n < robots.length; n++) {
      assert.ok(robots[n]!.t - robots[n - 1]!.end >= 150 * 2 ** (n - 1) - 5, "each wait is longer");
    }
    const blocks = events.filter((e) => e.type === "host-blocked" && e.host === host);
    assert.equal(blocks.length, i + 1);
  }
});

Deno.test("crawl() gives a host up whose robots.txt stays out of order", async () => {
  await using web = await startWeb({ hosts: 1, pages: 1 });
  const answering = "h1.robots-503.pages-4.test", silent = "h1.robots-close.pages-4.test";
  const events: CrawlEvent[] = [];
  const { records, run } = await collect(web, {
    seeds: [answering, silent].flatMap((h) => [web.url(h, "/p/0"), web.url(h, "/p/1")]),
    robotsRetryMs: 5,
    onEvent: (event) => events.push(event),
  });
  assert.deepEqual(records, []);
  for (const host of [answering, silent]) {
    assert.ok((await web.requests({ host })).every((r) => r.path === "/robots.txt"));
    assert.deepEqual(
      events.filter((e) => e.type === "host-left-out" && e.host === host),
      [{ type: "host-left-out", host, reason: "robots-unreachable" }],
    );
  }
  assert.equal(run.figures.fetched, 0);
});

Deno.test("crawl() takes a robots.txt that was cut for none that it could have", async () => {
  await using web = await startWeb({ hosts: 1, pages: 1 });
  const hosts = ["h1.robots-drip-200.pages-2.test"];
  const { records } = await collect(web, {
    seeds: hosts.map((h) => web.url(h, "/p/0")),
    robotsTimeoutMs: 700,
    robotsRetryMs: 5,
  });
  assert.deepEqual(records, []);
  assert.ok((await web.requests()).every((r) => r.path === "/robots.txt"));
});

Deno.test("crawl() fetches another host's robots.txt without meeting that host's pages", async () => {
  await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 1000 });
  const rules = "rules.robots-private.test";
  await web.set(rules, "robots-private.pages-30.jitter-40");
  const crossing = Array.from({ length: 30 }, (_, i) => `h${i}.robots-cross.pages-2.test`);
  const { records } = await collect(web, {
    seeds: [rules, ...crossing].flatMap((h) => [web.url(h, "/p/0"), web.url(h, "/private/")]),
    maxDepth: 5,
    delayMs: 10,
  });
  // The rules are the asking host's: its own /private/ is disallowed by them.
  assert.equal(records.filter((r) => r.status === 200).length, 30 + 30 * 2);
  assert.equal(records.filter((r) => r.error === "skip").length, 31);
  const { summary } = await assertPolite(web, 10, { robots: 31 });
  assert.equal(summary.hosts.find((h) => h.host === rules)!.robots, 31);
});
