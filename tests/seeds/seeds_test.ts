import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { _ways } from "../../lib/seeds/_gunzip.ts";
import { rankStats } from "../../lib/seeds/ranks.ts";
import { openRanks, type OpenRanksOptions } from "../../lib/seeds/open.ts";
import { type HostSeed, readSeeds, type SeedOptions } from "../../lib/seeds/seeds.ts";
import { type DataSite, rankLines, startDataSite, writeGzip } from "../web/data_site.ts";

const RELEASE = "cc-main-2026-mar-apr-may";

async function seedsOf(
  open: OpenRanksOptions,
  options: SeedOptions = {},
): Promise<{ seeds: HostSeed[]; lines: HostSeed[]; stats: ReturnType<typeof rankStats> }> {
  const stats = rankStats();
  const seeds: HostSeed[] = [];
  let lines = "";
  const decoder = new TextDecoder();
  for await (const batch of readSeeds((await openRanks(open)).read(), stats, options)) {
    for (let i = 0; i < batch.count; i++) seeds.push(batch.at(i));
    assert.throws(() => batch.at(batch.count), RangeError);
    lines += decoder.decode(batch.lines());
  }
  return {
    seeds,
    stats,
    lines: lines.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line)),
  };
}

function onSite(site: DataSite): OpenRanksOptions {
  return {
    graph: RELEASE,
    dataEndpoint: site.url,
    sleep: () => Promise.resolve(),
  };
}

async function withFile(lines: Iterable<string>, work: (path: string) => Promise<void>) {
  const path = await Deno.makeTempFile({ suffix: ".gz" });
  try {
    await writeGzip(path, lines, { linesPerMember: 20_000, level: 1 });
    await work(path);
  } finally {
    await Deno.remove(path);
  }
}

function* rowsAt(positions: Iterable<number>): Generator<string> {
  for (const p of positions) yield `${p}\t${1000 / p}\t1\t1\tcom.h${p}\n`;
}

Deno.test("readSeeds() gives each host of a table in its order, the same as objects and as JSON lines", () =>
  withFile(rankLines(50_000), async (path) => {
    const { seeds, lines, stats } = await seedsOf({ ranks: path });
    assert.equal(seeds.length, 50_000);
    assert.deepEqual(lines, seeds);
    assert.deepEqual([stats.rows, stats.malformed], [50_000, 0]);
    for (const [i, seed] of seeds.entries()) {
      assert.equal(seed.url, `https://${seed.host}/`);
      assert(seed.host.split(".").some((label) => label.endsWith((i + 1).toString(36))), seed.host);
      assert(i === 0 || seed.priority <= seeds[i - 1]!.priority);
    }
  }));

Deno.test("readSeeds() assumes a rate of 0.5, with which tiers go by position alone", async () => {
  const positions = [1, 100_000, 1_000_000, 1_000_001, 5_000_000, 5_000_001, 1e7, 1e7 + 1, 2e8];
  await withFile(rowsAt(positions), async (path) => {
    const tiers = [2, 2, 2, 3, 3, 4, 4, 5, 5];
    assert.deepEqual((await seedsOf({ ranks: path })).seeds.map((seed) => seed.tier), tiers);
    for (const maxTier of [2, 3, 4, 5] as const) {
      const { seeds, stats } = await seedsOf({ ranks: path }, { maxTier });
      assert.deepEqual(seeds.map((seed) => seed.tier), tiers.filter((tier) => tier <= maxTier));
      assert.equal(stats.rows, positions.length);
    }
  });
});

