import assert from "node:assert/strict";
import { main } from "../../lib/cli/app.ts";
import { commands } from "../../lib/cli/commands/registry.ts";
import { CCRAWL } from "../engine/_process.ts";
import { withFolder } from "../engine/_crawl.ts";
import { rankLines, startDataSite, writeGzip } from "../web/data_site.ts";
import { startWeb } from "../web/mod.ts";
import { testHost } from "./_host.ts";

interface Result {
  code: number;
  out: string;
  err: string;
}

async function run(args: string[], stdin = ""): Promise<Result> {
  const host = { ...testHost(), stdin: () => new Blob([stdin]).stream() };
  const code = await main(args, host, commands);
  return { code, out: host.out(), err: host.err() };
}

/** The command line of a shell, which pipes need. */
async function shell(script: string): Promise<Result> {
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", script.replaceAll("ccrawl ", `${CCRAWL.map((w) => `'${w}'`).join(" ")} `)],
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

const records = (out: string) =>
  out.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));

Deno.test("crawl seed reads the newest release of a data site, and the same records come in every format", async () => {
  await withFolder(async (dir) => {
    await writeGzip(`${dir}/ranks.gz`, rankLines(3000), { linesPerMember: 1000 });
    await using site = startDataSite();
    site.ranks("cc-main-2026-mar-apr-may", `${dir}/ranks.gz`);
    site.page("/web-graphs", '<a href="/x/cc-main-2026-mar-apr-may">new</a>');
    const seed = ["crawl", "seed", "--data-endpoint", site.url, "--releases-page"];
    seed.push(`${site.url}/web-graphs`, "-n", "2500");
    const plain = await run([...seed, "-o", "jsonl"]);
    assert.equal(plain.code, 0, plain.err);
    assert.match(plain.err, /reading the host ranks of cc-main-2026-mar-apr-may/);
    const seeds = records(plain.out);
    assert.equal(seeds.length, 2500);
    assert.deepEqual(Object.keys(seeds[0]), ["host", "url", "tier", "priority"]);
    assert.deepEqual(JSON.parse((await run([...seed, "-o", "json"])).out), seeds);
    const urls = seeds.map(({ url }) => `${url}\n`).join("");
    assert.equal((await run([...seed, "-o", "url"])).out, urls);
    const tsv = (await run([...seed, "-o", "tsv", "--fields", "priority,host"])).out;
    assert.equal(
      tsv,
      "priority\thost\n" + seeds.map((s) => `${s.priority}\t${s.host}\n`).join(""),
    );
    assert(site.log.every(({ userAgent }) => userAgent!.startsWith("CCrawl/")));
    const capped = await run([...seed, "--max-seeds", "7", "-o", "jsonl"]);
    assert.equal(records(capped.out).length, 7);
  });
});

Deno.test("crawl seed refuses --max-tier 1 without rates before it asks anyone anything", async () => {
  await using site = startDataSite();
  const seed = ["crawl", "seed", "--data-endpoint", site.url, "--releases-page", site.url];
  const refused = await run([...seed, "--max-tier", "1"]);
  assert.equal(refused.code, 2);
  assert.match(refused.err, /--max-tier=1: no host can be in tier 1 without .* change rates/);
  assert.equal(refused.out + site.log.length, "0");
  assert.equal((await run([...seed, "--max-tier", "6"])).code, 2);
});

Deno.test("crawl seed refuses what is no release before it asks anyone anything", async () => {
  const { code, err } = await run(["crawl", "seed", "--graph", "nope"]);
  assert.equal(code, 2);
  assert.match(err, /--graph=nope: not a release/);
});

