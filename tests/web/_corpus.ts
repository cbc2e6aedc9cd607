/**
 * Pages of the open web, for benchmarks that need real ones: `$CCRAWL_CORPUS/pages`, a folder a page with
 * `source.html`.
 *
 * @module
 */

import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Exchange } from "./_exchange.ts";

interface CorpusPage {
  readonly plain: Uint8Array;
  readonly gzip: Uint8Array;
}

let pages: readonly CorpusPage[] | undefined;

/** `/corpus/N`: page N, from the start again behind the last; gzip-coded for those who take that. */
export async function sendCorpusPage(x: Exchange, n: number): Promise<boolean> {
  pages ??= load();
  if (pages.length === 0) {
    return await x.html(404, [], "<title>No corpus</title><p>CCRAWL_CORPUS is not set</p>");
  }
  const page = pages[n % pages.length]!;
  if (!/\bgzip\b/.test(x.head.fields.get("accept-encoding") ?? "")) {
    return await x.html(200, [], page.plain);
  }
  return await x.html(
    200,
    ["Content-Encoding: gzip", "Vary: Accept-Encoding", "Cache-Control: max-age=300"],
    page.gzip,
  );
}

function load(): CorpusPage[] {
  const corpus = Deno.env.get("CCRAWL_CORPUS");
  return corpus === undefined ? [] : corpusSources(join(corpus, "pages")).map((plain) => ({
    plain,
    gzip: gzipSync(plain),
  }));
}

/** The pages of a corpus' folder, in the order of their names. */
export function corpusSources(folder: string): Uint8Array[] {
  const names: string[] = [];
  for (const { name, isDirectory } of Deno.readDirSync(folder)) if (isDirectory) names.push(name);
  return names.sort().map((name) => Deno.readFileSync(join(folder, name, "source.html")));
}
