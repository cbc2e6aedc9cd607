// Admissions and pops of the frontier at a size, beside a plain table in the same run:
//   deno run -A tests/bench/frontier_bench.ts [URLs] [URLs a host] [seen MB]
// Half of the offers are of URLs that are known. They are offered as links are, not as seeds.
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { FrontierEngine } from "../../lib/frontier/engine.ts";

const total = Number(Deno.args[0] ?? 1_000_000);
const perHost = Number(Deno.args[1] ?? 100);
const seenBytes = Number(Deno.args[2] ?? 512) << 20;
const folder = Deno.makeTempDirSync({ prefix: "frontier-bench-" });
const encoder = new TextEncoder();
const BATCH = 1000;

const mix = (a: number) => {
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b);
  a = Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return (a ^ (a >>> 16)) >>> 0;
};
const hosts = Math.max(1, Math.floor(total / perHost));
// A few hosts hold most URLs, as on the web; with one URL a host, each its own.
function urlOf(id: number): string {
  const u = mix(id ^ 0x5bd1e995) / 2 ** 32;
  const host = perHost === 1 ? id : Math.floor(hosts * u * u);
  return `https://h${host}.example.com/some/path/${id}/article-title-goes-here-${id % 1000}.html`;
}
let random = 12345;
const next = () => (random = (Math.imul(random, 1664525) + 1013904223) >>> 0) / 2 ** 32;
let fresh = 0;
function batch(): Uint8Array {
  const urls: string[] = [];
  for (let i = 0; i < BATCH; i++) {
    urls.push(
      urlOf(fresh > 0 && next() < 0.5 ? Math.floor(next() * fresh) : fresh++),
    );
  }
  return encoder.encode(urls.join("\n"));
}

// Processor time beside wall time, since a busy machine stretches only the latter.
class Meter {
  ms = 0;
  cpuMs = 0;
  #start = 0;
  #cpu = process.cpuUsage();
  start(): void {
    this.#start = performance.now();
    this.#cpu = process.cpuUsage();
  }
  stop(): void {
    this.ms += performance.now() - this.#start;
    const { user, system } = process.cpuUsage(this.#cpu);
    this.cpuMs += (user + system) / 1000;
  }
  rates(count: number): { perSecond: number; perCpuSecond: number } {
    return {
      perSecond: Math.round(count / this.ms * 1000),
      perCpuSecond: Math.round(count / this.cpuMs * 1000),
    };
  }
}

// The fixed thing to compare with: the same stream into a plain table.
function plain(offers: number): { perSecond: number; perCpuSecond: number } {
  const db = new DatabaseSync(`${folder}/plain.db`);
  db.exec(
    "pragma journal_mode = wal; pragma synchronous = full; create table t(url text primary key) without rowid",
  );
  const insert = db.prepare("insert or ignore into t values(?)");
  const batches = Array.from(
    { length: offers / BATCH },
    () => new TextDecoder().decode(batch()).split("\n"),
  );
  const meter = new Meter();
  meter.start();
  for (let i = 0; i < batches.length; i++) {
    if (i % 20 === 0) db.exec("begin");
    for (const url of batches[i]!) insert.run(url);
    if (i % 20 === 19 || i === batches.length - 1) db.exec("commit");
  }
  meter.stop();
  db.close();
  fresh = 0;
  random = 12345;
  return meter.rates(offers);
}

const plainRate = plain(200_000);
const path = `${folder}/state.db`;
let engine = new FrontierEngine({ path, seenBytes });
const priorities = new Float64Array(BATCH).fill(1),
  depths = new Uint32Array(BATCH);
// The longest of each, by the clock; and of a commit by the processor, its collector's threads too.
let longest = 0, longestCpu = 0, longestPut = 0, peak = 0;
const commit = () => {
  const start = performance.now(), cpu = process.cpuUsage();
  engine.commit();
  longest = Math.max(longest, performance.now() - start);
  const { user, system } = process.cpuUsage(cpu);
  longestCpu = Math.max(longestCpu, (user + system) / 1000);
  engine.work(25);
  peak = Math.max(peak, Deno.memoryUsage().rss);
};

let offers = 0;
const put = new Meter();
while (fresh < total) {
  const bytes = batch();
  put.start();
  const start = performance.now();
  engine.putBytes(bytes, priorities, depths, false);
  longestPut = Math.max(longestPut, performance.now() - start);
  offers += BATCH;
  if (engine.full) commit();
  put.stop();
}
put.start();
commit();
while (engine.work(25)) commit();
commit();
put.stop();
const admitted = engine.stats();
const rates = put.rates(offers);
const table: [what: string, value: number | string][] = [
  ["URLs admitted, of offers", `${admitted.known} of ${offers}`],
  ["hosts", admitted.hosts],
  ["offers a processor second", rates.perCpuSecond],
  [
    "  times a plain table's",
    (rates.perCpuSecond / plainRate.perCpuSecond).toFixed(2),
  ],
  ["offers a second", rates.perSecond],
  ["admissions a processor second", put.rates(admitted.known).perCpuSecond],
  ["bytes of disk a URL", (admitted.diskBytes / admitted.known).toFixed(1)],
  ["bytes of seen set a URL", (admitted.seenBytes / admitted.known).toFixed(1)],
  ["memory at its peak, MB (process)", Math.round(peak / 1e6)],
  [
    "longest commit, ms (processor, clock)",
    `${Math.round(longestCpu)}, ${Math.round(longest)}`,
  ],
  [`longest offer of ${BATCH}, ms (clock)`, Math.round(longestPut)],
];

engine.close();
const opening = new Meter();
opening.start();
engine = new FrontierEngine({ path, seenBytes });
opening.stop();

longest = longestCpu = peak = 0;
const wanted = Math.min(300_000, total);
let pops = 0;
const popping = new Meter();
popping.start();
while (pops < wanted) {
  const leases = engine.claim(64, 16);
  if (leases.length === 0) break;
  const ends = [];
  for (const { urls } of leases) {
    for (const { id } of urls) {
      ends.push({
        id,
        outcome: "done" as const,
        status: 200,
        error: "",
        reason: "",
        warcFile: "ccrawl-00001.warc.gz",
        warcOffset: pops * 1000,
      });
    }
  }
  pops += ends.length;
  engine.complete(ends);
  engine.releaseHosts(
    leases.map(({ host }) => ({ host, notBefore: 0, unused: [] })),
  );
  if (engine.full) commit();
}
commit();
popping.stop();
const popRates = popping.rates(pops);
table.push(
  [
    "opening, ms (processor, clock)",
    `${Math.round(opening.cpuMs)}, ${Math.round(opening.ms)}`,
  ],
  ["pops a processor second", popRates.perCpuSecond],
  ["pops a second", popRates.perSecond],
  ["memory at its peak, MB (process)", Math.round(peak / 1e6)],
  [
    "longest commit, ms (processor, clock)",
    `${Math.round(longestCpu)}, ${Math.round(longest)}`,
  ],
  ["plain table: offers a processor second", plainRate.perCpuSecond],
);
for (const [what, value] of table) console.log(`${what.padEnd(40)} ${value}`);
engine.close();
Deno.removeSync(folder, { recursive: true });
