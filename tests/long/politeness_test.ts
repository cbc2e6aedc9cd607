import assert from "node:assert/strict";
import { collect } from "../engine/_crawl.ts";
import { assertPolite, isDisallowed, shortestGap } from "../engine/_politeness.ts";
import { startWeb } from "../web/mod.ts";

Deno.test("20 000 pages with 64 workers: polite to every host, nothing disallowed", async () => {
  // 800 pages a second: with more, two cores are so busy that the server reads its clock too late to judge.
  const delayMs = 500;
  await using web = await startWeb({
    hosts: 400,
    pages: 40_000,
    pageBytes: 5000,
    graph: "mesh",
    kind: "robots-odd.jitter-50",
  });
  const start = performance.now();
  const { records } = await collect(web, {
    seeds: web.seeds(),
    maxDepth: 1000,
    workers: 64,
    delayMs,
  });
  const seconds = (performance.now() - start) / 1000;
  const fetched = records.filter((r) => r.status === 200).length;
  const { summary, gapMs, jitterMs } = await assertPolite(web, delayMs);
  let disallowed = 0;
  for (const { path } of await web.requests()) if (isDisallowed(path)) disallowed++;
  console.log(
    `politeness: ${fetched} pages of ${summary.hosts.length} hosts in ${seconds.toFixed(0)} s, ` +
      `${fetched / seconds | 0} a second; shortest gap ${gapMs.toFixed(1)} ms at ${delayMs} ms ` +
      `(${shortestGap(records)} by our own clock; the server's jitter ${
        jitterMs.toFixed(1)
      } ms), ${disallowed} disallowed paths asked for`,
  );
  assert.ok(shortestGap(records) >= delayMs - 1, `${shortestGap(records)} ms`);
  assert.ok(fetched >= 19_900, `${fetched} pages`);
  assert.equal(disallowed, 0);
  assert.equal(summary.worstHostConcurrent, 1);
  assert.equal(summary.robots, 400);
  assert.equal((await web.coverage()).repeated, 0);
});

Deno.test("a host that answers in 10 s is never asked twice at once at a delay of 1 s", async () => {
  await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 1000 });
  const { records } = await collect(web, {
    seeds: [1, 2].flatMap((i) =>
      [0, 1, 2, 3].map((p) => web.url(`h${i}.slow-10000.pages-4.test`, `/p/${p}`))
    ),
    delayMs: 1000,
  });
  assert.equal(records.filter((r) => r.status === 200).length, 8);
  const { gapMs } = await assertPolite(web, 10_000);
  console.log(`slow host: shortest gap ${gapMs.toFixed(0)} ms`);
});

Deno.test("5 000 pages that redirect to one URL fetch it once", async () => {
  await using web = await startWeb({ hosts: 1, pages: 1 });
  const start = performance.now();
  const { records } = await collect(web, {
    seeds: [web.url("many.good.test", "/many-index/5000")],
    maxDepth: 1,
    delayMs: 0,
  });
  const seconds = (performance.now() - start) / 1000;
  assert.equal(records.filter((r) => r.status === 301).length, 5000);
  const one = await web.requests({ host: "many.good.test", path: "/one" });
  console.log(
    `redirects: 5000 of one host in ${seconds.toFixed(1)} s, target asked ${one.length}×`,
  );
  assert.equal(one.length, 1);
});

Deno.test("2 000 hosts on one address stay within --per-ip, beside 100 others", async () => {
  await using web = await startWeb({ hosts: 100, pages: 1000, pageBytes: 5000 });
  const crowd = Array.from(
    { length: 2000 },
    (_, i) => web.url(`c${i}.ip9.jitter-40.pages-1.test`, "/p/0"),
  );
  const start = performance.now();
  const { records } = await collect(web, {
    seeds: [...crowd, ...web.seeds()],
    maxDepth: 10,
    delayMs: 100,
    perIp: 8,
  });
  const seconds = (performance.now() - start) / 1000;
  assert.equal(records.filter((r) => r.status === 200).length, 3000);
  const { summary } = await assertPolite(web, 0);
  const address = summary.addresses.find((a) => a.ip === "127.200.0.9")!;
  console.log(
    `one address: 2000 hosts and 1000 pages of others in ${seconds.toFixed(1)} s, ` +
      `at most ${address.maxConcurrent} at once at the address`,
  );
  assert.ok(address.maxConcurrent <= 8);
});
