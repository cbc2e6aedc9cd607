/**
 * Quality and speed of the three extractors, and of linkedom with turndown on the same pages in the
 * same run as the measure of speed.
 *
 *     deno task bench render [-- folder]
 *
 * The folder (by default `$CCRAWL_CORPUS/pages`) holds one folder a page, with `source.html` and
 * `expected.html`, the content as someone checked it by hand.
 *
 * @module
 */

import process from "node:process";
import { Parser } from "htmlparser2";
import { askHere, complete, loadMainRenderer, type RenderedPage } from "../../lib/render/render.ts";
import { extractLinks } from "../../lib/render/links.ts";
import { loadLanguageDetector } from "../../lib/render/language.ts";
import { renderWithLibraries } from "../../lib/render/_libraries.ts";
import { screen } from "../../lib/render/_screen.ts";

const corpus = Deno.env.get("CCRAWL_CORPUS");
const folder = Deno.args[0] ?? (corpus === undefined ? undefined : `${corpus}/pages`);
if (folder === undefined) {
  console.error("Cannot run: give a folder of pages, or set CCRAWL_CORPUS");
  Deno.exit(2);
}

interface Page {
  name: string;
  html: string;
  expected: Map<string, number>;
}

/** A word; in scripts without spaces, a character. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu;

/** Distinct words with how often they occur. */
function bag(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    words.set(word, (words.get(word) ?? 0) + 1);
  }
  return words;
}

const total = (words: Map<string, number>) => words.values().reduce((sum, n) => sum + n, 0);

/** Harmonic mean of precision and recall over words, each counted as often as it occurs. */
function f1(found: Map<string, number>, expected: Map<string, number>): number {
  let common = 0;
  for (const [word, n] of found) common += Math.min(n, expected.get(word) ?? 0);
  const all = total(found) + total(expected);
  return all === 0 ? 1 : 2 * common / all;
}

/** All text of a piece of HTML, by a plain parser that none of the extractors shares code with. */
function textOf(html: string): string {
  let text = "";
  const parser = new Parser({
    onopentagname: () => text += " ",
    ontext: (data) => text += data,
    onclosetag: () => text += " ",
  });
  parser.write(html);
  parser.end();
  return text;
}

const pages: Page[] = [];
for (const entry of Deno.readDirSync(folder)) {
  if (!entry.isDirectory) continue;
  pages.push({
    name: entry.name,
    html: Deno.readTextFileSync(`${folder}/${entry.name}/source.html`),
    expected: bag(textOf(Deno.readTextFileSync(`${folder}/${entry.name}/expected.html`))),
  });
}
pages.sort((a, b) => a.name < b.name ? -1 : 1);

const url = "https://bench.example/page";
const main = await loadMainRenderer();
const ask = askHere(await loadLanguageDetector());
const libraries = (extractor: "readability" | "raw") => (html: string): RenderedPage =>
  complete(
    renderWithLibraries(html, url, extractor, 60_000),
    extractLinks(html),
    extractor,
    ask,
  );

const extractors: Record<string, (html: string) => RenderedPage> = {
  main: (html) => main(html, { url }),
  readability: libraries("readability"),
  raw: libraries("raw"),
};

const rounds = Number(Deno.env.get("ROUNDS") ?? 5);
const means: Record<string, number> = {};
console.log(
  `${pages.length} pages, mean ${
    Math.round(pages.reduce((sum, page) => sum + page.html.length, 0) / pages.length / 1000)
  } thousand characters; milliseconds are the best of ${rounds} rounds, after one to warm up`,
);
const scores: Record<string, Record<string, number>> = {};
for (const [name, render] of Object.entries(extractors)) {
  const times: number[] = [];
  let sum = 0, refused = 0, cpu = 0;
  for (const page of pages) {
    if (name !== "main" && screen(page.html) !== undefined) {
      refused++;
      continue;
    }
    let best = Infinity, bestCpu = Infinity, rendered: RenderedPage | undefined;
    for (let round = 0; round <= rounds; round++) {
      const start = performance.now(), before = process.cpuUsage();
      rendered = render(page.html);
      const used = process.cpuUsage(before);
      if (round === 0) continue;
      best = Math.min(best, performance.now() - start);
      bestCpu = Math.min(bestCpu, (used.user + used.system) / 1000);
    }
    times.push(best);
    cpu += bestCpu;
    const score = f1(bag(rendered!.text), page.expected);
    (scores[page.name] ??= {})[name] = score;
    sum += score;
  }
  times.sort((a, b) => a - b);
  means[name] = cpu / times.length;
  const at = (part: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * part))]!.toFixed(1);
  console.log(
    `${name.padEnd(12)} F1 ${(sum / times.length).toFixed(4)}  ms CPU ${
      means[name].toFixed(2)
    } wall mean ${(times.reduce((a, b) => a + b, 0) / times.length).toFixed(2)} median ${
      at(0.5)
    } p95 ${at(0.95)} max ${at(1)}${refused > 0 ? `  refused ${refused}` : ""}`,
  );
}
console.log(
  `main is ${(means.raw! / means.main!).toFixed(1)} times as fast as linkedom with turndown`,
);
let links = 0;
const start = performance.now();
for (let round = 0; round < rounds; round++) {
  for (const page of pages) links += extractLinks(page.html).links.length;
}
const characters = pages.reduce((sum, page) => sum + page.html.length, 0) * rounds;
console.log(
  `extractLinks: ${
    ((performance.now() - start) * 1000 / characters * 20_000).toFixed(1)
  } µs for 20 000 characters, ${Math.round(links / rounds / pages.length)} links a page`,
);
for (const [name, row] of Object.entries(scores)) {
  console.log(
    name.padEnd(36) + Object.entries(row).map(([k, v]) => `${k} ${v.toFixed(3)}`).join("  "),
  );
}
