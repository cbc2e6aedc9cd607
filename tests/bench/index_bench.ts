/**
 * What an index costs: documents a second and bytes of it a document, beside SQLite's full-text index
 * alone on the same texts; memory as it grows; how long queries of two words take.
 *
 *     deno task bench index [-- DOCUMENTS]
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { SearchIndex } from "../../lib/index/search.ts";
import { IndexWriter } from "../../lib/index/writer.ts";

const documents = Number(Deno.args[0] ?? 100_000);
const VOCABULARY = 200_000;
const WORDS = 200;
/** Documents that the full-text index alone is given. */
const ALONE = Math.min(documents, 10_000);

let state = 1;
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ state >>> 15, 1 | state);
  t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
  return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
}

const LETTERS = "etaoinshrdlucmfwypvbgkqjxz";
const vocabulary = Array.from({ length: VOCABULARY }, (_, i) => {
  let word = "";
  for (let n = 2 + Math.min(8, Math.log10(i + 1) * 2) + random() * 3; n > 0; n--) {
    word += LETTERS[Math.floor(random() * random() * 26)];
  }
  return word;
});

/** A word as languages use them: the n-th most frequent one n times less than the first. */
const word = () => vocabulary[Math.floor(VOCABULARY ** random()) - 1]!;

function text(): string {
  let out = word();
  for (let n = WORDS / 2 + random() * WORDS; n > 0; n--) {
    out += (random() < 0.1 ? ". " : " ") + word();
  }
  return out;
}

const dir = await Deno.makeTempDir();
try {
  const texts = Array.from({ length: ALONE }, text);
  const reference = new DatabaseSync(join(dir, "alone.db"));
  reference.exec("PRAGMA journal_mode = WAL; CREATE VIRTUAL TABLE f USING fts5(t, content='')");
  const insert = reference.prepare("INSERT INTO f(rowid, t) VALUES(?, ?)");
  let start = performance.now();
  reference.exec("BEGIN");
  for (const [i, one] of texts.entries()) insert.run(i, one);
  reference.exec("COMMIT");
  const alone = ALONE / (performance.now() - start) * 1000;
  reference.close();

  const writer = new IndexWriter(join(dir, "index"));
  let bytes = 0, busy = 0;
  const memory: string[] = [];
  for (let i = 0; i < documents; i++) {
    const one = text();
    bytes += one.length;
    start = performance.now();
    writer.add({
      url: `https://www.host${i % 5000}.example/page/${i}`,
      title: `${word()} ${word()} ${word()}`,
      text: one,
      language: i % 3 === 0 ? "eng" : "deu",
    });
    busy += performance.now() - start;
    if ((i + 1) % (documents / 4) === 0) {
      memory.push(`${Math.round(Deno.memoryUsage().rss / 2 ** 20)}`);
    }
  }
  start = performance.now();
  const figures = writer.close();
  busy += performance.now() - start;
  const rate = documents / busy * 1000;
  console.log(
    `build: ${documents} documents of ${Math.round(bytes / documents)} bytes: ${
      rate.toFixed(0)
    } a second, ` +
      `${(rate / alone).toFixed(2)} of full-text index alone (${alone.toFixed(0)})`,
  );
  console.log(
    `index: ${Math.round(figures.bytes / documents)} bytes a document, ` +
      `${(figures.bytes / bytes).toFixed(2)} of the text`,
  );
  console.log(`memory: ${memory.join(", ")} MB after each quarter`);

  using index = new SearchIndex(join(dir, "index"));
  const middle = (times: number[]) => times.sort((a, b) => a - b)[times.length >> 1]!;
  for (
    const [what, first, second] of [["rare", 5000, 20_000], ["usual", 300, 1000], [
      "common",
      20,
      60,
    ]] as const
  ) {
    const times: number[] = [], filtered: number[] = [];
    let found = 0;
    for (let i = 0; i < 15; i++) {
      const query = `${vocabulary[first + i]} ${vocabulary[second + i]}`;
      start = performance.now();
      if (index.search(query).length > 0) found++;
      times.push(performance.now() - start);
      start = performance.now();
      index.search(query, { languages: ["eng"], host: "example" });
      filtered.push(performance.now() - start);
    }
    console.log(
      `two ${what} words: ${middle(times).toFixed(1)} ms, at most ${
        Math.max(...times).toFixed(1)
      }; ` +
        `filtered ${middle(filtered).toFixed(1)} ms; ${found} of 15 queries found something`,
    );
  }
} finally {
  await Deno.remove(dir, { recursive: true });
}
