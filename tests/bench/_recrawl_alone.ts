/**
 * What a pass cannot do without, on one thread and nothing beside it: each body decoded, digested, rendered, made a
 * row of, and written as Parquet. Prints JSON. Arguments: pages, folder of the pages, file to write.
 *
 * @module
 */

import { createHash } from "node:crypto";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { RowBatch } from "../../lib/capture/codec.ts";
import { captureRow } from "../../lib/capture/row.ts";
import { CaptureWriter } from "../../lib/capture/writer.ts";
import { base32 } from "../../lib/render/_base32.ts";
import { decodeText } from "../../lib/net/charset.ts";
import { decodeBody } from "../../lib/net/decode.ts";
import { loadMainRenderer } from "../../lib/render/render.ts";
import { peakMemory } from "../../lib/report/memory.ts";
import { corpusSources } from "../web/_corpus.ts";

/** What came out. */
export interface AloneResult {
  readonly cpuSeconds: number;
  /** Of it, in {@linkcode CaptureWriter}. */
  readonly writeSeconds: number;
  readonly seconds: number;
  readonly peakBytes: number;
}

if (import.meta.main) {
  const [count, folder, path] = Deno.args;
  const pages = corpusSources(folder!).map((page) => gzipSync(page));
  const render = await loadMainRenderer();
  const writer = new CaptureWriter(path!, { createdBy: "bench" });
  const batch = new RowBatch();
  let spare = new ArrayBuffer(1 << 20);
  let writeMs = 0;
  const cpu = process.cpuUsage(), start = performance.now();
  for (let i = 0; i < Number(count); i++) {
    const url = `https://h${i}.example.org/corpus/${i}`;
    const body = pages[i % pages.length]!;
    const { bytes } = decodeBody(body, "gzip", 64 << 20);
    const digest = base32(createHash("sha1").update(bytes).digest());
    const rendered = render(decodeText(bytes, "text/html; charset=utf-8").text, { url });
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
      digest,
      decodedLength: bytes.length,
      position: { part: 0, row: i },
      rendered,
    }));
    const packed = batch.take(spare);
    const before = performance.now();
    writer.addPacked(packed);
    writeMs += performance.now() - before;
    spare = packed.buffer;
  }
  const before = performance.now();
  writer.finish();
  writeMs += performance.now() - before;
  const { user, system } = process.cpuUsage(cpu);
  const result: AloneResult = {
    cpuSeconds: (user + system) / 1e6,
    writeSeconds: writeMs / 1000,
    seconds: (performance.now() - start) / 1000,
    peakBytes: peakMemory(),
  };
  console.log(JSON.stringify(result));
}
