import assert from "node:assert/strict";
import { diffSnapshots, diffStats } from "../../lib/sched/diff.ts";
import type { DiffOptions } from "../../lib/sched/diff.ts";
import { withFolder } from "../engine/_crawl.ts";
import { startDataSite } from "../web/data_site.ts";
import {
  expectedChanges,
  generator,
  randomSnapshots,
  type SnapshotRow,
  type SnapshotShape,
  writeSnapshot,
} from "./_snapshots.ts";

type Changes = Map<string, { total: number; changed: number }>;

async function diff(
  older: string,
  newer: string,
  options: DiffOptions = {},
): Promise<{ hosts: Changes; stats: ReturnType<typeof diffStats>; messages: string[] }> {
  const stats = diffStats();
  const messages: string[] = [];
  const hosts: Changes = new Map();
  const found = diffSnapshots(older, newer, stats, {
    path: "",
    onMessage: (text) => messages.push(text),
    ...options,
  });
  for await (const { host, total, changed } of found) {
    assert(!hosts.has(host), `${host} comes once`);
    hosts.set(host, { total, changed });
  }
  return { hosts, stats, messages };
}

const sorted = (changes: Changes) => [...changes].sort(([a], [b]) => a < b ? -1 : 1);

async function withSnapshots(
  rows: readonly [readonly SnapshotRow[], readonly SnapshotRow[]],
  shapes: readonly [SnapshotShape, SnapshotShape],
  work: (older: string, newer: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (dir) => {
    await writeSnapshot(`${dir}/older.parquet`, rows[0], shapes[0]);
    await writeSnapshot(`${dir}/newer.parquet`, rows[1], shapes[1]);
    await work(`${dir}/older.parquet`, `${dir}/newer.parquet`);
  });
}

Deno.test("diffSnapshots() comes to what comparing plainly comes to, however the snapshots are stored", async () => {
  const random = generator(1);
  const shapes: SnapshotShape[] = [
    {},
    { pageSize: 300, rowGroupSize: 177, codec: "GZIP", boundBytes: 12 },
    { pageSize: 1000, codec: "SNAPPY", nullable: true },
    { pageSize: 2000, codec: "UNCOMPRESSED", rowGroupSize: 1000 },
    { pageSize: 500, statistics: false, pageIndex: false },
  ];
  for (let round = 0; round < 8; round++) {
    const rows = randomSnapshots(random, 30 + 60 * round);
    const expected = sorted(expectedChanges(...rows));
    const pick = () => shapes[Math.floor(random() * shapes.length)]!;
    await withSnapshots(rows, [pick(), pick()], async (older, newer) => {
      const { hosts, stats } = await diff(older, newer, { way: "merge" });
      assert.deepEqual(sorted(hosts), expected);
      const sum = (key: "total" | "changed") => expected.reduce((n, [, c]) => n + c[key], 0);
      assert.deepEqual([stats.compared, stats.changed], [sum("total"), sum("changed")]);
      assert.deepEqual(sorted((await diff(older, newer, { way: "sort" })).hosts), expected);
    });
  }
});

Deno.test("snapshots that are in no order are sorted on disk, and that is said", async () => {
  const rows = randomSnapshots(generator(2), 400);
  const expected = sorted(expectedChanges(...rows));
  const shapes: [SnapshotShape, RegExp][] = [
    [{ keyed: false, sorted: false, digest: "digest" }, /it has no column url_surtkey$/],
    [{ sorted: false, rowGroupSize: 50 }, /the row groups of \S+ overlap$/],
  ];
  for (const [shape, why] of shapes) {
    await withSnapshots(rows, [{}, shape], async (older, newer) => {
      const { hosts, messages } = await diff(older, newer);
      assert.deepEqual(sorted(hosts), expected);
      assert(messages.some((text) => why.test(text)), messages.join("\n"));
      assert(messages.some((text) => /^sorting [\d,]+ rows of .* on disk$/.test(text)));
      await assert.rejects(diff(older, newer, { way: "merge" }), { name: "SnapshotError" });
    });
  }
  // Where no footer tells, reading does.
  const silent = { sorted: false, statistics: false, pageIndex: false };
  await withSnapshots(rows, [{}, silent], async (older, newer) => {
    await assert.rejects(diff(older, newer), {
      name: "SnapshotOrderError",
      message: /^Cannot compare the newer snapshot in one pass: .* --way sort\.$/,
    });
    assert.deepEqual(sorted((await diff(older, newer, { way: "sort" })).hosts), expected);
  });
});

