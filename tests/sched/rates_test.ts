import assert from "node:assert/strict";
import { changedShare, VisitHistory } from "../../lib/sched/estimate.ts";
import { type EstimatedRate, type EstimateOptions, estimateRates } from "../../lib/sched/rates.ts";
import { RateStore } from "../../lib/sched/rate_store.ts";
import { type BadRate, readHostRates, readHostTallies } from "../../lib/sched/rates_file.ts";
import { withFolder } from "../engine/_crawl.ts";
import { generator } from "./_snapshots.ts";

const DAY = 86_400_000;

interface Visit {
  url: string;
  host: string;
  digest: string;
  at: number;
  status?: number;
}

async function writeCaptures(path: string, visits: readonly Visit[]): Promise<void> {
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  const text = (name: string, data: string[]) => ({ name, data, type: "STRING" as const });
  const bytes = parquetWriteBuffer({
    columnData: [
      text("url", visits.map(({ url }) => url)),
      text("host", visits.map(({ host }) => host)),
      { name: "status", type: "INT32", data: visits.map(({ status }) => status ?? 200) },
      { name: "fetched_at", type: "INT64", data: visits.map(({ at }) => BigInt(at)) },
      text("digest", visits.map(({ digest }) => digest)),
    ],
  });
  await Deno.writeFile(path, new Uint8Array(bytes));
}

async function ratesOf(
  inputs: Parameters<typeof estimateRates>[0],
  options: EstimateOptions = {},
): Promise<EstimatedRate[]> {
  const found: EstimatedRate[] = [];
  for await (const rate of estimateRates(inputs, options)) found.push(rate);
  return found;
}

Deno.test("estimateRates() compares each URL's captures in the order of their times, whatever file they are in", async () => {
  await withFolder(async (dir) => {
    const url = "https://a.example/1";
    const page = (digest: string, day: number, more: Partial<Visit> = {}): Visit => ({
      ...{ url, host: "a.example", digest, at: 1000 * DAY + day * DAY },
      ...more,
    });
    await writeCaptures(`${dir}/b.parquet`, [
      page("A", 1),
      page("B", 10),
      page("B", 14, { status: 304 }),
      page("X", 12, { status: 500 }),
      page("", 13, { status: 0 }),
      page("Q", 1, { url: "https://a.example/2" }),
      page("Q", 1, { url: "https://a.example/2" }),
      page("Z", 1, { url: "https://once.example/", host: "once.example" }),
    ]);
    await writeCaptures(`${dir}/a.parquet`, [
      page("A", 3),
      page("Q", 6, { url: "https://a.example/2" }),
    ]);
    const history = new VisitHistory();
    for (const [days, changed] of [[2, false], [7, true], [4, false], [5, false]] as const) {
      history.add(days, changed);
    }
    const perDay = history.changesPerDay();
    assert.deepEqual(await ratesOf([{ path: dir }], { days: 7 }), [{
      host: "a.example",
      totalUrls: 2,
      visits: 4,
      changedVisits: 1,
      changesPerDay: perDay,
      rate: changedShare(perDay, 7),
    }]);
    assert.deepEqual(await ratesOf([{ path: dir }], { minVisits: 5 }), []);
    const one = await ratesOf([{ path: `${dir}/b.parquet` }]);
    assert.deepEqual(one.map(({ visits }) => visits), [2]);
  });
});

Deno.test("estimateRates() takes a history of diffs, and diffs and captures together", async () => {
  await withFolder(async (dir) => {
    await Deno.writeTextFile(
      `${dir}/may.jsonl`,
      '{"host":"a.example","total_urls":10,"changed_urls":4,"change_rate":0.4,"tier":4}\n' +
        '{"host":"still.example","total_urls":3,"changed_urls":0}\nnonsense\n' +
        '{"host":"b","total_urls":3,"changed_urls":4}\n',
    );
    await Deno.writeTextFile(
      `${dir}/june.csv`,
      "host,total_urls,changed_urls,change_rate,tier\na.example,12,9,0.75,3\n",
    );
    const bad: [string, BadRate][] = [];
    const inputs = [{ path: `${dir}/may.jsonl`, days: 28 }, { path: `${dir}/june.csv` }];
    const found = await ratesOf(inputs, { onBad: (path, line) => bad.push([path, line]) });
    const history = new VisitHistory();
    history.add(28, true, 4);
    history.add(28, false, 6);
    history.add(30, true, 9);
    history.add(30, false, 3);
    assert.deepEqual(
      found.map(({ host, totalUrls, visits, changedVisits, changesPerDay, rate }) => [
        ...[host, totalUrls, visits, changedVisits],
        ...[changesPerDay.toFixed(9), rate.toFixed(9)],
      ]),
      [
        [
          ...["a.example", 12, 22, 13],
          history.changesPerDay().toFixed(9),
          changedShare(history.changesPerDay(), 30).toFixed(9),
        ],
        ["still.example", 3, 3, 0, "0.000000000", "0.000000000"],
      ],
    );
    assert.deepEqual(bad.map(([path, { line }]) => [path, line]), [
      [`${dir}/may.jsonl`, 3],
      [`${dir}/may.jsonl`, 4],
    ]);
    await writeCaptures(`${dir}/captures.parquet`, [
      { url: "https://a.example/", host: "a.example", digest: "A", at: DAY },
      { url: "https://a.example/", host: "a.example", digest: "B", at: 2 * DAY },
    ]);
    const both = await ratesOf([...inputs, { path: `${dir}/captures.parquet` }]);
    assert.deepEqual([both[0]!.visits, both[0]!.changedVisits], [23, 14]);
    await Deno.writeTextFile(`${dir}/other.csv`, "host,changed\na.example,3\n");
    await assert.rejects(ratesOf([...inputs, { path: `${dir}/other.csv` }]), {
      name: "RatesError",
      message: /other\.csv: not one of its 2 lines says what changed on a host/,
    });
    await assert.rejects(ratesOf([{ path: `${dir}/none` }]), {
      name: "RatesError",
      message: /^Cannot read the change rates \S+none: /,
    });
  });
});

