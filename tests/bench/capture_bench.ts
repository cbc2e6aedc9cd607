/**
 * What writing captures costs, beside zstd alone on the same bytes, and what it holds.
 *
 * Rows have the shape of real ones: `CCRAWL_CORPUS` gives the pages, whose markup is the body and
 * whose expected content stands for Markdown and text; without it they are made up. One run writes
 * bodies as they are, another as a server sends them, gzipped. Arguments: rows, repeats.
 *
 * @module
 */

import { join } from "node:path";
import process from "node:process";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import { decodeRows, type NewCaptureRow, RowBatch } from "../../lib/capture/codec.ts";
import { bodyDigest } from "../../lib/capture/digest.ts";
import { captureRow } from "../../lib/capture/row.ts";
import { CAPTURE_COLUMNS } from "../../lib/capture/schema.ts";
import { CaptureWriter } from "../../lib/capture/writer.ts";

const ROWS = Number(Deno.args[0] ?? 2000), REPEATS = Number(Deno.args[1] ?? 3);
const BATCH_ROWS = 8;
const OPTIONS = {
  chunkSize: 1 << 18,
  params: { [constants.ZSTD_c_compressionLevel]: 3 },
} as const;

interface Page {
  readonly html: Uint8Array;
  readonly gzipped: Uint8Array;
  readonly content: string;
}

function pages(): Page[] {
  const corpus = Deno.env.get("CCRAWL_CORPUS");
  const found: Page[] = [];
  if (corpus === undefined) {
    console.log("Without CCRAWL_CORPUS the pages are made up, and compress better than real ones.");
    for (let i = 0; i < 40; i++) {
      const content = Array.from(
        { length: 900 },
        (_, j) => (((i + 3) * (j + 7) * 2654435761) >>> 8).toString(36).slice(0, 2 + j % 6),
      ).join(" ");
      const html = new TextEncoder().encode(`<p class=x>${content}`.repeat(4));
      found.push({ html, gzipped: gzipSync(html), content });
    }
    return found;
  }
  for (const { name, isDirectory } of Deno.readDirSync(join(corpus, "pages"))) {
    if (!isDirectory) continue;
    const dir = join(corpus, "pages", name);
    const html = Deno.readFileSync(join(dir, "source.html"));
    found.push({
      html,
      gzipped: gzipSync(html),
      content: Deno.readTextFileSync(join(dir, "expected.html")).replaceAll(/<[^>]{0,400}>/g, " "),
    });
  }
  return found.sort((a, b) => a.html.length - b.html.length);
}

/** Milliseconds of CPU so far, in all threads. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const corpus = pages();

function row(i: number, gzip: boolean): NewCaptureRow {
  const { html, gzipped, content } = corpus[i % corpus.length]!;
  const body = gzip ? gzipped : html;
  return captureRow({
    url: `https://www.host${i % 97}.example.org/articles/${i}/a-title-of-some-length.html`,
    host: `www.host${i % 97}.example.org`,
    fetchedAt: 1_700_000_000_000 + i * 31,
    durationMs: 80 + i % 300,
    ttfbMs: 40 + i % 90,
    status: 200,
    ip: `198.51.${i % 100}.${i % 250}`,
    headers: [
      ["Date", "Mon, 01 Jan 2024 00:00:00 GMT"],
      ["Content-Type", "text/html; charset=utf-8"],
      ["Server", "nginx"],
      ["Cache-Control", "max-age=300, public"],
      ["ETag", `"${i * 7919}"`],
      ["Set-Cookie", `session=${(i * 2654435761 >>> 0).toString(36)}; Path=/; HttpOnly`],
      ["Vary", "Accept-Encoding"],
      ["X-Request-Id", `${(i * 40503 >>> 0).toString(16)}-${i}`],
    ],
    requestHeaders: [
      ["User-Agent", "CCrawl/2.0 (+https://example.org/bot)"],
      ["Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"],
      ["Accept-Encoding", "gzip, br, zstd, deflate"],
    ],
    body,
    digest: bodyDigest(html),
    position: { part: 0, row: i },
    rendered: {
      title: content.slice(0, 60),
      markdown: content,
      text: content,
      wordCount: content.length / 6 | 0,
      language: "eng",
      languageConfidence: 0.97,
      simhash: BigInt(i) * 0x9e3779b97f4a7c15n & 0xffffffffffffffffn,
      extractor: "main@1",
    },
  });
}

/** All values but numbers as zstd gets them: column after column, in pages of a mebibyte. */
function columnPages(batches: readonly Uint8Array[]): Uint8Array[] {
  const columns = new Map<string, Uint8Array[]>();
  for (const batch of batches) {
    for (const view of decodeRows(batch)) {
      for (const { name, type } of CAPTURE_COLUMNS) {
        if (type !== "string" && type !== "bytes") continue;
        const list = columns.get(name) ?? [];
        list.push(view.bytes(name));
        columns.set(name, list);
      }
    }
  }
  const out: Uint8Array[] = [];
  for (const list of columns.values()) {
    let page: Uint8Array[] = [], size = 0;
    const flush = () => {
      const bytes = new Uint8Array(size);
      let at = 0;
      for (const one of page) {
        bytes.set(one, at);
        at += one.length;
      }
      if (size > 0) out.push(bytes);
      page = [];
      size = 0;
    };
    for (const value of list) {
      if (size + value.length > 1 << 20) flush();
      page.push(value);
      size += value.length;
    }
    flush();
  }
  return out;
}

