/**
 * What archiving costs beside the compression and hashing that nobody can do without, and what
 * reading costs beside plain inflation.
 *
 *     deno run -A tests/bench/warc_bench.ts
 */

import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { gunzipSync, gzipSync } from "node:zlib";
import { parseHttp } from "../../lib/warc/http.ts";
import { readWarcFile } from "../../lib/warc/reader.ts";
import { verifyWarc } from "../../lib/warc/verify.ts";
import { WarcWriter } from "../../lib/warc/writer.ts";
import { exchange, surt } from "../warc/_exchanges.ts";

const PAGES = 4000;
const WORDS = "the of and to in is was for on that by with as it from at be this have or one had"
  .split(" ");

/** HTML of about 20 KB that compresses like pages do. */
function page(n: number): string {
  let state = n + 1, text = `<!doctype html><title>Page ${n}</title><body>`;
  while (text.length < 20_000) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const word = state % 13 === 0 ? (state >>> 8).toString(36) : WORDS[(state >>> 16) % 20];
    text += state % 23 === 0 ? `</p>\n<p class="c${state % 7}"><a href="/${word}">` : `${word} `;
  }
  return text;
}

/** CPU µs of this process, all its threads. */
function cpu(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

const dir = mkdtempSync(join(tmpdir(), "warc-bench-"));
try {
  const bodies = Array.from({ length: 200 }, (_, i) => page(i));
  const exchanges = Array.from(
    { length: PAGES },
    // No two are the same, so that none becomes a revisit.
    (_, i) => exchange(`http://h${i % 50}.example/page/${i}`, `${bodies[i % 200]}${i}`),
  );
  const pass = (first: number) => {
    const writer = new WarcWriter({ dir, software: "bench", command: "bench", surt });
    for (let i = first; i < PAGES; i++) {
      writer.write(exchanges[i]!);
      if (i % 200 === 199) writer.sync();
    }
    writer.close();
  };
  const floor = () => {
    for (const { request, head, body } of exchanges) {
      createHash("sha1").update(body).digest();
      createHash("sha1").update(head).update(body).digest();
      gzipSync(body, { level: 1 });
      gzipSync(request, { level: 1 });
    }
  };
  pass(PAGES - 500); // warm
  const names = new Set(readdirSync(dir));
  const ours = cpu(() => pass(0)) / PAGES;
  const least = cpu(floor) / PAGES;
  console.log(`write: ${ours.toFixed(0)} µs CPU a pair of 20 KB, synced every 200`);
  console.log(
    `  gzipSync and two SHA-1 of the same: ${least.toFixed(0)} µs; ratio ${
      (ours / least).toFixed(2)
    }`,
  );

  const name = readdirSync(dir).find((n) => n.endsWith(".warc.gz") && !names.has(n))!;
  const path = join(dir, name);
  const bytes = readFileSync(path);
  let inflated = 0;
  const members: Uint8Array[] = [];
  let records = 0, blocks = 0;
  const timed = async (work: () => void | Promise<void>) => {
    const start = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  const read = await timed(async () => {
    for await (const record of readWarcFile(path)) {
      records++;
      blocks += record.content.length;
      members.push(bytes.subarray(record.offset, record.offset + record.length!));
    }
  });
  const parse = await timed(async () => {
    for await (const record of readWarcFile(path)) parseHttp(record.content);
  });
  const plain = await timed(() => {
    inflated = gunzipSync(bytes).length;
  });
  const each = await timed(() => {
    for (const member of members) gunzipSync(member);
  });
  const check = await timed(async () => {
    for await (const fault of verifyWarc(path)) console.log(fault);
  });
  const speed = (us: number) => `${(inflated / us).toFixed(0)} MB/s`;
  console.log(
    `read: ${records} records, ${(blocks / 1e6).toFixed(0)} MB of blocks, inflated MB/s:`,
  );
  console.log(
    `  readWarcFile ${speed(read)}, with parseHttp ${speed(parse)}, verify ${speed(check)}`,
  );
  console.log(
    `  gunzipSync of the whole ${speed(plain)}, member by member ${speed(each)}; ratio ${
      (read / plain).toFixed(2)
    } and ${(read / each).toFixed(2)}`,
  );
} finally {
  rmSync(dir, { recursive: true });
}
