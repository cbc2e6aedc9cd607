/**
 * The render pool against the same work in a plain loop on one thread, on the same pages in the same run: what
 * the threads add in CPU, and what they give in pages a second.
 *
 *     deno task bench pool [-- folder]
 *
 * The folder (by default `$CCRAWL_CORPUS/pages`) holds one folder a page, with `source.html`. Without any,
 * pages are made up.
 *
 * @module
 */

import { createHash } from "node:crypto";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { decodeBody } from "../../lib/net/decode.ts";
import { decodeText } from "../../lib/net/charset.ts";
import { loadMainRenderer } from "../../lib/render/render.ts";
import { RenderPool } from "../../lib/render/pool.ts";
import type { RenderPoolFigures } from "../../lib/render/pool_options.ts";
import type { PoolExtractor, PoolPage } from "../../lib/render/pool_types.ts";

const corpus = Deno.env.get("CCRAWL_CORPUS");
const folder = Deno.args[0] ?? (corpus === undefined ? undefined : `${corpus}/pages`);
const ROUNDS = 20;

function pages(): PoolPage[] {
  const sources: Uint8Array[] = [];
  if (folder === undefined) {
    const paragraph =
      "<p>Some <b>words</b> and <a href=/x?a=1&amp;b=2>a link</a>, as prose has them.</p>";
    for (let i = 0; i < 30; i++) {
      const html = `<title>${i}</title><article>${paragraph.repeat(200 + i * 100)}</article>`;
      sources.push(new TextEncoder().encode(html));
    }
  } else {
    for (const { name, isDirectory } of Deno.readDirSync(folder)) {
      if (isDirectory) sources.push(Deno.readFileSync(`${folder}/${name}/source.html`));
    }
  }
  return sources.map((source, i) => ({
    key: `${i}`,
    url: `https://a.example/${i}`,
    contentType: "text/html; charset=utf-8",
    contentEncoding: "gzip",
    body: gzipSync(source),
    rest: new Uint8Array(500),
  }));
}

/** CPU and wall milliseconds a page. */
async function measured(work: () => Promise<void> | void, pages: number) {
  const cpu = process.cpuUsage(), start = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return {
    cpu: (user + system) / 1000 / pages,
    wall: (performance.now() - start) / pages,
  };
}

const all = pages();
const count = all.length * ROUNDS;
const render = await loadMainRenderer();

const inline = (extractor: PoolExtractor) => () => {
  for (let round = 0; round < ROUNDS; round++) {
    for (const page of all) {
      const { bytes } = decodeBody(page.body, page.contentEncoding, 64 * 2 ** 20);
      createHash("sha1").update(bytes).digest();
      if (extractor === "main") render(decodeText(bytes, page.contentType).text, page);
    }
  }
};

async function pooled(width: number, extractor: PoolExtractor) {
  let rows = 0;
  let figures: RenderPoolFigures | undefined;
  let busyOfMain = 0;
  const pool = new RenderPool({
    worker: new URL("./_pool_worker.ts", import.meta.url),
    width,
    extractor,
    onRow: () => void rows++,
  });
  // The workers have started, and compiled what is hot.
  for (let i = 0; i < 3; i++) for (const page of all) await pool.push(page);
  while (rows < all.length * 3) await new Promise((resolve) => setTimeout(resolve, 5));
  const before = pool.figures;
  const cost = await measured(async () => {
    for (let round = 0; round < ROUNDS; round++) {
      for (const page of all) {
        const start = performance.now();
        const pushed = pool.push(page);
        busyOfMain += performance.now() - start;
        await pushed;
      }
    }
    await pool.close();
    figures = pool.figures;
  }, count);
  const { renderingMs, waitingMs, idleMs } = figures!;
  const spent = [renderingMs - before.renderingMs, waitingMs - before.waitingMs];
  const whole = spent[0]! + spent[1]! + idleMs - before.idleMs;
  return {
    ...cost,
    push: busyOfMain / count,
    shares: spent.map((ms) => ms / whole),
    figures: figures!,
  };
}

const mean = all.reduce((sum, page) => sum + page.body.length, 0) / all.length / 1024;
console.log(`${all.length} pages, ${mean.toFixed(0)} KB of gzip on average, ${ROUNDS} rounds`);
for (const extractor of ["none", "main"] as const) {
  inline(extractor)();
  const plain = await measured(inline(extractor), count);
  const name = extractor === "none" ? "decode and digest" : "render";
  console.log(`${name}, in a loop: ${plain.cpu.toFixed(2)} ms CPU a page (the measure: 1.00)`);
  for (const width of [1, 2]) {
    const { cpu, wall, push, shares, figures } = await pooled(width, extractor);
    console.log(
      `${name}, pool of ${width}: ${(cpu / plain.cpu).toFixed(2)} × its CPU, ` +
        `${(plain.wall / wall).toFixed(2)} × its pages a second; ` +
        `push ${(push * 1000).toFixed(0)} µs a page; rendering ${
          (shares[0]! * 100).toFixed(0)
        }%, ` +
        `waiting for the sink ${(shares[1]! * 100).toFixed(0)}%; ` +
        `queue at most ${(figures.queuePeak / 2 ** 20).toFixed(1)} MB`,
    );
  }
}
