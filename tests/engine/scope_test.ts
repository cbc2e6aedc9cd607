import assert from "node:assert/strict";
import { shardOf } from "../../lib/url/shard.ts";
import { canonicalUrl } from "../../lib/url/canonical.ts";
import { collect, withFolder } from "./_crawl.ts";
import { type LocalWeb, startWeb } from "../web/mod.ts";

/** Requests for pages that the web answered. */
async function pageRequests(web: LocalWeb): Promise<number> {
  const { requests, robots } = await web.summary();
  return requests - robots;
}

const sorted = (urls: Iterable<string>) => [...urls].sort();

Deno.test("crawl() counts to maxPages exactly, over the life of the state", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 8, pages: 400, pageBytes: 1000 });
    const dead = Array.from({ length: 5 }, (_, i) => web.closedUrl(`dead${i}.good.test`, "/"));
    const options = {
      seeds: [...dead, ...web.seeds()],
      maxDepth: 100,
      state: `${dir}/crawl.db`,
      robots: false, // a dead host would be put off for minutes
      retries: 0,
    };
    let before = 0;
    for (const maxPages of [1, 10, 10, 83, 200]) {
      const { records, run } = await collect(web, { ...options, maxPages });
      const answered = records.filter((r) => r.status !== 0).length;
      assert.equal(answered, maxPages - before, `up to ${maxPages}`);
      assert.equal(run.figures.fetched, answered);
      assert.equal(await pageRequests(web), maxPages, "at the server too");
      before = maxPages;
    }
    // A run that stops by itself on the way is no reason to count anew.
    const some = await collect(web, { ...options, maxPages: 300, limit: 33 });
    assert.equal(some.records.length, 33);
    const rest = await collect(web, { ...options, maxPages: 300 });
    assert.equal(await pageRequests(web), 300);
    assert.equal(rest.records.length, 300 - 200 - 33);
    const all = await collect(web, options);
    assert.equal(all.records.length, 100);
    assert.equal((await web.coverage()).repeated, 0);
  }));

Deno.test("crawl() gives as many records as it is limited to, of whatever kind", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 4, pages: 100, pageBytes: 1000 });
    const options = {
      seeds: [
        ...Array.from({ length: 20 }, (_, i) => web.url(`h${i}.robots-all.test`, "/p/0")),
        ...web.seeds(),
      ],
      maxDepth: 100,
      state: `${dir}/crawl.db`,
      warc: `${dir}/warc`,
    };
    const seen = new Set<string>();
    for (const limit of [1, 24, 64]) {
      const { records } = await collect(web, { ...options, limit });
      assert.equal(records.length, limit);
      for (const { url } of records) {
        assert.ok(!seen.has(url), `${url} came twice`);
        seen.add(url);
      }
    }
    const { records } = await collect(web, options);
    assert.equal(records.length, 120 - 1 - 24 - 64);
  }));

Deno.test("crawl() follows links as deep as it may", async () => {
  await using web = await startWeb({ hosts: 2, pages: 80, pageBytes: 1000, fanout: 3 });
  // 1, 3, 9 and 27 pages of each host's 40 are 0, 1, 2 and 3 links away.
  for (const [maxDepth, each] of [[0, 1], [1, 4], [2, 13], [3, 40], [9, 40]] as const) {
    const { records } = await collect(web, { seeds: web.seeds(), maxDepth });
    assert.equal(records.length, 2 * each, `depth ${maxDepth}`);
    assert.equal(Math.max(...records.map((r) => r.depth!)), Math.min(maxDepth, 3));
  }
});

Deno.test("crawl() stays on the hosts that seeds named, where it is told to", async () => {
  await using web = await startWeb({ hosts: 5, pages: 100, pageBytes: 1000, graph: "mesh" });
  const [first, second] = web.seeds();
  const hosts = async (seeds: string[]) => {
    await web.reset();
    const { records } = await collect(web, { seeds, maxDepth: 100, sameHost: true });
    const names = new Set(records.map((r) => new URL(r.url).hostname));
    return { names: [...names].sort(), pages: records.length };
  };
  assert.deepEqual(await hosts([first!]), { names: [web.hostName(0)], pages: 20 });
  // The second one's pages are linked from the first's: a seed names a host whenever it comes.
  assert.deepEqual(await hosts([first!, second!]), {
    names: [web.hostName(0), web.hostName(1)],
    pages: 40,
  });
});