Deno.test("readSeeds() joins measured rates, which reach tier 1 and leave hosts out", async () => {
  const rates = new Map([["h1.com", 0.81], ["h2.com", 0.8], ["h3.com", 0.1], ["h100001.com", 1]]);
  const lookup = { rateOf: (host: string) => rates.get(host) };
  await withFile(rowsAt([1, 2, 3, 4, 100_001]), async (path) => {
    const { seeds } = await seedsOf({ ranks: path }, { rates: lookup });
    assert.deepEqual(seeds.map((seed) => seed.tier), [1, 2, 4, 2, 2]);
    const first = await seedsOf({ ranks: path }, { rates: lookup, maxTier: 1 });
    assert.deepEqual(first.seeds.map((seed) => seed.host), ["h1.com"]);
    const two = await seedsOf({ ranks: path }, { rates: lookup, maxTier: 2, maxSeeds: 3 });
    assert.deepEqual(two.seeds.map((seed) => seed.host), ["h1.com", "h2.com", "h4.com"]);
  });
});

Deno.test("readSeeds() reads on in a table that is out of order, where a better position may yet come", async () => {
  await withFile(rowsAt([2, 1, 6_000_000, 3]), async (path) => {
    const { seeds, stats } = await seedsOf({ ranks: path }, { maxTier: 2 });
    assert.deepEqual(seeds.map((seed) => seed.host), ["h2.com", "h1.com", "h3.com"]);
    assert.equal(stats.ordered, false);
  });
});

Deno.test("a release's table is read by ranges, and no further than seeds can come", () =>
  withFile(rankLines(120_000), async (path) => {
    await using site = startDataSite();
    const at = site.ranks(RELEASE, path);
    const size = Deno.statSync(path).size;
    assert(size > 3 << 20, "the table has to be larger than what is read");
    const few = await seedsOf(onSite(site), { maxSeeds: 100 });
    assert.equal(few.seeds.length, 100);
    assert(site.sent < 2 << 20, `${site.sent} bytes were sent of ${size}`);
    assert(site.log.every((entry) => entry.path === at && entry.range !== undefined));
    const all = await seedsOf(onSite(site));
    assert.equal(all.seeds.length, 120_000);
    assert.deepEqual(all.seeds.slice(0, 100), few.seeds);
  }));

Deno.test("a download that is cut goes on where it was cut", () =>
  withFile(rankLines(60_000), async (path) => {
    await using site = startDataSite();
    site.ranks(RELEASE, path);
    const whole = (await seedsOf({ ranks: path })).seeds;
    site.fault({ kind: "cut", bytes: 100_000, after: 5, times: 3 });
    site.fault({ kind: "cut", bytes: -1, times: 2 });
    site.fault({ kind: "status", status: 503, retryAfter: "1", times: 2 });
    const { seeds } = await seedsOf(onSite(site));
    assert.deepEqual(seeds, whole);
    const starts = site.log.filter(({ status }) => status === 206)
      .map(({ range }) => Number(/^bytes=(\d+)-/.exec(range!)?.[1] ?? NaN));
    assert(starts.includes(100_000), `asked from ${starts}`);
    assert(site.sent < Deno.statSync(path).size + 600_000, "nothing is sent twice");
  }));

Deno.test("a site that gives no ranges is read too, one that keeps refusing is 75, one without the table says so", () =>
  withFile(rankLines(1000), async (path) => {
    await using site = startDataSite();
    const at = site.ranks(RELEASE, path);
    site.fault({ kind: "ignore-range", times: 1 });
    assert.equal((await seedsOf(onSite(site))).seeds.length, 1000);
    site.fault({ kind: "status", status: 503, times: 1000 });
    await assert.rejects(seedsOf({ ...onSite(site), retryFor: 100 }), { exitCode: 75 });
    await using empty = startDataSite();
    await assert.rejects(seedsOf(onSite(empty)), {
      name: "HubMissingError",
      message: `Cannot read ${empty.url}${at}: the server answers 404`,
    });
    await using wary = startDataSite();
    wary.ranks(RELEASE, path);
    wary.fault({ kind: "status", status: 403 });
    await assert.rejects(seedsOf(onSite(wary)), (error: Error) => {
      assert.match(error.message, /answers 403\. It may hold back who asks too often/);
      assert(!error.message.includes("HF_TOKEN"));
      return true;
    });
  }));

