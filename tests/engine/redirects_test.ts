import assert from "node:assert/strict";
import { fetchPage, type FetchPageOptions } from "../../lib/engine/fetch_page.ts";
import { collect, withFolder } from "./_crawl.ts";
import { assertPolite } from "./_politeness.ts";
import { type LocalWeb, startWeb } from "../web/mod.ts";

function near(web: LocalWeb, options: FetchPageOptions = {}): FetchPageOptions {
  return { resolvers: web.resolvers, allowPrivate: true, delayMs: 0, retries: 0, ...options };
}

Deno.test("crawl() takes redirects as pages of their own", async (t) => {
  await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 1000 });

  await t.step("500 pages that redirect to one URL fetch it once", async () => {
    const { records } = await collect(web, {
      seeds: [web.url("many.good.test", "/many-index/500")],
      maxDepth: 1,
      delayMs: 0,
    });
    const count = (status: number) => records.filter((r) => r.status === status).length;
    assert.deepEqual([count(301), count(200), records.length], [500, 2, 502]);
    const one = await web.requests({ host: "many.good.test", path: "/one" });
    assert.equal(one.length, 1);
    const [target] = records.filter((r) => r.url.endsWith("/one"));
    assert.equal(target!.depth, 1, "a target is as deep as its source");
    assert.ok(
      records.every((r) => r.status !== 301 || r.redirect_to === target!.url),
      "each says where it points",
    );
  });

  await t.step("a target on another host waits for that host's clock and robots", async () => {
    await web.reset();
    const target = "to.robots-private.crawl-delay-1.pages-2.test";
    const from = [1, 2, 3, 4].map((i) => `from${i}.good.test`);
    const to = ["/p/0", "/p/1", "/private/"].map((path) => web.url(target, path));
    const { records } = await collect(web, {
      seeds: from.flatMap((h) =>
        to.map((url) => web.url(h, `/redirect-to?url=${encodeURIComponent(url)}`))
      ),
      delayMs: 10,
    });
    assert.equal(records.filter((r) => r.status === 302).length, 12);
    const there = records.filter((r) => to.includes(r.url));
    assert.deepEqual(there.map((r) => [r.url, r.status, r.error]).sort(), [
      [to[0], 200, ""],
      [to[1], 200, ""],
      [to[2], 0, "skip"],
    ]);
    await assertPolite(web, 1000, { hosts: ({ host }) => host === target });
    const { robots } = (await web.summary()).hosts.find((h) => h.host === target)!;
    assert.equal(robots, 1);
  });

  await t.step("loops end, since nothing is fetched twice", async () => {
    await web.reset();
    const { records } = await collect(web, {
      seeds: [
        web.url("loop.good.test", "/redirect-loop/0"),
        web.url("self.moved-loop.test", "/p/0"),
      ],
    });
    assert.equal(records.filter((r) => r.status === 302).length, 2 + 1);
  });

  await t.step(
    "five are followed one after the other",
    async () => {
      await web.reset();
      const { records } = await collect(web, {
        seeds: [
          web.url("five.good.test", "/redirect/5"),
          web.url("long.good.test", "/redirect/20"),
        ],
      });
      const of = (host: string) => records.filter(({ url }) => new URL(url).hostname === host);
      assert.deepEqual(of("five.good.test").map((r) => r.status), [302, 302, 302, 302, 302, 200]);
      const long = of("long.good.test");
      assert.deepEqual(long.map((r) => r.status), Array(6).fill(302));
      assert.equal(long.at(-1)!.redirect_to, web.url("long.good.test", "/redirect/14"));
    },
  );

  await t.step(
    "a seed's redirect leads beyond --same-host and --include, a link's does not",
    async () => {
      await web.reset();
      const away = web.url("away.good.test", "/redirect/0");
      const moved = `/redirect-to?url=${encodeURIComponent(away)}`;
      const options = { maxDepth: 1, sameHost: true };
      const seeded = await collect(web, { ...options, seeds: [web.url("a.good.test", moved)] });
      assert.deepEqual(seeded.records.map((r) => r.status), [302, 200]);
      await web.reset();
      const included = await collect(web, {
        seeds: [web.url("a.good.test", moved)],
        maxDepth: 1,
        include: ["//a\\.good"],
      });
      assert.deepEqual(included.records.map((r) => r.status), [302, 200]);
      // The home page links to /p/0, which moves away before it is fetched.
      for (const limits of [{ sameHost: true }, { include: ["//home\\.good"] }]) {
        await withFolder(async (dir) => {
          await web.reset();
          const home = {
            ...limits,
            seeds: [web.url("home.good.test", "/")],
            maxDepth: 1,
            state: `${dir}/crawl.db`,
          };
          const first = await collect(web, { ...home, maxPages: 1 });
          assert.deepEqual(first.records.map((r) => [r.status, r.link_count]), [[200, 1]]);
          await web.set("home.good.test", "moved");
          const second = await collect(web, home);
          assert.deepEqual(second.records.map((r) => [r.status, r.depth]), [[301, 1]]);
          assert.equal(second.records[0]!.redirect_to, web.url("h0000.good.test", "/p/0"));
        });
      }
    },
  );
});

