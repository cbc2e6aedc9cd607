// URLs that sitemaps list: how far they are from their site, and what they may bring in.
import assert from "node:assert/strict";
import { readQueued } from "../../lib/frontier/read.ts";
import { packPut, unpackCompletions, unpackLeases } from "../../lib/frontier/_wire.ts";
import { packCompletions, packLeases } from "../../lib/frontier/_wire.ts";
import { ended, killCopy, links, open, seed, tempFolder, TestClock } from "./_helpers.ts";

Deno.test("complete() puts what a sitemap lists at its own depth, a level on; links at the next depth", () => {
  using engine = open();
  engine.put([seed("https://a.example/", 8)], { seed: true });
  engine.put([{ url: "https://a.example/sitemap.xml", priority: 8, depth: 0, listed: 1 }]);
  const [host] = engine.claim(9, 9);
  const lease = host!.urls.find(({ url }) => url.endsWith(".xml"))!;
  assert.deepEqual([lease.depth, lease.listed], [0, 1]);
  assert.equal(host!.urls[0]!.listed, undefined);
  engine.complete([ended(lease.id, {
    listed: links("https://a.example/1", "https://www.a.example/2"),
    listedElsewhere: links("https://a.example/3", "https://b.example/4"),
    outlinks: links("https://b.example/4", "https://c.example/5", "https://a.example/1"),
  })]);
  engine.releaseHosts([{ host: "a.example", notBefore: 0, unused: [] }]);
  const found = engine.claim(9, 9).flatMap(({ urls }) => urls).map((url) => [
    url.url,
    url.depth,
    url.listed,
    url.priority,
  ]).sort();
  assert.deepEqual(found, [
    ["https://a.example/1", 0, 2, 4],
    ["https://a.example/3", 0, 2, 4], // its host was named by a seed
    ["https://b.example/4", 1, undefined, 4],
    ["https://c.example/5", 1, undefined, 4],
    ["https://www.a.example/2", 0, 2, 4],
  ]);
});

Deno.test("a redirect of what was listed names no host, that of a seed does", () => {
  using engine = open({ sameHost: true });
  engine.put([seed("https://a.example/")], { seed: true });
  engine.put([{ url: "https://a.example/listed", priority: 1, depth: 0, listed: 2 }]);
  const [host] = engine.claim(9, 9);
  engine.complete(
    host!.urls.map(({ id, listed }) =>
      ended(id, { redirect: listed === undefined ? "https://b.example/" : "https://c.example/" })
    ),
  );
  assert.deepEqual(engine.claim(9, 9).map(({ host }) => host), ["b.example"]);
});

Deno.test("how far a URL is from its site survives blocks, closing, and a kill", async () => {
  using folder = tempFolder();
  const path = `${folder.path}/state.db`;
  const urls = Array.from({ length: 50 }, (_, i) => `https://a.example/${i}`);
  {
    using engine = open({ path, blockUrls: 10 });
    engine.put(urls.map((url, i) => ({ url, priority: 1, depth: 3, listed: i % 5 })));
  }
  const queued = [];
  for await (const { depth } of readQueued(path)) queued.push(depth);
  assert.deepEqual(queued, urls.map(() => 3));
  using engine = open({ path });
  const [host] = engine.claim(1, 100);
  assert.deepEqual(host!.urls.map(({ listed }) => listed ?? 0), urls.map((_, i) => i % 5));
  assert.ok(host!.urls.every(({ depth }) => depth === 3));
});

Deno.test("the levels cross between the threads, and end at 255", () => {
  assert.deepEqual(
    [...packPut([{ url: "https://a.example/", priority: 1, depth: 7, listed: 999 }], false).depths],
    [255 * 2 ** 24 + 7],
  );
  const urls = [{
    id: 1,
    url: "https://a.example/",
    priority: 1,
    depth: 7,
    attempts: 0,
    listed: 3,
  }];
  const lease = { host: "a.example", notBefore: 0, failures: 0, deferrals: 0, urls };
  assert.deepEqual(unpackLeases(packLeases([lease])), [lease]);
  const [back] = unpackCompletions(
    packCompletions([ended(1, { listed: links("x"), listedElsewhere: links("y") })]),
  );
  assert.deepEqual([back!.listed, back!.listedElsewhere].map((b) => new TextDecoder().decode(b)), [
    "x",
    "y",
  ]);
});

Deno.test("redirects are followed five deep: from a seed, a link or what was listed, through kills and visits", () => {
  using folder = tempFolder();
  const clock = new TestClock();
  const options = { clock, sameHost: true, recrawl: { intervalMs: 1000 }, blockUrls: 1 };
  let path = `${folder.path}/0.db`, engine = open({ ...options, path });
  engine.put([seed("https://seed.example/0")], { seed: true });
  engine.put([
    { url: "https://seed.example/listed0", priority: 1, depth: 0, listed: 7 },
    { url: "https://seed.example/link0", priority: 1, depth: 3 },
  ]);
  const seen = new Set<string>();
  for (let step = 0; step < 30; step++) {
    while (engine.work());
    const hosts = engine.claim(9, 9);
    const urls = hosts.flatMap(({ urls }) => urls);
    engine.complete(urls.map(({ id, url, depth, listed }) => {
      seen.add(url);
      assert.deepEqual(
        [depth, listed],
        url.includes("link") ? [3, undefined] : [0, url.includes("listed") ? 7 : undefined],
      );
      return ended(id, { redirect: url.replace(/\d+$/, (n) => String(Number(n) + 1)) });
    }));
    engine.releaseHosts(hosts.map(({ host }) => ({ host, notBefore: 0, unused: [] })));
    engine.commit();
    const copy = `${folder.path}/${step + 1}.db`;
    killCopy(path, copy);
    engine.close();
    engine = open({ ...options, path: path = copy });
    clock.pass(700);
  }
  engine.close();
  const chain = (name: string) => [0, 1, 2, 3, 4, 5].map((i) => `https://seed.example/${name}${i}`);
  assert.deepEqual([...seen].sort(), [...chain(""), ...chain("link"), ...chain("listed")].sort());
});

Deno.test("a redirect's redirect from a seed names its host too", () => {
  using engine = open({ sameHost: true });
  engine.put([seed("https://a.example/")], { seed: true });
  for (const name of ["b", "c", "d"]) {
    const [host] = engine.claim(9, 9);
    engine.complete([ended(host!.urls[0]!.id, { redirect: `https://${name}.example/` })]);
    engine.releaseHosts([{ host: host!.host, notBefore: 0, unused: [] }]);
  }
  assert.deepEqual(engine.claim(9, 9).map(({ host }) => host), ["d.example"]);
});