Deno.test("crawl seed joins --rates of JSON lines, CSV or TSV, and tells of lines that say none", async () => {
  await withFolder(async (dir) => {
    const ranks = `${dir}/ranks`;
    await Deno.writeTextFile(
      ranks,
      "1 9 1 1 com.a\n2 8 1 1 com.b.www\nnonsense\n3 7 1 1 com.c\n4 6 1 1 com.d\n",
    );
    const jsonl =
      '{"host":"a.com","change_rate":0.9}\n# c\n\n{"host":"WWW.b.com","change_rate":1}\n' +
      '{"host":"c.com","change_rate":7}\nx\n{"host":"a.com","change_rate":0.95}\n';
    const csv = "total_urls,host,change_rate\n5,a.com,0.9\n5,www.b.com,0.99\n1,c.com,\n";
    for (const rates of [jsonl, csv, csv.replaceAll(",", "\t")]) {
      const args = ["crawl", "seed", "--ranks", ranks, "--max-tier", "1", "--rates", "-"];
      const { code, out, err } = await run(args, rates);
      assert.equal(code, 0, err);
      assert.deepEqual(records(out).map(({ host, tier }) => [host, tier]), [
        ["a.com", 1],
        ["www.b.com", 1],
      ]);
      assert.match(err, /has no change rate/);
      assert.match(err, /1 of 5 rows is malformed .* line 3: "nonsense"/);
    }
    const none = ["crawl", "seed", "--ranks", ranks, "--rates", `${dir}/none`];
    const missing = await run(none);
    assert.equal(missing.code, 1);
    assert.match(
      missing.err,
      /^ccrawl: Cannot read the change rates \S+none: there is no such file or folder$/m,
    );
    // A list that says no rate at all is another file: its tiers would be those of no list.
    for (const command of [["crawl", "seed"], ["sched", "assign"]]) {
      const args = [...command, "--ranks", ranks, "--rates", "-"];
      const wrong = await run(args, "host\trate\na.com\t0.9\n");
      assert.equal(wrong.code, 1);
      assert.equal(wrong.out, "");
      assert.match(
        wrong.err,
        /^ccrawl: Cannot read the change rates -: not one of its 2 lines says a/m,
      );
      const one = await run(args, "a.com 0.9\n");
      assert.match(
        one.err,
        /^ccrawl: Cannot read the change rates -: its one line is none that says/m,
      );
      // What sched rates writes where nothing was visited twice.
      assert.equal((await run(args, "")).code, 0);
      assert.equal((await run(args, "# none\n")).code, 0);
    }
  });
});

Deno.test("crawl seed says that it found nothing, and that a file is no rank table", async () => {
  await withFolder(async (dir) => {
    await Deno.writeTextFile(`${dir}/far`, "20000000 1 1 1 com.a\n");
    assert.equal(
      (await run(["crawl", "seed", "--ranks", `${dir}/far`, "--max-tier", "4"])).code,
      3,
    );
    await Deno.writeTextFile(`${dir}/other`, "<html>\n<body>\n");
    const other = await run(["crawl", "seed", "--ranks", `${dir}/other`]);
    assert.equal(other.code, 1);
    assert.match(other.err, /not one of its 2 lines is a row/);
    const gone = await run(["crawl", "seed", "--ranks", `${dir}/gone`]);
    assert.equal(gone.code, 1);
    assert.match(gone.err, /^ccrawl: Cannot read the rank table \S+gone: /m);
  });
});

Deno.test("a reader that goes away ends crawl seed, which has read little of its table", async () => {
  await withFolder(async (dir) => {
    await writeGzip(`${dir}/ranks.gz`, rankLines(100_000), { level: 1 });
    await using site = startDataSite();
    site.put("/ranks.gz", `${dir}/ranks.gz`);
    const { code, out, err } = await shell(
      `{ ccrawl crawl seed --ranks ${site.url}/ranks.gz -o jsonl; echo "code $?" >&2; } | head -n 3`,
    );
    assert.equal(code, 0);
    assert.equal(records(out).length, 3);
    assert.equal(err, "code 0\n");
    assert(site.sent < 2 << 20, `${site.sent} bytes were sent`);
  });
});

Deno.test("crawl run takes what crawl seed writes, by a pipe", async () => {
  await using web = await startWeb({ hosts: 3, pages: 3 });
  await withFolder(async (dir) => {
    await Deno.writeTextFile(
      `${dir}/ranks`,
      [1, 2, 3].map((i) => `${i} ${4 - i} 1 1 test.good.h000${i - 1}\n`).join(""),
    );
    const { out, err } = await shell(
      `ccrawl crawl seed --ranks ${dir}/ranks -o jsonl | ccrawl crawl run --seeds - --no-robots ` +
        `--out ${dir}/warc --resolver ${web.resolver} --allow-private --min-free 0 --retries 0`,
    );
    const hosts = records(out).map(({ url }) => new URL(url).hostname).sort();
    assert.deepEqual(hosts, ["h0000.good.test", "h0001.good.test", "h0002.good.test"], err);
  });
});