Deno.test("fetchPage() follows redirects in place", async (t) => {
  await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 1000 });

  await t.step("up to five, and then the redirect is the result", async () => {
    const five = await fetchPage(web.url("a.good.test", "/redirect/5"), near(web));
    assert.deepEqual([five.status, five.hops.length], [200, 6]);
    assert.equal(five.finalUrl, web.url("a.good.test", "/redirect/0"));
    assert.equal(five.redirectTo, "");
    const six = await fetchPage(web.url("a.good.test", "/redirect/6"), near(web));
    assert.deepEqual([six.status, six.hops.length], [302, 6]);
    assert.equal(six.redirectTo, web.url("a.good.test", "/redirect/0"));
    for (const path of ["/redirect-loop/0", "/redirect-loop/1"]) {
      const loop = await fetchPage(web.url("a.good.test", path), near(web));
      assert.deepEqual([loop.status, loop.hops.length], [302, 6]);
    }
  });

  await t.step("each hop on its host's clock", async () => {
    await web.reset();
    const url = web.url("a.good.test", "/redirect/3");
    const page = await fetchPage(url, near(web, { delayMs: 150 }));
    assert.equal(page.status, 200);
    await assertPolite(web, 150, { hosts: ({ host }) => host === "a.good.test" });
    // Hosts that differ need not wait for each other.
    const cross = await fetchPage(
      web.url("a.good.test", "/redirect-cross/4"),
      near(web, { delayMs: 60_000, timeoutMs: 20_000 }),
    );
    assert.deepEqual([cross.status, cross.hops.length], [200, 5]);
  });

  await t.step("a hop that could not start before the deadline is not taken", async () => {
    await web.reset();
    const page = await fetchPage(
      web.url("a.good.test", "/redirect/3"),
      near(web, { delayMs: 10_000, timeoutMs: 2000 }),
    );
    assert.deepEqual([page.status, page.error, page.hops.length], [302, undefined, 1]);
    assert.equal(page.redirectTo, web.url("a.good.test", "/redirect/2"));
    assert.equal((await web.requests({ host: "a.good.test" })).length, 1);
    assert.ok(page.durationMs < 2000, "and it is not waited for");
  });

  await t.step("a robots.txt that takes longer than the deadline makes no hop either", async () => {
    await web.reset();
    const target = web.url("b.robots-silent.test", "/p/0");
    const url = web.url("a.good.test", `/redirect-to?url=${encodeURIComponent(target)}`);
    const page = await fetchPage(url, near(web, { robots: true, timeoutMs: 1000 }));
    assert.deepEqual([page.status, page.error, page.redirectTo], [302, undefined, target]);
    assert.ok(page.durationMs < 5000, `${page.durationMs} ms`);
  });

  await t.step("a failure whose retry could not start in time is the failure", async () => {
    const url = web.closedUrl("a.good.test", "/p/0");
    const page = await fetchPage(
      url,
      near(web, { retries: 2, delayMs: 10_000, timeoutMs: 2000 }),
    );
    assert.deepEqual([page.status, page.error?.kind, page.hops.length], [0, "refused", 0]);
    const hop = await fetchPage(
      web.url("b.good.test", `/redirect-to?url=${encodeURIComponent(url)}`),
      near(web, { retries: 2, delayMs: 10_000, timeoutMs: 2000 }),
    );
    assert.deepEqual([hop.status, hop.error?.kind, hop.hops.length], [0, "refused", 1]);
  });

  await t.step("robots.txt of every hop's host, where it is asked for", async () => {
    await web.reset();
    const target = web.url("b.robots-all.test", "/p/0");
    const url = web.url("a.good.test", `/redirect-to?url=${encodeURIComponent(target)}`);
    const page = await fetchPage(url, near(web, { robots: true }));
    assert.deepEqual([page.status, page.error?.kind, page.error?.reason], [0, "skip", "robots"]);
    assert.equal(page.hops.length, 1, "what was answered before is kept");
    assert.deepEqual(page.robotsHops.map((x) => x.url.href), [
      web.url("a.good.test", "/robots.txt"),
      web.url("b.robots-all.test", "/robots.txt"),
    ]);
    const careless = await fetchPage(url, near(web));
    assert.deepEqual([careless.status, careless.robotsHops.length], [200, 0]);
  });

  await t.step("no 304 and nothing without a usable Location", async () => {
    for (
      const [path, status] of [
        ["/status/302", 302],
        ["/redirect-to?status=304&url=/one", 304],
        ["/redirect-to?url=ftp://a.test/", 302],
        ["/redirect-to?url=http://[::bad/", 302],
      ] as const
    ) {
      const page = await fetchPage(web.url("a.good.test", path), near(web));
      assert.deepEqual([page.status, page.hops.length], [status, 1], path);
    }
    const { records } = await collect(web, {
      seeds: [web.url("a.good.test", "/redirect-to?status=304&url=/one")],
    });
    assert.deepEqual(records.map((r) => [r.status, r.redirect_to]), [[304, ""]]);
  });
});
