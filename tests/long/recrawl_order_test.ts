import assert from "node:assert/strict";
import { startWeb } from "../web/mod.ts";
import { withFolder } from "../engine/_crawl.ts";
import { assertPolite } from "../engine/_politeness.ts";
import { collect, shortestGap } from "../engine/_recrawl.ts";

// Slow enough for the server, on the same cores, to be in time with its own clock.
const HOSTS = 300, ROWS_EACH = 3000, PAGES = 60_000, WORKERS = 64, DELAY = 250;

Deno.test("a list of 300 hosts with 3000 rows in a run each keeps 64 workers busy", () =>
  withFolder(async (dir) => {
    const start = performance.now();
    await using web = await startWeb({
      ...{ hosts: HOSTS, pages: HOSTS * ROWS_EACH, pageBytes: 1000 },
    });
    const { run, records } = await collect(web, dir, {
      from: [...web.expectedUrls()],
      workers: WORKERS,
      delayMs: DELAY,
      maxPages: PAGES,
    });
    assert.equal(run.figures.fetched, PAGES);
    await assertPolite(web, DELAY);
    const gap = shortestGap(records);
    assert.ok(gap >= DELAY - 1, `${gap} ms, in whole milliseconds`);
    const hosts = (await web.requests()).map(({ host }) => host);
    assert.equal(hosts.length, PAGES);
    // a window of twice the width: what is late by a turn is still in it
    let fewest = Infinity;
    const inWindow = new Map<string, number>();
    for (const [i, host] of hosts.entries()) {
      inWindow.set(host, (inWindow.get(host) ?? 0) + 1);
      if (i < 2 * WORKERS) continue;
      const out = hosts[i - 2 * WORKERS]!;
      const left = inWindow.get(out)! - 1;
      if (left === 0) inWindow.delete(out);
      else inWindow.set(out, left);
      fewest = Math.min(fewest, inWindow.size);
    }
    assert.ok(fewest >= WORKERS, `${fewest} hosts among ${2 * WORKERS} requests`);
    const seconds = (performance.now() - start) / 1000;
    console.log(
      `recrawl, sorted list: ${PAGES} pages of ${HOSTS} hosts in ${seconds.toFixed(0)} s ` +
        `(${
          (PAGES / run.figures.elapsedMs * 1000).toFixed(0)
        } a second), at least ${fewest} hosts ` +
        `among any ${2 * WORKERS} requests, ${gap} ms apart at a host at the least`,
    );
  }));