const dir = Deno.makeTempDirSync();
try {
  for (const gzip of [false, true]) {
    const rows = Array.from({ length: ROWS }, (_, i) => row(i, gzip));
    const batches: Uint8Array[] = [];
    const filling = new RowBatch();
    for (const one of rows) {
      filling.add(one);
      if (filling.rows === BATCH_ROWS) batches.push(filling.take());
    }
    if (filling.rows > 0) batches.push(filling.take());
    let packMs = Infinity;
    for (let r = 0; r < REPEATS; r++) {
      const start = cpu();
      // as a sender has it: buffers come back from the writer
      let spare = new ArrayBuffer(1 << 16);
      for (const one of rows) {
        filling.add(one);
        if (filling.rows === BATCH_ROWS) spare = filling.take(spare).buffer;
      }
      filling.take();
      packMs = Math.min(packMs, cpu() - start);
    }
    const payload = batches.reduce((n, batch) => n + batch.length, 0);
    const alone = columnPages(batches);
    let zstdMs = Infinity, writeMs = Infinity, most = 0, bytes = 0, viewMs = Infinity;
    for (let r = 0; r < REPEATS; r++) {
      let start = cpu();
      for (const page of alone) zstdCompressSync(page, OPTIONS);
      zstdMs = Math.min(zstdMs, cpu() - start);
      const path = join(dir, `${gzip}-${r}.parquet`);
      start = cpu();
      const writer = new CaptureWriter(path, { createdBy: "bench" });
      for (const batch of batches) {
        writer.addPacked(batch);
        most = Math.max(most, writer.bufferedBytes);
      }
      ({ bytes } = writer.finish());
      writeMs = Math.min(writeMs, cpu() - start);
      start = cpu();
      for (const batch of batches) for (const view of decodeRows(batch)) view.bytes("body");
      viewMs = Math.min(viewMs, cpu() - start);
      Deno.removeSync(path);
    }
    const per = (ms: number) => (ms / ROWS).toFixed(3);
    console.log(
      `${gzip ? "gzipped bodies" : "plain bodies"}: ${ROWS} rows, ${
        (payload / ROWS / 1024).toFixed(0)
      } KB a row, ${(bytes / ROWS / 1024).toFixed(0)} KB on disk`,
    );
    console.log(`  zstd-3 alone  ${per(zstdMs)} ms a row`);
    console.log(
      `  CaptureWriter ${per(writeMs)} ms a row, ${
        (writeMs / zstdMs).toFixed(2)
      } of zstd alone (at most 1.3 wanted)`,
    );
    console.log(
      `  packing a row ${(packMs / ROWS * 1000).toFixed(1)} µs, a view of it ${
        (viewMs / ROWS * 1000).toFixed(1)
      } µs`,
    );
    console.log(`  memory held by one writer, at most ${(most / 2 ** 20).toFixed(1)} MB`);
  }
} finally {
  Deno.removeSync(dir, { recursive: true });
}
