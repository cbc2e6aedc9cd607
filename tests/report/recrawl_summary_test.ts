import assert from "node:assert/strict";
import { formatRecrawlSummary } from "../../lib/report/recrawl_summary.ts";
import { recrawlFigures } from "./_figures.ts";

Deno.test("formatRecrawlSummary() says it in the words and the order operators know", () => {
  assert.deepEqual(formatRecrawlSummary(recrawlFigures()), [
    "recrawl run: 11254 fetched, 8746 failed, 0 disallowed, 1.5 GB, 4 parquet files, at part 1 row 20000",
    "recrawl run: failures by class: dns 5483, timeout 1234, refused 447, tls 1444, skipped 0, other 138",
    "recrawl run: the unclassified failures are mostly: eof 124, http: server gave http response to https client 9, unexpected eof 3, which is 136 of 138",
    "recrawl run: robots: 258 hosts fetched, 12 saved by the cache, 16 refused, 39 unreachable",
    "recrawl run: robots failures: dns 12, timeout 61, refused 18, 5xx 2, other 0 of 93 unreachable",
    "recrawl run: dns: 1607 hosts looked up, 141 answered from the cache, 56 unresolved of which 37 do not exist, 30 open at the busiest of 32 allowed",
    "recrawl run: worker time: robots 0%, host clock 0%, fetching 61%, queueing to write 1%, idle 38% of 256 workers, with the 3 writers busy 61% of the run each",
    "recrawl run: extract pool: 6 wide, rendering 71% of it, waiting for the sink 4%, idle 25%",
    "recrawl run: extract queue: 67.1 MB bound, 12.4 MB at its highest, 18% of the bound, write queue: 67.1 MB bound, 20.1 MB at its highest, 30% of the bound",
    "recrawl run: feeder: alive 22.0s, reading 12% of it, waiting for a free worker 88%, 18.2 rows a second",
    "recrawl run: 1m 40s, 112.5 pages a second, 850.0 MB of memory at the peak",
  ]);
});

Deno.test("formatRecrawlSummary() has one queue and no pool where nothing is rendered", () => {
  const { extract: _e, robots: _r, ...rest } = recrawlFigures();
  const lines = formatRecrawlSummary(rest, "probe");
  assert(lines.every((line) => line.startsWith("probe: ") && !line.includes("extract")));
  assert(lines.some((line) => line.startsWith("probe: write queue: 67.1 MB bound, ")));
});

Deno.test("formatRecrawlSummary() names the files of each format that is written", () => {
  const first = (files: { parquetFiles?: number; warcFiles?: number }) => {
    const { parquetFiles: _p, ...rest } = recrawlFigures();
    return /1\.5 GB, (.*), at part/.exec(formatRecrawlSummary({ ...rest, ...files })[0]!)?.[1];
  };
  assert.equal(first({ parquetFiles: 1 }), "1 parquet file");
  assert.equal(first({ warcFiles: 2 }), "2 warc files");
  assert.equal(first({ parquetFiles: 0, warcFiles: 1 }), "0 parquet files, 1 warc file");
});

Deno.test("formatRecrawlSummary() tells how many pages have not changed, where any were asked", () => {
  const lines = formatRecrawlSummary(recrawlFigures({ unchanged: 300 }));
  assert(lines.includes("recrawl run: unchanged: 300 of 11254 fetched"));
});

Deno.test("formatRecrawlSummary() gives shares of pool and feeder that add up to 100", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const part = (n: number): number => (seed * 7919 * n) % 290_000;
    const { extract, feeder } = recrawlFigures();
    const lines = formatRecrawlSummary(recrawlFigures({
      extract: { ...extract!, renderingMs: part(1), sinkMs: part(2) },
      feeder: { ...feeder, aliveMs: 600_000, readingMs: part(3), waitingMs: part(5) },
    }));
    for (const name of ["extract pool", "feeder"]) {
      const line = lines.find((l) => l.includes(`${name}: `))!;
      const shown = [...line.matchAll(/(\d+)%/g)].map((m) => Number(m[1]));
      assert.equal(shown.reduce((a, b) => a + b, 0), 100, line);
    }
  }
});

Deno.test("formatRecrawlSummary() takes the feeder's shares of its own life, not of the run", () => {
  const feeder = { aliveMs: 22_000, readingMs: 5_500, waitingMs: 11_000, rows: 44 };
  assert(
    formatRecrawlSummary(recrawlFigures({ elapsedMs: 62_000, feeder })).includes(
      "recrawl run: feeder: alive 22.0s, reading 25% of it, waiting for a free worker 50%, " +
        "neither 25%, 2.0 rows a second",
    ),
  );
});

Deno.test("formatRecrawlSummary() survives a run that ended before it began", () => {
  const { extract } = recrawlFigures();
  const lines = formatRecrawlSummary(recrawlFigures({
    elapsedMs: 0,
    fetched: 0,
    workerTimes: { robots: 0, hostClock: 0, fetching: 0, queueing: 0 },
    extract: { ...extract!, renderingMs: 0, sinkMs: 0 },
    feeder: { aliveMs: 0, readingMs: 0, waitingMs: 0, rows: 0 },
  }));
  assert(lines.every((line) => !/NaN|Infinity/.test(line)), lines.join("\n"));
});