Deno.test("a snapshot of several files is read in the order of their keys, of an index only its pages", async () => {
  const rows = randomSnapshots(generator(3), 600);
  const expected = sorted(expectedChanges(...rows));
  const { surt } = await import("../../lib/url/surt.ts");
  await withFolder(async (dir) => {
    const [older, newer] = rows;
    await writeSnapshot(`${dir}/older.parquet`, older);
    const byKey = newer.map((row) => ({ row, key: surt(row.url) }))
      .sort((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0).map(({ row }) => row);
    const folder = `${dir}/crawl=CC-MAIN-2026-17/subset=warc`;
    await Deno.mkdir(folder, { recursive: true });
    const third = Math.ceil(byKey.length / 3);
    // Names that are not in the keys' order.
    for (const [i, name] of ["c", "a", "b"].entries()) {
      const part = byKey.slice(i * third, (i + 1) * third);
      await writeSnapshot(`${folder}/${name}.parquet`, part, { pageSize: 1000 });
    }
    const others = `${dir}/crawl=CC-MAIN-2026-17/subset=robotstxt`;
    await Deno.mkdir(others);
    await writeSnapshot(`${others}/x.parquet`, [{ url: "https://zzz.example/", digest: "X" }]);
    const { hosts, messages } = await diff(`${dir}/older.parquet`, `${dir}/crawl=CC-MAIN-2026-17`);
    assert.deepEqual(sorted(hosts), expected);
    assert.deepEqual(messages, []);
  });
});

Deno.test("with hosts and domains, row groups and pages of others are not read, and the rest comes out the same", async () => {
  const random = generator(4);
  const rows = randomSnapshots(random, 400);
  const far = Array.from({ length: 6000 }, (_, i) => ({
    url: `https://h${i}.example.net/${i}`,
    digest: `D${i}`,
  }));
  for (const side of rows) side.push(...far);
  const all = expectedChanges(...rows);
  const cases: [DiffOptions, (host: string) => boolean][] = [
    [{ hosts: ["www.example.com"] }, (host) => host === "www.example.com"],
    [{ hosts: ["www3288.com", "1.2.3.4"] }, (host) => /^www3288|^1\.2/.test(host)],
    [{ domains: ["example.com"] }, (host) => /(^|\.)example\.com$/.test(host)],
    [
      { domains: ["a.example.com"], hosts: ["examplea.com"] },
      (host) => /(^|\.)a\.example\.com$|^examplea/.test(host),
    ],
  ];
  const shape = { pageSize: 2000, rowGroupSize: 1000 };
  await withSnapshots(rows, [shape, shape], async (older, newer) => {
    for (const [selection, belongs] of cases) {
      const expected = sorted(all).filter(([host]) => belongs(host));
      assert(expected.length > 0);
      for (const way of ["merge", "sort"] as const) {
        const { hosts, messages, stats } = await diff(older, newer, { ...selection, way });
        assert.deepEqual(sorted(hosts), expected);
        assert.match(
          messages[0]!,
          /^[\d,]+ of [\d,]+ rows are read: the others are of other hosts$/,
        );
        if (way === "merge") assert(stats.rows < rows[0].length / 2, `${stats.rows} rows`);
      }
    }
  });
});

Deno.test("an index on a data site is read by ranges, a crawl by its list, and little of it for one host", async () => {
  const rows = Array.from({ length: 48_000 }, (_, i) => ({
    url: `https://h${String(i >> 5).padStart(6, "0")}.example/${(i * 7919) % 1_000_003}/${i}`,
    digest: `D${i * 31 % 65_537}`,
  }));
  await withFolder(async (dir) => {
    await writeSnapshot(`${dir}/a.parquet`, rows, { pageSize: 16_000, rowGroupSize: 8_000 });
    const size = Deno.statSync(`${dir}/a.parquet`).size;
    await using site = startDataSite();
    for (
      const [crawl, packed] of [["CC-MAIN-2026-13", true], ["CC-MAIN-2026-17", false]] as const
    ) {
      const path = `cc-index/table/cc-main/warc/crawl=${crawl}/subset=warc/part-0.gz.parquet`;
      site.put(`/${path}`, `${dir}/a.parquet`);
      const text = new TextEncoder().encode(`${path}\n${path.replace("=warc", "=robotstxt")}\n`);
      const { gzipSync } = await import("node:zlib");
      const list = packed ? new Uint8Array(gzipSync(text)) : text;
      site.put(`/crawl-data/${crawl}/cc-index-table.paths.gz`, list);
    }
    const options = { dataEndpoint: `${site.url}/`, hosts: ["h000300.example"] };
    site.fault({ kind: "cut", bytes: 1000, after: 4, times: 2 });
    const { hosts, stats } = await diff("CC-MAIN-2026-13", "CC-MAIN-2026-17", {
      ...options,
      sleep: () => Promise.resolve(),
    });
    assert.deepEqual([...hosts], [["h000300.example", { total: 32, changed: 0 }]]);
    assert(stats.rows < 3000, `${stats.rows} rows`);
    assert(site.sent < 2 * size / 2, `${site.sent} bytes of ${2 * size}`);
    assert(site.log.every(({ range, path }) => range !== undefined || path.endsWith(".gz")));
    const url = `${site.url}/cc-index/table/cc-main/warc/crawl=CC-MAIN-2026-13/subset=warc/` +
      `part-0.gz.parquet`;
    const whole = await diff(url, `${dir}/a.parquet`);
    assert.equal(whole.stats.compared, 48_000);
    await assert.rejects(diff("CC-MAIN-2020-01", `${dir}/a.parquet`, options), {
      name: "HubMissingError",
    });
  });
});

Deno.test("snapshots that cannot be compared are told by name", async () => {
  await withFolder(async (dir) => {
    const good = `${dir}/good.parquet`;
    await writeSnapshot(good, [{ url: "https://a.example/", digest: "A" }]);
    await Deno.mkdir(`${dir}/empty`);
    await Deno.writeTextFile(`${dir}/text.parquet`, "no Parquet file, but long enough for one");
    const bytes = await Deno.readFile(good);
    await Deno.writeFile(`${dir}/cut.parquet`, bytes.subarray(0, bytes.length - 9));
    const cases: [string, RegExp][] = [
      [`${dir}/none`, /^Cannot compare \S+none: there is no such file or folder$/],
      [`${dir}/empty`, /there are no \.parquet files in it$/],
      [`${dir}/text.parquet`, /^Cannot compare \S+text\.parquet: it is no Parquet file/],
      [`${dir}/cut.parquet`, /^Cannot compare \S+cut\.parquet: it is no Parquet file, or is cut/],
    ];
    for (const [place, message] of cases) {
      await assert.rejects(diff(place, good), { message });
      await assert.rejects(diff(good, place), { message });
    }
    const { hosts } = await diff(good, good, { minUrls: 2 });
    assert.equal(hosts.size, 0);
  });
});

Deno.test("a comparison that is told to stop does, also while it sorts", async () => {
  const rows = randomSnapshots(generator(7), 500);
  await withSnapshots(rows, [{ pageSize: 500 }, { pageSize: 500 }], async (older, newer) => {
    for (const way of ["merge", "sort"] as const) {
      const stop = new AbortController();
      stop.abort(new Error("enough"));
      await assert.rejects(diff(older, newer, { way, signal: stop.signal }), { message: "enough" });
    }
  });
});

Deno.test("a column that holds no strings is not said to be missing", async () => {
  await withFolder(async (dir) => {
    const { parquetWriteBuffer } = await import("hyparquet-writer");
    const write = async (name: string, numbers: string) => {
      const columnData = ["url_surtkey", "url", "content_digest"].map((column) =>
        column === numbers
          ? { name: column, data: [1, 2], type: "INT32" as const }
          : { name: column, data: ["https://a.example/1", "b"], type: "STRING" as const }
      );
      await Deno.writeFile(`${dir}/${name}`, new Uint8Array(parquetWriteBuffer({ columnData })));
      return `${dir}/${name}`;
    };
    const good = await write("good.parquet", "");
    for (const column of ["url", "content_digest"]) {
      const odd = await write(`${column}.parquet`, column);
      await assert.rejects(diff(good, odd), {
        message: `Cannot compare ${odd}: its column "${column}" holds no strings. A snapshot has ` +
          "url and content_digest, or url and digest.",
      });
    }
    const keyed = await write("keyed.parquet", "url_surtkey");
    const { messages } = await diff(good, keyed);
    assert(messages.some((text) => text.endsWith("its column url_surtkey holds no strings")));
  });
});