Deno.test("crawl status without a state is the day's budget", async () => {
  const { code, out } = await run(["crawl", "status", "-o", "jsonl"]);
  assert.equal(code, 0);
  assert.deepEqual(records(out).map((r) => Object.values(r)), [
    [1, 19_872_000, 100_000, 24],
    [2, 44_928_000, 900_000, 72],
    [3, 80_352_000, 4_000_000, 168],
    [4, 25_056_000, 5_000_000, 720],
    [5, 0, 252_000_000, null],
  ]);
  assert.deepEqual(Object.keys(records(out)[0]), [
    "tier",
    "pages_per_day",
    "target_hosts",
    "interval_hours",
  ]);
  assert.equal((await run(["crawl", "status", "--fields", "queued"])).code, 2);
});

Deno.test("sched assign schedules a rank table, seeds, and what sched diff and sched rates write", async () => {
  await withFolder(async (dir) => {
    const ranks = `${dir}/ranks`;
    await Deno.writeTextFile(ranks, "1 9 1 1 com.a\n2000000 8.5 1 1 com.b\n20000000 0 1 1 com.c\n");
    const rates = `${dir}/rates.jsonl`;
    await Deno.writeTextFile(rates, '{"host":"a.com","change_rate":0.9}\n');
    const ranked = await run([
      "sched",
      "assign",
      "--ranks",
      ranks,
      "--rates",
      rates,
      "-o",
      "jsonl",
    ]);
    assert.equal(ranked.code, 0, ranked.err);
    const row = (values: unknown[]) =>
      Object.fromEntries(
        ["host", "harmonic_pos", "harmonic_val", "change_rate", "tier", "interval_h", "score"]
          .map((name, i) => [name, values[i]]),
      );
    assert.deepEqual(records(ranked.out), [
      row(["a.com", 1, 9, 0.9, 1, 24, 0.9 * Math.log(10)]),
      row(["b.com", 2_000_000, 8.5, 0.5, 3, 168, 0.5 * Math.log1p(8.5)]),
      row(["c.com", 20_000_000, 0, 0.5, 5, null, 0]),
    ]);
    const top = await run(["sched", "assign", "--ranks", ranks, "--max-tier", "2"]);
    assert.deepEqual(records(top.out).map(({ host }) => host), ["a.com"]);
    // Its own output is a list of hosts too, and comes back as it was.
    const again = await run(["sched", "assign", "--seeds", "-"], ranked.out);
    assert.deepEqual(records(again.out), records(ranked.out));
    const seeds = await run(["crawl", "seed", "--ranks", ranks]);
    const ofSeeds = await run(
      ["sched", "assign", "--seeds", "-"],
      seeds.out + "nonsense\nnull\n3\n",
    );
    assert.deepEqual(records(ofSeeds.out).map(({ host, tier }) => [host, tier]), [
      ["a.com", 2],
      ["b.com", 3],
      ["c.com", 5],
    ]);
    assert.match(ofSeeds.err, /-:4 has no host: it is no JSON/);
    assert.match(ofSeeds.err, /-:5 has no host: it is no JSON object/);
    const rated =
      '{"host":"x.com","change_rate":0.6}\n{"url":"https://y.com/a","change_rate":0.1}\n';
    assert.deepEqual(
      records((await run(["sched", "assign", "--seeds", "-"], rated)).out)
        .map(({ host, tier, harmonic_pos }) => [host, tier, harmonic_pos]),
      [["x.com", 3, 0], ["y.com", 5, 0]],
    );
    assert.equal((await run(["sched", "assign", "--seeds", "-", "--ranks", ranks])).code, 2);
    assert.equal((await run(["sched", "assign", "--seeds", "-", "--rates", "-"])).code, 2);
    assert.equal((await run(["sched", "assign", "--seeds", "-"])).code, 3);
  });
});
