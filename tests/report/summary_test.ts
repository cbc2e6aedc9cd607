import assert from "node:assert/strict";
import { formatCrawlProgress } from "../../lib/report/progress.ts";
import { formatCrawlSummary } from "../../lib/report/summary.ts";
import { figures } from "./_figures.ts";

Deno.test("formatCrawlSummary() says it in the words and the order operators know", () => {
  assert.deepEqual(formatCrawlSummary(figures()), [
    "crawl run: 3330 fetched, 8746 failed, 16 disallowed, 1.5 GB, 4 warc files",
    "crawl run: failures by class: dns 5483, timeout 1234, refused 447, tls 1444, skipped 0, other 138",
    "crawl run: the unclassified failures are mostly: eof 124, http: server gave http response to https client 9, unexpected eof 3, which is 136 of 138",
    "crawl run: robots: 258 hosts fetched, 12 saved by the cache, 16 refused, 39 unreachable",
    "crawl run: robots failures: dns 12, timeout 61, refused 18, 5xx 2, other 0 of 93 unreachable",
    "crawl run: dns: 1607 hosts looked up, 141 answered from the cache, 56 unresolved of which 37 do not exist, 30 open at the busiest of 32 allowed",
    "crawl run: worker time: robots 0%, host clock 0%, fetching 61%, queueing to write 1%, idle 38% of 256 workers, with the writer busy 8% of the run",
    "crawl run: write queue: 134.2 MB bound, 40.3 MB at its highest, 30% of the bound",
    "crawl run: 1m 40s, 33.3 pages a second, 850.0 MB of memory at the peak",
  ]);
});

Deno.test("formatCrawlSummary() leaves out lines about what did not happen", () => {
  const { unclassified: _u, robots: _r, ...rest } = figures({
    failures: { dns: 0, timeout: 0, refused: 0, tls: 0, skip: 0, other: 0 },
    files: 1,
    writers: 4,
    writerBusyMs: 96_000,
  });
  const lines = formatCrawlSummary(rest, "probe");
  assert.equal(lines[0], "probe: 3330 fetched, 0 failed, 16 disallowed, 1.5 GB, 1 warc file");
  assert.match(lines[1]!, /^probe: dns: /);
  assert.match(lines[2]!, /with the 4 writers busy 24% of the run each$/);
  assert.equal(lines.length, 5);
});

Deno.test("formatCrawlSummary() tells of sitemaps and of revisits where there are any", () => {
  const lines = formatCrawlSummary(figures({
    sitemaps: { read: 3, listed: 120 },
    revisits: { changed: 4, unchanged: 30, notModified: 20, failing: 1, waiting: 900, due: 7 },
  }));
  assert.deepEqual(lines.slice(6, 8), [
    "crawl run: sitemaps: 3 read, 120 URLs listed",
    "crawl run: revisits: 35, 4 changed, 30 unchanged of which 20 by 304, 1 not well; 7 due, 900 waiting",
  ]);
});

Deno.test("a summary and a line of progress count one as one", () => {
  const { robots, dns } = figures();
  const one = figures({
    fetched: 1,
    activeHosts: 1,
    robots: { ...robots!, hosts: 1 },
    dns: { ...dns, lookedUp: 1 },
    sitemaps: { read: 1, listed: 1 },
  });
  const said = [...formatCrawlSummary(one), formatCrawlProgress(one, 1)].join("\n");
  assert.match(said, /robots: 1 host fetched,/);
  assert.match(said, /dns: 1 host looked up,/);
  assert.match(said, /sitemaps: 1 read, 1 URL listed/);
  assert.match(said, /^1 page, .* 1 host, /m);
});

Deno.test("formatCrawlSummary() prints no robots failures when every host could be asked", () => {
  const robots = {
    hosts: 3,
    saved: 0,
    refused: 1,
    unreachable: 0,
    failures: { dns: 0, timeout: 0, refused: 0, serverError: 0, other: 0 },
  };
  assert(!formatCrawlSummary(figures({ robots })).some((line) => line.includes("robots failures")));
});

Deno.test("formatCrawlSummary() gives worker shares that add up to 100", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const part = (n: number): number => (seed * 7919 * n) % 6_000_000;
    const lines = formatCrawlSummary(figures({
      workerTimes: { robots: part(1), hostClock: part(2), fetching: part(3), queueing: part(5) },
    }));
    const line = lines.find((l) => l.includes("worker time"))!;
    const shown = [...line.split(" workers")[0]!.matchAll(/(\d+)%/g)].map((m) => Number(m[1]));
    assert.equal(shown.length, 5);
    assert.equal(shown.reduce((a, b) => a + b, 0), 100, line);
  }
});

Deno.test("formatCrawlSummary() survives a run that ended before it began", () => {
  const lines = formatCrawlSummary(figures({
    elapsedMs: 0,
    fetched: 0,
    workerTimes: { robots: 0, hostClock: 0, fetching: 0, queueing: 0 },
  }));
  assert(lines.every((line) => !/NaN|Infinity/.test(line)), lines.join("\n"));
});

Deno.test("formatCrawlSummary() does not let a shape off the wire act on a terminal", () => {
  const unclassified = {
    top: [{ shape: `alert\x1b[2J\n${"x".repeat(5000)}`, count: 1 }],
    total: 1,
  };
  const line = formatCrawlSummary(figures({ unclassified }))[2]!;
  assert.match(line, /alert\?\[2J\?xxx/);
  assert(line.length < 400);
});

Deno.test("formatCrawlSummary() says so where bodies under way took the queue past its bound", () => {
  const queue = { boundBytes: 33_554_432, peakBytes: 134_217_728 };
  const line = "crawl run: write queue: 33.6 MB bound, 134.2 MB at its highest, 400% of the bound";
  assert.ok(formatCrawlSummary(figures({ queue })).includes(line));
});