Deno.test("a table may be packed or not, and one that is cut or damaged is told by name", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const text = [...rankLines(20_000)].join("");
    await Deno.writeTextFile(`${dir}/plain`, text);
    const packed = gzipSync(text);
    await Deno.writeFile(`${dir}/packed`, packed);
    const { seeds } = await seedsOf({ ranks: `${dir}/plain` });
    assert.equal(seeds.length, 20_000);
    assert.deepEqual((await seedsOf({ ranks: `${dir}/packed` })).seeds, seeds);
    await Deno.writeFile(`${dir}/cut`, packed.subarray(0, packed.length / 2));
    await assert.rejects(seedsOf({ ranks: `${dir}/cut` }), {
      name: "RankTableError",
      message: /^Cannot read the rank table \S+cut: it is damaged or cut: /,
    });
    // What was asked for came before the damage.
    assert.equal((await seedsOf({ ranks: `${dir}/cut` }, { maxSeeds: 100 })).seeds.length, 100);
    const damaged = Uint8Array.from(packed);
    damaged.fill(0xff, packed.length >> 1, (packed.length >> 1) + 100);
    await Deno.writeFile(`${dir}/damaged`, damaged);
    await assert.rejects(seedsOf({ ranks: `${dir}/damaged` }), { name: "RankTableError" });
    await Deno.writeFile(`${dir}/empty`, new Uint8Array(0));
    assert.equal((await seedsOf({ ranks: `${dir}/empty` })).seeds.length, 0);
    await assert.rejects(seedsOf({ ranks: `${dir}/none` }), {
      name: "RankTableError",
      message: /^Cannot read the rank table \S+none: there is no such file or folder$/,
    });
    const piped = async function* () {
      yield await packed.subarray(0, 1);
      yield packed.subarray(1);
    };
    assert.deepEqual((await seedsOf({ ranks: "-", stdin: piped })).seeds, seeds);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("both ways of unpacking agree on members, padding, cuts and damage, in pieces of any size", async () => {
  const member = (text: string) => Uint8Array.from(gzipSync(text));
  const long = [...rankLines(9000)].join("");
  const cases: Record<string, Uint8Array[]> = {
    "one": [member(long)],
    "many": [member("a"), member(""), member(long), member(long)],
    "padded": [member(long), new Uint8Array(600)],
    "cut": [member(long), member(long).subarray(0, 5000)],
    "cut in a head": [member("a"), member(long).subarray(0, 5)],
    "damaged": [member(long).map((byte, i) => i > 900 && i < 950 ? byte ^ 0x55 : byte)],
  };
  for (const [name, members] of Object.entries(cases)) {
    const bytes = new Uint8Array(await new Blob(members as BlobPart[]).arrayBuffer());
    const outcomes: string[] = [];
    for (const way of Object.values(_ways)) {
      for (const size of [700, 1 << 20]) {
        const pieces = async function* () {
          // One buffer for all, as a reader of files has it.
          const piece = new Uint8Array(size);
          for (let at = 0; at < bytes.length; at += size) {
            const part = bytes.subarray(at, at + size);
            piece.set(part);
            yield await piece.subarray(0, part.length);
          }
        };
        const hash = createHash("sha1");
        let end = "whole";
        try {
          for await (const piece of way("x", pieces())) hash.update(piece);
        } catch (error) {
          assert.match(
            (error as Error).message,
            /^Cannot read the rank table x: it is damaged or cut/,
          );
          end = "damaged";
        }
        outcomes.push(end === "whole" ? hash.digest("hex") : end);
      }
    }
    assert.equal(new Set(outcomes).size, 1, `${name}: ${outcomes}`);
    assert.equal(outcomes[0] === "damaged", /cut|damaged/.test(name), name);
  }
});