Deno.test("crawl() takes the links that its patterns let in, and every seed but excluded ones", async (t) => {
  await using web = await startWeb({ hosts: 3, pages: 300, pageBytes: 1000, graph: "mesh" });
  const options = { seeds: web.seeds(), maxDepth: 100 };
  const paths = (records: { url: string }[]) => records.map((r) => new URL(r.url).pathname);

  await t.step("include, a regular expression", async () => {
    const { records } = await collect(web, { ...options, include: ["/p/\\d$"] });
    assert.deepEqual(new Set(paths(records)), new Set([..."0123456789"].map((d) => `/p/${d}`)));
    const none = await collect(web, { ...options, include: ["^https://nowhere\\.test/"] });
    assert.deepEqual(sorted(none.records.map((r) => r.url)), sorted(web.seeds()));
  });
  await t.step("include, a SURT prefix", async () => {
    const { records } = await collect(web, {
      ...options,
      include: [`test,good,h0001:${web.ready.http})/p/1`],
    });
    const expected = [...web.expectedUrls()].filter((url) => /h0001[^/]*\/p\/1/.test(url));
    assert.deepEqual(
      sorted(records.map((r) => r.url)),
      sorted(new Set([...web.seeds(), ...expected])),
    );
  });
  await t.step("exclude wins, over seeds too", async () => {
    const { records } = await collect(web, {
      ...options,
      include: ["."],
      exclude: ["test,good,h0002", "[13579]$"],
    });
    assert.ok(records.length > 20);
    for (const { url } of records) assert.match(url, /h000[01][^/]*\/p\/\d*[02468]$/);
  });
});

Deno.test("crawl() in shards fetches everything once", async () => {
  await using web = await startWeb({
    hosts: 12,
    pages: 240,
    pageBytes: 1000,
    graph: "mesh",
    domains: 12,
  });
  const shards = 3;
  const union = new Set<string>();
  for (let shard = 0; shard < shards; shard++) {
    const { records } = await collect(web, { seeds: web.seeds(), maxDepth: 100, shard, shards });
    assert.ok(records.length > 0, `shard ${shard} has a part of it`);
    for (const { url } of records) {
      assert.equal(shardOf(url, shards), shard);
      assert.ok(!union.has(url), url);
      union.add(url);
    }
  }
  assert.deepEqual(sorted(union), sorted(web.expectedUrls()));
});

Deno.test("crawl() comes out of traps", async (t) => {
  await using web = await startWeb({ hosts: 1, pages: 1 });
  const trap = (kind: string) => web.url(`${kind}.good.test`, `/trap/${kind}/`);

  await t.step("of URLs that grow", async () => {
    const { records } = await collect(web, { seeds: [trap("longer")], maxDepth: 100 });
    assert.ok(records.length > 5 && records.length < 15, `${records.length}`);
    assert.ok(records.every((r) => r.url.length <= 4000));
  });
  await t.step("of folders that nest", async () => {
    for (const kind of ["deeper", "repeat"]) {
      const { records } = await collect(web, { seeds: [trap(kind)], maxDepth: 1000 });
      assert.ok(records.length > 2 && records.length < 50, `${kind}: ${records.length}`);
    }
  });
  await t.step("of all others by the bound on a host's URLs", async () => {
    const kinds = ["calendar", "wide", "facets", "session"];
    const { records } = await collect(web, {
      seeds: kinds.map(trap),
      maxDepth: 1000,
      maxUrlsPerHost: 20,
      delayMs: 0,
    });
    for (const kind of kinds) {
      const count = records.filter((r) => new URL(r.url).hostname.startsWith(kind)).length;
      assert.equal(count, 20, kind);
    }
  });
});

Deno.test("crawl() fetches what has the higher priority first", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 1000 });
    const host = (priority: number) => `p${priority}.pages-4.test`;
    const options = {
      seeds: [1, 2, 4, 8, 16, 32].map((priority) => ({
        url: canonicalUrl(web.url(host(priority), "/p/0"))!,
        priority,
      })),
      maxDepth: 1,
      workers: 1,
      maxStalled: 0, // one at a time, however slow
      delayMs: 0,
      robots: false,
      state: `${dir}/crawl.db`,
    };
    const order = async () => (await web.requests()).map((r) => r.host);
    await collect(web, { ...options, maxPages: 1 });
    assert.deepEqual(await order(), [host(32)]);
    // Its links are worth 16 each, as much as the next seed.
    await collect(web, { ...options, maxPages: 5 });
    assert.deepEqual((await order()).slice(1).sort(), [host(16), host(32), host(32), host(32)]);
    await collect(web, options);
    const hosts = await order();
    assert.equal(hosts.length, 24);
    const firsts = hosts.filter((name, i) => hosts.indexOf(name) === i);
    assert.deepEqual(firsts, [32, 16, 8, 4, 2, 1].map(host));
    assert.ok(hosts.lastIndexOf(host(16)) < hosts.indexOf(host(4)), "its links are worth 8");
  }));
