/**
 * A whole crawl: pages of 20 KB on 200 local hosts, 64 workers, 10 ms delay, robots and WARC on, with
 * the server on the same cores. Beside it, in the same run, what nothing could do without: one bare
 * read of each page from a kept socket, one gzip member and two SHA-1 of its bytes.
 *
 * `deno task bench crawl -- [pages] [writers]`; 100 000 is the figure that the docs quote.
 *
 * @module
 */

import { createHash } from "node:crypto";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { V8_FLAGS } from "../../deploy/_v8_flags.ts";
import { startWeb } from "../web/mod.ts";

const pages = Number(Deno.args[0] ?? 20_000);
const writers = Deno.args[1] ?? "1";

/** CPU in µs, of this process, a call of `work`. */
function cpuOf(times: number, work: (i: number) => void): number {
  for (let i = 0; i < times / 10; i++) work(i);
  const before = process.cpuUsage();
  for (let i = 0; i < times; i++) work(i);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

/** Reads `count` answers of `bytes` from one kept connection, and nothing else. */
async function bareReads(url: URL, ip: string, count: number): Promise<number> {
  const conn = await Deno.connect({ hostname: ip, port: Number(url.port) });
  const request = new TextEncoder().encode(
    `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`,
  );
  const buffer = new Uint8Array(64 * 1024);
  const text = new TextDecoder();
  let length = 0;
  const before = process.cpuUsage();
  for (let i = 0; i < count; i++) {
    await conn.write(request);
    let got = 0;
    while (length === 0 || got < length) {
      const n = await conn.read(buffer);
      if (n === null) throw new Error("the web closed the connection");
      if (length === 0) {
        const head = text.decode(buffer.subarray(0, n));
        const end = head.indexOf("\r\n\r\n") + 4;
        length = end + Number(/content-length: *(\d+)/i.exec(head)![1]);
      }
      got += n;
    }
  }
  const { user, system } = process.cpuUsage(before);
  conn.close();
  return (user + system) / count;
}

const dir = await Deno.makeTempDir({ prefix: "ccrawl-bench-" });
try {
  await using web = await startWeb({ hosts: 200, pages, pageBytes: 20_000, graph: "tree" });
  const first = new URL(web.seeds()[0]!);
  const sample: Uint8Array[] = [];
  const lookup = await Deno.resolveDns(first.hostname, "A", {
    nameServer: { ipAddr: "127.0.0.1", port: Number(web.resolver.split(":")[1]) },
  });
  const ip = lookup[0]!;
  for (let i = 0; i < 50; i++) {
    const conn = await Deno.connect({ hostname: ip, port: Number(first.port) });
    await conn.write(
      new TextEncoder().encode(
        `GET /p/${i} HTTP/1.1\r\nHost: ${first.host}\r\nConnection: close\r\n\r\n`,
      ),
    );
    const bytes = new Uint8Array(await new Response(conn.readable).arrayBuffer());
    sample.push(bytes.subarray(bytes.length - 20_000));
  }
  const read = await bareReads(first, ip, 3000);
  const squeeze = (i: number) => {
    const page = sample[i % sample.length]!;
    gzipSync(page, { level: 1 });
    createHash("sha1").update(page).digest();
    createHash("sha1").update(page).digest();
  };
  const before = cpuOf(3000, squeeze);

  await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      "--no-check",
      `--v8-flags=${Deno.env.get("CCRAWL_BENCH_FLAGS") ?? V8_FLAGS}`,
      new URL("./_crawl_once.ts", import.meta.url).href,
      dir,
      web.resolvers.join(","),
      `${dir}/seeds.txt`,
      "0",
      writers,
    ],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("the crawl failed");
  const out = JSON.parse(new TextDecoder().decode(stdout)) as {
    pages: number;
    seconds: number;
    cpuSeconds: number;
    peakBytes: number;
    longestStallMs: number;
    figures: { workerTimes: Record<string, number>; writerBusyMs: number };
  };
  const after = cpuOf(3000, squeeze);
  const cpu = out.cpuSeconds * 1e6 / out.pages;
  const floor = read + (before + after) / 2;
  console.log(`pages                     ${out.pages}`);
  console.log(
    `pages a second            ${(out.pages / out.seconds).toFixed(0)}, server on the same cores`,
  );
  console.log(`CPU a page                ${cpu.toFixed(0)} µs in all`);
  console.log(`  a bare read             ${read.toFixed(0)} µs`);
  console.log(
    `  gzip -1 and two SHA-1   ${before.toFixed(0)} µs before, ${
      after.toFixed(0)
    } after (the machine's noise)`,
  );
  console.log(`  ratio to both           ${(cpu / floor).toFixed(2)}`);
  console.log(`peak memory               ${(out.peakBytes / 1e6).toFixed(0)} MB`);
  console.log(`longest stall             ${out.longestStallMs.toFixed(0)} ms of the fetch thread`);
  console.log(
    `writer busy               ${(out.figures.writerBusyMs / out.seconds / 10).toFixed(0)} %`,
  );
} finally {
  await Deno.remove(dir, { recursive: true });
}
