import assert from "node:assert/strict";
import type { Archived, Archiver } from "../../lib/engine/archiver.ts";
import { HostClocks } from "../../lib/engine/clocks.ts";
import { fillCrawlOptions } from "../../lib/engine/crawl_options.ts";
import { CrawlLoop } from "../../lib/engine/_crawl_loop.ts";
import { MAX_UNCOMMITTED, replayBound } from "../../lib/engine/replay.ts";
import { CrawlStatistics } from "../../lib/engine/statistics.ts";
import { openFrontier } from "../../lib/frontier/open.ts";
import type { HttpClient } from "../../lib/net/client.ts";
import type { Resolver } from "../../lib/net/dns.ts";
import type { Exchange } from "../../lib/net/types.ts";

const NONE = new Uint8Array(0);

/** A web that answers everything at once, with nothing. */
function answer(url: URL): Exchange {
  const now = performance.now();
  return {
    ...{ url, ip: "127.0.0.1", date: Date.now(), sentAt: now, firstByteAt: now, endedAt: now },
    ...{ request: NONE, status: 200, reason: "", head: NONE, headers: [], body: NONE },
  } as unknown as Exchange;
}

Deno.test("a crawl fetches no more than the bound ahead of what is committed", async () => {
  const pages = 3 * MAX_UNCOMMITTED, workers = 16;
  const options = fillCrawlOptions({
    seeds: Array.from({ length: pages }, (_, i) => `http://h${i % 300}.test/${i}`),
    ...{ workers, delayMs: 0, robots: false },
  });
  const frontier = await openFrontier();
  const pushed: number[] = [];
  const archiver = {
    full: false,
    push: (id: number) => pushed.push(id),
    finish: () => Promise.resolve(),
  } as unknown as Archiver;
  const ended = new AbortController(), stop = new AbortController();
  const loop = new CrawlLoop({
    ...{ options, frontier, archiver, ended, robots: undefined, sitemaps: undefined, headers: [] },
    resolver: { peek: () => ["127.0.0.1"] } as unknown as Resolver,
    client: {
      busyAt: () => false,
      exchange: ({ url }: { url: URL }) => Promise.resolve(answer(url)),
    } as unknown as HttpClient,
    clocks: new HostClocks(),
    statistics: new CrawlStatistics(),
    stop: stop.signal,
  });
  await loop.start();
  /** Pages answered once nothing more is fetched, though the loop is given every chance. */
  const settled = async (least: number): Promise<number> => {
    for (let last = -1; pushed.length < least || last !== pushed.length;) {
      last = pushed.length;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    return pushed.length;
  };
  const ahead = await settled(MAX_UNCOMMITTED);
  assert.ok(ahead <= MAX_UNCOMMITTED + workers, `${ahead} pages are ahead`);
  assert.ok(ahead <= replayBound({ workers, maxStalled: 0 }));

  // The disk has them at last: as many more may be fetched.
  const records = loop.records();
  const durable = (id: number): Archived => ({
    ...{ id, digest: "", links: 0, file: "", offset: 0, type: "", outlinks: [0, 0], size: 0 },
    outlinkBytes: NONE,
  } as unknown as Archived);
  loop.durable(pushed.splice(0).map(durable));
  for (let i = 0; i < ahead; i++) assert.equal((await records.next()).done, false);
  const more = await settled(MAX_UNCOMMITTED);
  assert.ok(more <= MAX_UNCOMMITTED + workers, `${more} pages are ahead`);
  stop.abort();
  await loop.end();
  await frontier.close();
});
