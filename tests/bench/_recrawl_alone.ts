/**
 * What a pass cannot do without, and nothing beside it: each body decoded, digested, rendered, made a row of, and
 * written as Parquet, in one loop. Prints JSON. Several such loops share the pages, each on a thread of its own: two
 * threads on one machine are slower than one alone. The argument is {@linkcode AloneSetup} as JSON.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { RowBatch } from "../../lib/capture/codec.ts";
import { captureRow } from "../../lib/capture/row.ts";
import { CaptureWriter } from "../../lib/capture/writer.ts";
import { decodeText } from "../../lib/net/charset.ts";
import { decodeBody } from "../../lib/net/decode.ts";
import { base32 } from "../../lib/render/_base32.ts";
import { loadMainRenderer } from "../../lib/render/render.ts";
import { peakMemory } from "../../lib/report/memory.ts";
import { corpusSources } from "../web/_corpus.ts";
import { ThreadTimes } from "./_process.ts";

/** What to do. */
export interface AloneSetup {
  /** Of the pages, as the pass fetches them. */
  readonly numbers: readonly number[];
  /** Folder of the pages. */
  readonly pages: string;
  /** Folder to write to. */
  readonly out: string;
  readonly threads: number;
}

/** What came out. */
export interface AloneResult {
  /** Of all threads, what starting them takes included. */
  readonly cpuSeconds: number;
  /** Share of the loops' time that was spent writing. */
  readonly writing: number;
  readonly peakBytes: number;
  /** CPU seconds of the threads with the loops, without the engine's helpers. */
  readonly threads: number;
}

interface Share {
  readonly pages: readonly Uint8Array[];
  readonly numbers: readonly number[];
  readonly path: string;
}

/** Does a share; resolves when it is ready, with the work to do. */
async function prepare({ pages, numbers, path }: Share): Promise<() => number> {
  const render = await loadMainRenderer();
  const batch = new RowBatch();
  let spare = new ArrayBuffer(1 << 20);
  return () => {
    const writer = new CaptureWriter(path, { createdBy: "bench" });
    const begun = performance.now();
    let writing = 0;
    const write = (work: () => void) => {
      const start = performance.now();
      work();
      writing += performance.now() - start;
    };
    for (const i of numbers) {
      const url = `https://h${i}.example.org/corpus/${i}`;
      const body = pages[i % pages.length]!;
      const { bytes } = decodeBody(body, "gzip", 64 << 20);
      batch.add(captureRow({
        url,
        host: `h${i}.example.org`,
        fetchedAt: Date.now(),
        durationMs: 100,
        ttfbMs: 50,
        status: 200,
        ip: "192.0.2.1",
        headers: [["Content-Type", "text/html; charset=utf-8"], ["Content-Encoding", "gzip"]],
        requestHeaders: [["User-Agent", "bench"], ["Accept", "*/*"]],
        body,
        digest: base32(createHash("sha1").update(bytes).digest()),
        decodedLength: bytes.length,
        position: { part: 0, row: i },
        rendered: render(decodeText(bytes, "text/html; charset=utf-8").text, { url }),
      }));
      const packed = batch.take(spare);
      write(() => void writer.addPacked(packed));
      spare = packed.buffer;
    }
    write(() => void writer.finish());
    return writing / (performance.now() - begun);
  };
}

if (import.meta.main && "onmessage" in globalThis) {
  const scope = self as unknown as {
    onmessage: (event: MessageEvent<Share | "go">) => void;
    postMessage(message: unknown): void;
  };
  let work: (() => number) | undefined;
  scope.onmessage = async ({ data }) => {
    if (data === "go") return scope.postMessage(work!());
    work = await prepare(data);
    scope.postMessage("ready");
  };
} else if (import.meta.main) {
  const setup = JSON.parse(Deno.args[0]!) as AloneSetup;
  const pages = corpusSources(setup.pages).map((page) => gzipSync(page));
  const times = new ThreadTimes();
  const cpu = process.cpuUsage();
  const threads = Array.from({ length: setup.threads }, () => {
    return new Worker(import.meta.url, { type: "module" });
  });
  const answer = (worker: Worker, message: Share | "go"): Promise<unknown> =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message));
      worker.postMessage(message);
    });
  await Promise.all(threads.map((worker, i) =>
    answer(worker, {
      pages,
      numbers: setup.numbers.filter((_, at) => at % threads.length === i),
      path: join(setup.out, `alone${i}.parquet`),
    })
  ));
  const writing = await Promise.all(threads.map((worker) => answer(worker, "go"))) as number[];
  const { user, system } = process.cpuUsage(cpu);
  times.sample();
  const result: AloneResult = {
    cpuSeconds: (user + system) / 1e6,
    writing: writing.reduce((sum, share) => sum + share) / threads.length,
    peakBytes: peakMemory(),
    threads: Object.entries(times.seconds)
      .reduce((sum, [name, seconds]) => name.startsWith("worker") ? sum + seconds : sum, 0),
  };
  console.log(JSON.stringify(result));
  for (const worker of threads) worker.terminate();
}
