/**
 * What reading an archive costs beside inflating it: records alone, links, text; memory as it goes on.
 * Pages are those of the corpus, over and over.
 *
 *     CCRAWL_CORPUS=… deno task bench parse [-- MEGABYTES]
 *
 * @module
 */

import { closeSync, createReadStream, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { parse } from "../../lib/parse/parse.ts";
import type { ParseOptions } from "../../lib/parse/types.ts";
import { members, response } from "../parse/_archives.ts";

const corpus = Deno.env.get("CCRAWL_CORPUS");
if (corpus === undefined) {
  console.log("needs CCRAWL_CORPUS");
  Deno.exit(0);
}
const megabytes = Number(Deno.args[0] ?? 256);
const dir = await Deno.makeTempDir();
try {
  const pages: Uint8Array[] = [];
  for (const folder of Deno.readDirSync(join(corpus, "pages"))) {
    if (!folder.isDirectory) continue;
    for (const { name } of Deno.readDirSync(join(corpus, "pages", folder.name))) {
      if (name === "source.html") {
        pages.push(Deno.readFileSync(join(corpus, "pages", folder.name, name)));
      }
    }
  }
  const path = join(dir, "x.warc.gz");
  const fd = openSync(path, "w");
  let bytes = 0, count = 0;
  const packed = pages.map((page, i) => members([response(`https://a.example/${i}`, page)]));
  while (bytes < megabytes * 2 ** 20) {
    writeSync(fd, packed[count % pages.length]!);
    bytes += pages[count++ % pages.length]!.length;
  }
  closeSync(fd);
  const size = Deno.statSync(path).size;
  console.log(
    `${count} pages, ${(bytes / 2 ** 20).toFixed(0)} MB, ${
      (size / 2 ** 20).toFixed(0)
    } MB compressed`,
  );

  let start = performance.now();
  for await (const _ of createReadStream(path).pipe(createGunzip())) { /* inflated */ }
  const plain = bytes / 2 ** 20 / (performance.now() - start) * 1000;
  console.log(`gunzip alone: ${plain.toFixed(0)} MB/s`);

  const measure = async (what: string, options: ParseOptions) => {
    const memory: number[] = [];
    let n = 0;
    start = performance.now();
    for await (const { record } of parse([path], options)) {
      if (record.type !== "response") throw new Error(record.type);
      if (++n % Math.floor(count / 4) === 0) {
        memory.push(Math.round(Deno.memoryUsage().rss / 2 ** 20));
      }
    }
    const rate = bytes / 2 ** 20 / (performance.now() - start) * 1000;
    console.log(
      `${what}: ${rate.toFixed(0)} MB/s, ${(rate / plain).toFixed(2)} of gunzip alone; ` +
        `memory ${memory.join(", ")} MB after each quarter`,
    );
  };
  await measure("parse", {});
  await measure("parse --links", { links: true });
  await measure("parse --text", { text: true });
} finally {
  await Deno.remove(dir, { recursive: true });
}
