/**
 * One pass over a list in a process of its own, so that its CPU and memory are the pass's alone. Prints JSON.
 *
 * The argument is {@linkcode OnceSetup} as JSON.
 *
 * @module
 */

import process from "node:process";
import { recrawl } from "../../lib/engine/recrawl.ts";
import { peakMemory } from "../../lib/report/memory.ts";
import { formatRecrawlSummary } from "../../lib/report/recrawl_summary.ts";
import { type Mapped, mappedMemory, ThreadTimes } from "./_process.ts";

/** What to do. */
export interface OnceSetup {
  readonly from: string;
  readonly out: string;
  readonly resolvers: readonly string[];
  readonly caFile: string;
  readonly workers: number;
  readonly writers: number;
  readonly extractors: number;
  readonly timeoutMs: number;
  readonly queueMb: number;
}

/** What came out. */
export interface OnceResult {
  readonly rows: number;
  readonly pages: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  readonly summary: readonly string[];
  /** CPU seconds by kind of thread. */
  readonly threads: Record<string, number>;
  /** Resident memory by kind of mapping, at the sample with the most. */
  readonly mapped: Mapped;
  /** The main thread's heap in that moment. */
  readonly main: { readonly heap: number; readonly external: number };
  readonly queues: { readonly extract: number; readonly write: number };
}

if (import.meta.main) {
  const setup = JSON.parse(Deno.args[0]!) as OnceSetup;
  const threads = new ThreadTimes();
  const run = recrawl({
    from: setup.from,
    out: setup.out,
    state: `${setup.out}/state.json`,
    workers: setup.workers,
    writers: setup.writers,
    extractors: setup.extractors,
    queueBytes: setup.queueMb * 2 ** 20,
    timeoutMs: setup.timeoutMs,
    resolvers: setup.resolvers,
    caCerts: [Deno.readTextFileSync(setup.caFile)],
    allowPrivate: true,
    minFree: 0,
  });
  let most = 0, mapped: Mapped = {}, main = { heap: 0, external: 0 };
  const sample = () => {
    threads.sample();
    const { rss, heapTotal, external } = Deno.memoryUsage();
    // Looking at every mapping costs milliseconds.
    if (rss <= most * 1.03) return;
    most = rss;
    mapped = mappedMemory();
    main = { heap: heapTotal, external };
  };
  const timer = setInterval(sample, 1000);
  const cpu = process.cpuUsage(), start = performance.now();
  let rows = 0;
  for await (const _ of run) rows++;
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(timer);
  const { figures } = run;
  const result: OnceResult = {
    rows,
    pages: figures.fetched,
    bytes: figures.bytes,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    peakBytes: peakMemory(),
    summary: formatRecrawlSummary(figures),
    threads: threads.seconds,
    mapped,
    main,
    queues: { extract: figures.extract?.queue.peakBytes ?? 0, write: figures.queue.peakBytes },
  };
  console.log(JSON.stringify(result));
}
