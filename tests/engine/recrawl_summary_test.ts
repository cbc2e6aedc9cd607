import assert from "node:assert/strict";
import { listParts } from "../../lib/capture/part_sequence.ts";
import type { CaptureRow } from "../../lib/capture/schema.ts";
import { recrawl } from "../../lib/engine/recrawl.ts";
import { startWeb } from "../web/mod.ts";
import { withFolder } from "./_crawl.ts";
import { Ccrawl } from "./_process.ts";
import { metaOf, readRows, recrawlArgs, toward, writeList } from "./_recrawl.ts";

const numbers = (n: number) => Array.from({ length: n }, (_, i) => i);

/** The shares of a line, in the order they stand. */
const sharesOf = (line: string) => [...line.matchAll(/ (\d+)%/g)].map(([, share]) => Number(share));
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

Deno.test("every line of a recrawl's summary has true figures", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({
      hosts: 20,
      pages: 300,
      pageBytes: 8000,
      kind: "robots-odd",
    });
    const urls = [
      ...web.expectedUrls(),
      ...numbers(30).map((i) => `http://d${i}.nx.test/`),
      ...numbers(4).map((i) => `http://s${i}.servfail.test/`),
      ...numbers(7).map((i) => web.url(`t${i}.tls-expired.robots-404.test`, "/", "https")),
      ...numbers(3).map((i) => web.url(`p${i}.tarpit.test`)),
      ...numbers(2).map((i) => web.url(`u${i}.robots-503.test`)),
      web.closedUrl("r.good.test"),
      "http://h.good.test:25/",
      web.url("o.tls-plain.test", "/", "https"),
    ];
    writeList(dir, urls);
    const args = recrawlArgs(
      web,
      dir,
      ...["--robots", "--delay", "0", "-j", "32", "--dns-lookups", "16", "--timeout", "4s"],
      ...["--robots-timeout", "4s", "--shard-size", "400KB", "--queue-mb", "4", "--writers", "2"],
      ...["--journal", `${dir}/journal.jsonl`],
    );
    const run = new Ccrawl(args);
    await run.succeeds();
    const rows: CaptureRow[] = await readRows(`${dir}/out`);
    assert.equal(rows.length, urls.length);
    const lines = run.stderr.trim().split("\n").map((line) => line.replace(/^recrawl run: /, ""));
    const line = (start: string) => {
      const found = lines.find((l) => l.startsWith(start));
      assert.ok(found !== undefined, `no line "${start}" in\n${run.stderr}`);
      return found;
    };
    const count = (is: (row: CaptureRow) => boolean) => rows.filter(is).length;
    const reason = (row: CaptureRow) => String(metaOf(row).reason ?? "");
    const disallowed = (row: CaptureRow) =>
      row.error === "skip" && reason(row).startsWith("robots");

    await Deno.stat(`${dir}/journal.jsonl`);
    const parts = listParts(`${dir}/out`).length;
    const fetched = count(({ error }) => error === "");
    const failed = count((row) => row.error !== "" && !disallowed(row));
    assert.ok(parts >= 4);
    const bytes = sum(rows.map(({ body_length }) => body_length));
    assert.equal(
      lines[0],
      `${fetched} fetched, ${failed} failed, ${count(disallowed)} disallowed, ` +
        `${(bytes / 1e6).toFixed(1)} MB, ${parts} parquet files, at part 1 row 0`,
    );
    const kinds = (kind: string) => count((row) => row.error === kind && !disallowed(row));
    assert.equal(
      line("failures by class"),
      `failures by class: dns ${kinds("dns")}, timeout ${kinds("timeout")}, ` +
        `refused ${kinds("refused")}, tls ${kinds("tls")}, skipped ${kinds("skip")}, ` +
        `other ${kinds("other")}`,
    );
    assert.match(line("the unclassified failures"), /, which is 1 of 1$/);

    const refused = count((row) => reason(row) === "robots");
    // A host that must not be asked is one whose robots.txt could not be had, though its page is a skip of its own.
    const unasked = count((row) => ["private-address", "bad-port"].includes(reason(row)));
    const unreachable = count((row) => /robots.txt of/.test(row.meta_json)) - refused + unasked;
    const robots =
      /^robots: (\d+) hosts fetched, (\d+) saved by the cache, (\d+) refused, (\d+) unreach/
        .exec(line("robots: "))!.map(Number);
    // a host without an address is not asked
    assert.equal(robots[2]! + robots[1]!, urls.length - kinds("dns"));
    assert.ok(refused > 100);
    assert.equal(robots[3], count(disallowed));
    assert.equal(robots[4], unreachable);
    const why =
      /dns (\d+), timeout (\d+), refused (\d+), 5xx (\d+), other (\d+) of (\d+) unreachable/
        .exec(line("robots failures"))!.map(Number);
    assert.equal(sum(why.slice(1, 6)), why[6]);

    const dns =
      /^dns: (\d+) hosts looked up, (\d+) answered from the cache, (\d+) unresolved of which (\d+) do not exist, (\d+) open at the busiest of (\d+) allowed$/
        .exec(line("dns: "))!.map(Number);
    const hosts = new Set(urls.map((url) => new URL(url).hostname));
    assert.deepEqual(dns.slice(3, 5), [34, 30]);
    assert.ok(dns[1]! >= hosts.size - 1 && dns[1]! <= hosts.size + 4, line("dns: "));
    assert.ok(dns[5]! >= 1 && dns[5]! <= dns[6]! && dns[6] === 16);

    const workers = line("worker time");
    assert.match(
      workers,
      /^worker time: robots \d+%, host clock \d+%, fetching \d+%, queueing to write \d+%, idle \d+% of 32 workers, with the 2 writers busy \d+% of the run each$/,
    );
    assert.equal(sum(sharesOf(workers).slice(0, 5)), 100);
    const pool = line("extract pool");
    assert.match(
      pool,
      /^extract pool: \d+ wide, rendering \d+% of it, waiting for the sink \d+%, idle \d+%$/,
    );
    assert.equal(sum(sharesOf(pool)), 100);
    assert.ok(sharesOf(pool)[0]! > 0);
    const queues = line("extract queue");
    assert.match(queues, /^extract queue: 2\.1 MB bound, .* write queue: 2\.1 MB bound, /);
    for (const share of sharesOf(queues)) assert.ok(share > 0 && share <= 100, queues);
    const feeder = line("feeder");
    assert.match(
      feeder,
      /^feeder: alive [\d.]+m?s, reading \d+% of it, waiting for a free worker \d+%, [\d.]+ rows a second$/,
    );
    assert.equal(sum(sharesOf(feeder)), 100);
    const [, seconds, rate] =
      /^([\d.]+)s, ([\d.]+) pages a second, [\d.]+ \wB of memory at the peak$/
        .exec(lines.at(-1)!)!.map(Number);
    assert.ok(Math.abs(rate! * seconds! - fetched) < fetched * 0.1, lines.at(-1)!);

    const events = (await Deno.readTextFile(`${dir}/journal.jsonl`)).trim().split("\n")
      .map((text) => JSON.parse(text) as Record<string, unknown>);
    const seals = events.filter(({ event }) => event === "seal");
    assert.deepEqual(seals.map(({ file }) => file).sort(), listParts(`${dir}/out`));
    assert.equal(sum(seals.map(({ records }) => records as number)), rows.length);
    assert.deepEqual([events[0]!.event, events.at(-1)!.event], ["start", "end"]);
  }));

Deno.test("a recrawl that was stopped amid its requests has none in flight", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 1 });
    const from = numbers(3).map((i) => web.url(`t${i}.tarpit.test`));
    const run = recrawl(toward(web, dir, { from, graceMs: 0 }));
    const looking = setInterval(() => {
      if (run.figures.inFlight === from.length) run.stop();
    }, 5);
    await Array.fromAsync(run);
    clearInterval(looking);
    assert.equal(run.figures.inFlight, 0);
  }));
