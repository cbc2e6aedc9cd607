import assert from "node:assert/strict";
import { extractMain } from "../../lib/render/render.ts";
import { parseTree } from "../../lib/render/tree.ts";
import { Deadline } from "../../lib/render/_deadline.ts";
import { writeMarkdown } from "../../lib/render/markdown.ts";

/** A word; in scripts without spaces, a character. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu;

function bag(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    words.set(word, (words.get(word) ?? 0) + 1);
  }
  return words;
}

Deno.test("extractMain() finds the content of real pages as it was checked by hand", () => {
  const corpus = Deno.env.get("CCRAWL_CORPUS");
  if (corpus === undefined) return console.log("needs CCRAWL_CORPUS, the folder of real inputs");
  const scores: number[] = [];
  for (const { name, isDirectory } of Deno.readDirSync(`${corpus}/pages`)) {
    if (!isDirectory) continue;
    const read = (file: string) => Deno.readTextFileSync(`${corpus}/pages/${name}/${file}`);
    const found = bag(
      extractMain(read("source.html"), "https://a.example/", undefined, { deadlineMs: 60_000 })
        .text,
    );
    const deadline = new Deadline(60_000);
    const { root } = parseTree(read("expected.html"), deadline);
    const expected = bag(writeMarkdown([root], { resolve: () => undefined, deadline }).text);
    let common = 0, all = 0;
    for (const [word, n] of found) common += Math.min(n, expected.get(word) ?? 0);
    for (const n of [...found.values(), ...expected.values()]) all += n;
    const score = 2 * common / all;
    assert.ok(score > 0.75, `${name}: ${score}`);
    scores.push(score);
  }
  const mean = scores.reduce((a, b) => a + b, 0) / scores.length;
  assert.ok(mean >= 0.96, String(mean));
});
