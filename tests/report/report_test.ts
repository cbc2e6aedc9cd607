import assert from "node:assert/strict";
import type { EndEvent, RunEvent, TickEvent } from "../../lib/report/events.ts";
import { Journal, JournalError } from "../../lib/report/journal.ts";
import { MetricsError } from "../../lib/report/metrics.ts";
import { peakMemory } from "../../lib/report/memory.ts";
import {
  formatCrawlProgress,
  formatRecrawlProgress,
  RateWindow,
  recrawlProgress,
} from "../../lib/report/progress.ts";
import { recrawlKind } from "../../lib/report/run_kind.ts";
import {
  LIVE_MS,
  PLAIN_MS,
  type ReportClock,
  type ReportOptions,
  RunReport,
  TICK_MS,
} from "../../lib/report/report.ts";
import { figures, recrawlFigures } from "./_figures.ts";

/** Time that moves when the test says so. */
class HandClock implements ReportClock {
  #now = Date.UTC(2026, 0, 1);
  readonly #timers = new Set<{ ms: number; due: number; work: () => void }>();
  now(): number {
    return this.#now;
  }
  every(ms: number, work: () => void): () => void {
    const timer = { ms, due: this.#now + ms, work };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }
  advance(ms: number): void {
    for (const end = this.#now + ms; this.#now < end;) {
      const next = Math.min(end, ...[...this.#timers].map((timer) => timer.due));
      this.#now = next;
      for (const timer of [...this.#timers]) {
        if (timer.due > next) continue;
        timer.due += timer.ms;
        timer.work();
      }
    }
  }
  get timers(): number {
    return this.#timers.size;
  }
}

interface Setup extends Partial<Omit<ReportOptions, "sink" | "clock">> {
  terminal?: boolean;
  columns?: number;
}

function setUp({ terminal, columns, ...options }: Setup = {}) {
  const clock = new HandClock();
  let text = "";
  const report = new RunReport({
    command: "crawl run",
    progress: "auto",
    quiet: false,
    ...options,
    clock,
    sink: {
      write: (part) => text += part,
      terminal: terminal ?? false,
      columns: () => columns,
    },
  });
  return { clock, report, text: () => text };
}

Deno.test("off a terminal progress is a plain line a minute, then the summary", async () => {
  const { clock, report, text } = setUp();
  await report.start({}, () => figures());
  clock.advance(PLAIN_MS);
  assert.match(text(), /^crawl run: 3330 pages, [\d.]+\/s, 5021 queued, 64 in flight, 310 hosts/);
  assert.equal(text().split("\n").length, 2);
  report.end("finished");
  await report.close();
  assert.equal(clock.timers, 0);
  assert.match(text(), /\ncrawl run: 3330 fetched, 8746 failed, /);
  assert(!text().includes("\x1b"));
});

Deno.test("on a terminal the line is redrawn in place, and messages stand above it", async () => {
  const { clock, report, text } = setUp({ terminal: true, columns: 30 });
  await report.start({}, () => figures());
  clock.advance(LIVE_MS);
  const live = text();
  assert(live.startsWith("\r\x1b[K3330 pages"));
  assert(live.length <= 4 + 29, "the line must not wrap");
  report.message("note");
  assert.equal(text().slice(live.length), `\r\x1b[Kcrawl run: note\n${live.slice(4)}`);
  const before = text().length;
  report.end("finished");
  assert(text().slice(before).startsWith("\r\x1b[Kcrawl run: 3330 fetched"));
  await report.close();
});

Deno.test("the live line makes room for records on the same terminal", async () => {
  const { clock, report, text } = setUp({ terminal: true, columns: 80 });
  await report.start({}, () => figures());
  report.holdLine();
  clock.advance(LIVE_MS);
  assert.equal(text(), "", "nothing is drawn into the records");
  report.releaseLine();
  assert(text().startsWith("3330 pages"));
  const before = text().length;
  report.holdLine();
  assert.equal(text().slice(before), "\r\x1b[K");
  report.end("finished");
  await report.close();
});

Deno.test("--progress json emits start, ticks every 30 s, seals and the end, one object a line", async () => {
  const { clock, report, text } = setUp({ progress: "json" });
  await report.start({ state: "c.db", shard: 0 }, () => figures());
  clock.advance(2 * TICK_MS);
  report.seal({ file: "warc/a-00000.warc.gz", bytes: 10, records: 3 });
  report.message("note");
  report.end("stopped");
  await report.close();
  const events = text().trimEnd().split("\n").map((line) => JSON.parse(line) as RunEvent);
  assert.deepEqual(
    events.map(({ event }) => event),
    ["start", "tick", "tick", "seal", "message", "end"],
  );
  assert.equal(events[1]!.time, "2026-01-01T00:00:30.000Z");
  assert(events.every(({ command }) => command === "crawl run"));
  assert.deepEqual((events[2] as TickEvent).figures, figures());
  assert.equal((events[5] as EndEvent).outcome, "stopped");
});

Deno.test("--progress none still prints messages and the summary", async () => {
  const { clock, report, text } = setUp({ progress: "none", terminal: true });
  await report.start({}, () => figures());
  clock.advance(PLAIN_MS);
  assert.equal(text(), "");
  report.end("finished");
  assert.match(text(), /^crawl run: 3330 fetched/);
  await report.close();
});

Deno.test("-q leaves warnings alone", async () => {
  const { clock, report, text } = setUp({ quiet: true });
  await report.start({}, () => figures());
  clock.advance(PLAIN_MS);
  report.message("note");
  report.warn("the disk is nearly full");
  report.end("finished");
  await report.close();
  assert.equal(text(), "crawl run: the disk is nearly full\n");
});

Deno.test("the journal gets the same events, appended", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const journal = `${folder}/journal.jsonl`;
    for (const outcome of ["stopped", "finished"]) {
      const { clock, report, text } = setUp({ journal, progress: "none", quiet: true });
      await report.start({}, () => figures());
      clock.advance(TICK_MS);
      report.end(outcome);
      await report.close();
      assert.equal(text(), "");
    }
    const lines = (await Deno.readTextFile(journal)).trimEnd().split("\n");
    const events = lines.map((line) => JSON.parse(line) as RunEvent);
    assert.deepEqual(
      events.map(({ event }) => event),
      ["start", "tick", "end", "start", "tick", "end"],
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a journal that cannot be opened is an error before the run", async () => {
  const { report } = setUp({ journal: "/nowhere/at/all.jsonl" });
  await assert.rejects(report.start({}, () => figures()), (error: Error) => {
    assert(error instanceof JournalError);
    assert.match(error.message, /^Cannot open the journal \/nowhere\/at\/all\.jsonl: /);
    return true;
  });
  await report.close();
});

Deno.test({
  name: "a full disk under the journal is told once and does not end the run",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { clock, report, text } = setUp({ journal: "/dev/full", progress: "none" });
    await report.start({}, () => figures());
    clock.advance(3 * TICK_MS);
    assert.equal(text().split("\n").length, 2);
    assert.match(text(), /^crawl run: Cannot write the journal \/dev\/full: /);
    report.end("finished");
    await report.close();
  },
});

Deno.test("Journal.open() appends to what is there", async () => {
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(path, "old\n");
    Journal.open(path).close();
    assert.equal(await Deno.readTextFile(path), "old\n");
  } finally {
    await Deno.remove(path);
  }
});

/** Every line is a comment or a sample, as the format's grammar has it, and every metric has a type. */
function assertExposition(body: string): void {
  for (const line of body.trimEnd().split("\n")) {
    assert.match(
      line,
      /^(# (HELP|TYPE) ccrawl_[a-z_]+ .+|ccrawl_[a-z_]+(\{[a-z]+="[a-z_]+"\})? \d+(\.\d+)?)$/,
    );
  }
  const types = [...body.matchAll(/^# TYPE (ccrawl_[a-z_]+) /gm)].map((m) => m[1]);
  assert.equal(new Set(types).size, types.length, "a metric stands once");
  const sampled = new Set([...body.matchAll(/^(ccrawl_[a-z_]+)/gm)].map((m) => m[1]));
  assert.deepEqual(sampled, new Set(types));
  assert(body.endsWith("\n"));
}

Deno.test("metrics are served on the address given, with the figures of the moment", async () => {
  let fetched = 1;
  const { report, text } = setUp({ metrics: { host: "127.0.0.1", port: 0 } });
  await report.start({}, () => figures({ fetched }));
  const address = /metrics at (http:\/\/127\.0\.0\.1:\d+\/metrics)/.exec(text())![1]!;
  fetched = 7;
  const response = await fetch(address);
  const body = await response.text();
  assert.match(response.headers.get("content-type")!, /^text\/plain; version=0\.0\.4/);
  assert.match(body, /^# TYPE ccrawl_pages_fetched_total counter\nccrawl_pages_fetched_total 7$/m);
  assert.match(body, /^ccrawl_failures_total\{class="dns"\} 5483$/m);
  assert.match(body, /^ccrawl_worker_seconds_total\{phase="fetching"\} 15616$/m);
  assert.match(body, /^ccrawl_queued_urls 5021$/m);
  assert.match(body, /^ccrawl_pages_failed_total 8746$/m);
  assert.match(body, /^ccrawl_files_total\{format="warc"\} 4$/m);
  assertExposition(body);
  // A second scrape counts nothing twice.
  assert.match(await (await fetch(address)).text(), /^ccrawl_pages_fetched_total 7$/m);
  const other = await fetch(new URL("/other", address));
  await other.body?.cancel();
  assert.equal(other.status, 404);
  const page = await (await fetch(new URL("/figures", address))).json();
  assert.equal(page.figures.fetched, 7);
  assert.deepEqual(page.recent.map(([, pages]: number[]) => pages), [1, 7]);
  const post = await fetch(address, { method: "POST" });
  await post.body?.cancel();
  assert.equal(post.status, 405);
  report.end("finished");
  await report.close();
});

Deno.test("a metrics address in use is an error before the run", async () => {
  const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr as Deno.NetAddr;
  const { report } = setUp({ metrics: { host: "127.0.0.1", port } });
  await assert.rejects(
    report.start({}, () => figures()),
    (error: Error) =>
      error instanceof MetricsError &&
      error.message.startsWith(`Cannot serve metrics at 127.0.0.1:${port}: `),
  );
  taken.close();
  await report.close();
});

Deno.test("formatCrawlProgress() gives the time left where the pages to come are known", () => {
  assert.equal(
    formatCrawlProgress(figures({ remaining: 100 }), 10),
    "3330 pages, 10.0/s, 5021 queued, 64 in flight, 310 hosts, 8746 failed, 1m 40s, 10.0s left",
  );
  assert(!formatCrawlProgress(figures(), 10).includes("left"));
  assert(!formatCrawlProgress(figures({ remaining: 100 }), 0).includes("left"));
});

Deno.test("formatRecrawlProgress() says where in the list, and what the queues hold", () => {
  assert.equal(
    formatRecrawlProgress(recrawlFigures(), 10, 20),
    "11254 pages, 10.0/s, part 1 row 20000, 64 in flight, 8746 failed, " +
      "extract queue 6.7 MB (10%), write queue 0 B (0%), 1m 40s",
  );
  const { extract: _e, ...unrendered } = recrawlFigures();
  assert.match(formatRecrawlProgress(unrendered, 10, 20), /8746 failed, write queue 0 B/);
});

Deno.test("formatRecrawlProgress() gives the time to the first of the ends that are known", () => {
  const left = (pages: number | undefined, rows: number | undefined, rate = 10, rowRate = 20) => {
    const known = recrawlFigures({
      ...(pages === undefined ? {} : { remaining: pages }),
      ...(rows === undefined ? {} : { remainingRows: rows }),
    });
    return /, ([^,]+ left)$/.exec(formatRecrawlProgress(known, rate, rowRate))?.[1];
  };
  assert.equal(left(100, undefined), "10.0s left");
  assert.equal(left(undefined, 100), "5.0s left");
  assert.equal(left(100, 1000), "10.0s left");
  assert.equal(left(100, 100), "5.0s left");
  assert.equal(left(100, 100, 0), "5.0s left");
  assert.equal(left(undefined, undefined), undefined);
  assert.equal(left(100, 100, 0, 0), undefined);
});

Deno.test("recrawlProgress() counts rows that failed towards the end of the list", () => {
  const line = recrawlProgress();
  const at = (elapsedMs: number, fetched: number, dns: number) =>
    line(recrawlFigures({
      elapsedMs,
      fetched,
      failures: { dns, timeout: 0, refused: 0, tls: 0, skip: 0, other: 0 },
      remainingRows: 100,
    }));
  at(1000, 0, 0);
  assert.match(at(2000, 5, 5), /^5 pages, 5\.0\/s, .*, 10\.0s left$/);
});

Deno.test("a pass over a work list reports in its own words", async () => {
  const { clock, report, text } = setUp({ command: "recrawl run" });
  await report.start({ source: "domains" }, () => recrawlFigures(), recrawlKind);
  clock.advance(PLAIN_MS);
  report.end("finished");
  await report.close();
  const lines = text().split("\n");
  assert.match(lines[0]!, /^recrawl run: 11254 pages, [\d.]+\/s, part 1 row 20000, /);
  assert.match(lines[1]!, /^recrawl run: 11254 fetched, .* 4 parquet files, at part 1 row 20000$/);
  assert(lines.some((line) => line.startsWith("recrawl run: feeder: alive ")));
  assert.match(lines.at(-2)!, /850\.0 MB of memory at the peak$/);
});

Deno.test("events of a pass over a work list hold its figures whole", async () => {
  const { peakMemoryBytes: _p, ...unmeasured } = recrawlFigures();
  const { report, text } = setUp({ command: "recrawl run", progress: "json" });
  await report.start({}, () => unmeasured, recrawlKind);
  report.end("finished");
  await report.close();
  const end = JSON.parse(text().trimEnd().split("\n").at(-1)!) as EndEvent;
  const { peakMemoryBytes, ...told } = end.figures;
  assert.deepEqual(told, unmeasured);
  assert(peakMemoryBytes! > 1_000_000);
});

Deno.test("metrics of a pass over a work list add position, feeder and extract pool", async () => {
  const { report, text } = setUp({ metrics: { host: "127.0.0.1", port: 0 } });
  const checkpoint = { ageMs: 12_500, rowsAhead: 300, partsWaiting: 3 };
  await report.start({}, () => recrawlFigures({ warcFiles: 2, checkpoint }), recrawlKind);
  const address = /metrics at (http:\/\/127\.0\.0\.1:\d+\/metrics)/.exec(text())![1]!;
  const body = await (await fetch(address)).text();
  await report.close();
  for (
    const line of [
      "ccrawl_pages_fetched_total 11254",
      'ccrawl_files_total{format="parquet"} 4',
      'ccrawl_files_total{format="warc"} 2',
      "ccrawl_position_part 1",
      "ccrawl_position_row 20000",
      "ccrawl_rows_done 19700",
      "ccrawl_checkpoint_age_seconds 12.5",
      "ccrawl_rows_ahead 300",
      "ccrawl_parts_waiting 3",
      "ccrawl_feeder_rows_total 400",
      'ccrawl_feeder_seconds_total{phase="reading"} 2.64',
      'ccrawl_extract_seconds_total{phase="rendering"} 426',
      "ccrawl_extract_queue_held_bytes 6710886",
      "ccrawl_write_queue_peak_bytes 20100000",
    ]
  ) assert(body.includes(`\n${line}\n`), line);
  assertExposition(body);
});

Deno.test("RateWindow is the rate of late, not of the whole run", () => {
  const window = new RateWindow();
  assert.equal(window.add(1000, 5), 5);
  for (let s = 2; s <= 60; s++) window.add(s * 1000, 5);
  assert.equal(window.add(61_000, 35), 2);
});

Deno.test("peakMemory() is at least what is resident and never shrinks", () => {
  const before = peakMemory();
  assert(before > 1_000_000);
  assert(peakMemory() >= before || Deno.build.os !== "linux");
});