Deno.test("captures of simulated hosts give the rates that they were made with", async () => {
  const random = generator(21);
  const truth = new Map([["never.example", 0], ["rare.example", 0.02], ["daily.example", 1]]);
  truth.set("often.example", 0.3);
  const visits: Visit[] = [];
  for (const [host, rate] of truth) {
    for (let page = 0; page < 150; page++) {
      let day = 1000;
      let version = 0;
      for (let pass = 0; pass < 12; pass++) {
        const gap = -4 * Math.log(1 - random());
        day += gap;
        if (rate > 0 && -Math.log(1 - random()) / rate < gap) version++;
        visits.push({
          url: `https://${host}/${page}`,
          host,
          digest: `V${version}`,
          at: Math.round(day * DAY),
        });
      }
    }
  }
  // Passes lie in files by time, not by page.
  visits.sort((a, b) => a.at - b.at);
  await withFolder(async (dir) => {
    for (let i = 0; i < 4; i++) {
      const part = visits.slice(i * visits.length / 4, (i + 1) * visits.length / 4);
      await writeCaptures(`${dir}/part-${i}.parquet`, part);
    }
    const found = await ratesOf([{ path: dir }]);
    assert.deepEqual(found.map(({ host }) => host), [...truth.keys()].sort());
    for (const { host, changesPerDay, totalUrls } of found) {
      assert.equal(totalUrls, 150);
      const wanted = truth.get(host)!;
      if (wanted === 0) assert.equal(changesPerDay, 0);
      else assert(Math.abs(changesPerDay / wanted - 1) < 0.2, `${host}: ${changesPerDay}`);
    }
  });
});

Deno.test("RateStore holds hosts in whatever order they come, and of each the last rate", async () => {
  const random = generator(22);
  const rates = new Map<string, number>();
  const list: { host: string; rate: number }[] = [];
  for (let i = 0; i < 20_000; i++) {
    const host = `h${Math.floor(random() * 15_000)}.example`;
    const rate = random();
    rates.set(host, rate);
    list.push({ host, rate });
  }
  const source = async function* () {
    for (const rate of list) yield await rate;
  };
  using store = await RateStore.load("list", source());
  assert.equal(store.hosts, rates.size);
  for (let i = 0; i < 15_000; i++) {
    assert.equal(store.rateOf(`h${i}.example`), rates.get(`h${i}.example`));
  }
  assert.equal(store.rateOf(""), undefined);
});

Deno.test("lists of rates and tallies say what is wrong with a line, and go on", async () => {
  const text = "nothing\nhost\tchange_rate\na.example\t0.5\n\t0.5\nb.example\t\nc.example\t1.01\n" +
    '{"host":"D.example","change_rate":0}\n{"host":"e","change_rate":"1"}\n{\n"q.example"\t"1"\n';
  const bytes = async function* () {
    yield await new TextEncoder().encode(text);
  };
  const bad: number[] = [];
  const rates: unknown[] = [];
  for await (const rate of readHostRates(bytes(), ({ line }) => bad.push(line))) rates.push(rate);
  assert.deepEqual(rates, [
    { host: "a.example", rate: 0.5 },
    { host: "d.example", rate: 0 },
    { host: "q.example", rate: 1 },
  ]);
  assert.deepEqual(bad, [1, 4, 5, 6, 8, 9]);
  const tallies: unknown[] = [];
  const columns = async function* () {
    yield await new TextEncoder().encode(
      "changed_urls,host,total_urls\n1,a.example,2\n3,a.example,2\n0,a.example,0\n-1,a.example,2\n",
    );
  };
  const none = () => bad.push(0);
  for await (const tally of readHostTallies(columns(), none)) tallies.push(tally);
  assert.deepEqual(tallies, [{ host: "a.example", total: 2, changed: 1 }]);
  assert.equal(bad.length, 9);
});
