/** One crawl in a process of its own, so that its CPU and memory are the crawl's alone. Prints JSON. */

import process from "node:process";
import { crawl } from "../../lib/engine/crawl.ts";
import { peakMemory } from "../../lib/report/memory.ts";

/** How often the fetch thread says that it lives, in ms. */
const BEAT_MS = 5;

const [dir, resolvers, seedsFile, maxPages, writers, threads] = Deno.args;
const seeds = (await Deno.readTextFile(seedsFile!)).split("\n").filter((line) => line !== "");
const before = process.cpuUsage();
const start = performance.now();
const run = crawl({
  seeds,
  state: `${dir}/crawl.db`,
  warc: { dir: `${dir}/warc`, writers: Number(writers ?? 1) },
  workers: 64,
  delayMs: 10,
  maxDepth: 1000,
  maxPages: Number(maxPages),
  resolvers: resolvers!.split(","),
  allowPrivate: true,
  minFree: 0,
});
let pages = 0;
let longest = 0, seen = performance.now();
const beat = setInterval(() => {
  const now = performance.now();
  longest = Math.max(longest, now - seen - BEAT_MS);
  seen = now;
}, BEAT_MS);
for await (const record of run) if (record.status === 200) pages++;
clearInterval(beat);
const seconds = (performance.now() - start) / 1000;
const cpu = process.cpuUsage(before);
const byThread: Record<string, number> = {};
if (threads !== undefined) {
  for (const { name } of Deno.readDirSync("/proc/self/task")) {
    const text = Deno.readTextFileSync(`/proc/self/task/${name}/stat`);
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const comm = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
    byThread[`${comm} ${name}`] = (Number(fields[11]) + Number(fields[12])) / 100;
  }
}
console.log(JSON.stringify({
  pages,
  seconds,
  cpuSeconds: (cpu.user + cpu.system) / 1e6,
  systemSeconds: cpu.system / 1e6,
  peakBytes: peakMemory(),
  longestStallMs: longest,
  figures: run.figures,
  byThread,
}));
