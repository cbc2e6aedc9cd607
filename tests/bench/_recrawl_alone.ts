/**
 * What a pass cannot do without, and nothing beside it: each body decoded, digested, rendered, made a row of, and
 * written as Parquet, in one loop. Prints JSON. Arguments: pages, folder of the pages, folder to write to, how many
 * such loops share the pages, each on a thread of its own: two threads on one machine are slower than one alone.
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

/** What came out. */
export interface AloneResult {
  /** Of all threads, what starting them takes included. */
  readonly cpuSeconds: number;
  /** Share of the loops' time that was spent writing. */
  readonly writing: number;
  readonly peakBytes: number;
}

interface Share {
  readonly pages: readonly Uint8Array[];
  readonly first: number;
  readonly count: number;
  readonly path: string;
}

/** Does a share; resolves when it is ready, with the work to do. */
async function prepare({ pages, first, count, path }: Share): Promise<() => number> {
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
    for (let i = first; i < first + count; i++) {
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
  const [count, folder, out, width] = Deno.args;
  const pages = corpusSources(folder!).map((page) => gzipSync(page));
  const cpu = process.cpuUsage();
  const threads = Array.from({ length: Number(width) }, () => {
    return new Worker(import.meta.url, { type: "module" });
  });
  const answer = (worker: Worker, message: Share | "go"): Promise<unknown> =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message));
      worker.postMessage(message);
    });
  const each = Math.ceil(Number(count) / threads.length);
  await Promise.all(threads.map((worker, i) =>
    answer(worker, {
      pages,
      first: i * each,
      count: Math.min(each, Number(count) - i * each),
      path: join(out!, `alone${i}.parquet`),
    })
  ));
  const writing = await Promise.all(threads.map((worker) => answer(worker, "go"))) as number[];
  const { user, system } = process.cpuUsage(cpu);
  const result: AloneResult = {
    cpuSeconds: (user + system) / 1e6,
    writing: writing.reduce((sum, share) => sum + share) / threads.length,
    peakBytes: peakMemory(),
  };
  console.log(JSON.stringify(result));
  for (const worker of threads) worker.terminate();
}
