import assert from "node:assert/strict";
import { type LocalWeb, startWeb } from "../web/mod.ts";
import { withFolder } from "./_crawl.ts";
import { assertPolite } from "./_politeness.ts";
import { byUrl, collect, readRows, rowsOfRun, shortestGap, verifyClean } from "./_recrawl.ts";

/** Hosts among so many requests in a row, at the least, while that many hosts have any left. */
async function fewestHosts(web: LocalWeb, window: number, enough: number): Promise<number> {
  const requests = await web.requests();
  const last = new Map(requests.map(({ host }, i) => [host, i]));
  let fewest = Infinity;
  for (let i = 0; i + window <= requests.length; i++) {
    const left = [...last.values()].filter((at) => at >= i + window).length;
    if (left < enough) break;
    const hosts = new Set(requests.slice(i, i + window).map(({ host }) => host));
    fewest = Math.min(fewest, hosts.size);
  }
  return fewest;
}

Deno.test("a list sorted by host keeps every worker busy, each host in its order and at its pace", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 30, pages: 1800, pageBytes: 1000 });
    const urls = [...web.expectedUrls()];
    // 16 batches hold the rows of five hosts, so that some must wait packed for there to be eight and more
    const options = { from: urls, workers: 8, batch: 20, delayMs: 30 };
    const { records } = await collect(web, dir, options);
    await assertPolite(web, 30);
    assert.ok(shortestGap(records) >= 29, `${shortestGap(records)} ms, in whole milliseconds`);
    // any order in which fewer than 8 hosts take turns has a window with fewer than 8
    const fewest = await fewestHosts(web, 16, 10);
    assert.ok(fewest >= 8, `${fewest} hosts among 16 requests`);
    const order = new Map<string, string[]>();
    for (const { host, path } of await web.requests()) {
      order.set(host, [...order.get(host) ?? [], path]);
    }
    assert.equal(order.size, 30);
    for (const paths of order.values()) {
      assert.deepEqual(paths, Array.from({ length: 60 }, (_, i) => `/p/${i}`));
    }
  }));

Deno.test("a recrawl keeps within --per-ip, and takes http and https of a host for one", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 500 });
    const crowd = Array.from({ length: 40 }, (_, i) => web.url(`c${i}.ip-7.slow-20.test`, "/p/0"));
    const both = Array.from(
      { length: 24 },
      (_, i) => web.url(`both${i % 3}.good.test`, `/p/${i}`, i % 2 === 0 ? "http" : "https"),
    );
    const from = [...crowd, ...both];
    await rowsOfRun(web, dir, { from, workers: 64, delayMs: 60, perIp: 3 });
    const { summary } = await assertPolite(web, 60);
    const shared = summary.addresses.find(({ ip }) => ip.startsWith("127.200."))!;
    assert.ok(shared.maxConcurrent <= 3, `${shared.maxConcurrent} at once at one address`);
    assert.equal(summary.requests, from.length);
  }));

Deno.test("hosts that answer 429 or 503 are left alone as they ask, and hold nobody up", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 10, pages: 200, pageBytes: 500 });
    const refusing = [
      "r1.status-429.retry-after-2.times-1.test",
      "r2.status-503.retry-after-2.times-1.test",
    ];
    const rows = await rowsOfRun(web, dir, {
      from: [
        ...refusing.flatMap((host) => [0, 1, 2].map((i) => web.url(host, `/p/${i}`))),
        ...web.expectedUrls(),
      ],
      workers: 8,
      delayMs: 1,
    });
    for (const host of refusing) {
      const of = [...rows.values()].filter((row) => row.host === host);
      // a status is an answer: its row has it, and it is not asked again
      assert.deepEqual(of.map(({ status }) => status).sort(), [
        200,
        200,
        Number(/\d{3}/.exec(host)![0]),
      ]);
      const times = (await web.requests({ host })).map(({ t }) => t);
      assert.ok(times[1]! - times[0]! >= 2000 - 10, `${times[1]! - times[0]!} ms`);
    }
    const good = (await web.requests()).filter(({ host }) => host.startsWith("h"));
    const first = (await web.requests({ host: refusing[0]! }))[1]!;
    assert.ok(good.every(({ t }) => t < first.t), "the others are through before");
  }));

Deno.test("a host that does not answer is left alone after three rows, and the others go on", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 8, pages: 400, pageBytes: 500 });
    const urls = [
      ...Array.from({ length: 60 }, (_, i) => web.url("dead.accept-close.test", `/p/${i}`)),
      ...web.expectedUrls(),
    ];
    // 16 batches of 4 are read ahead: the dead host's rows would fill them all
    const options = { workers: 8, batch: 4, delayMs: 1, state: `${dir}/state.json`, limit: 403 };
    const { records } = await collect(web, dir, { from: urls, ...options });
    assert.equal(records.filter(({ status }) => status === 200).length, 400);
    const { requests } = (await web.summary()).hosts.find(({ host }) => host.startsWith("dead"))!;
    assert.equal(requests, 3);
    const rows = byUrl(await readRows(`${dir}/out`, ["url", "status", "error"]));
    assert.equal(rows.size, 403);
    await verifyClean(`${dir}/out`, `${dir}/state.json`);
  }));
