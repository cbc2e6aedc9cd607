import assert from "node:assert/strict";
import { LanguageCells } from "../../lib/render/_language_cells.ts";
import { LanguageThread } from "../../lib/render/_language_thread.ts";
import { type DetectedLanguage, loadLanguageDetector } from "../../lib/render/language.ts";
import { byKey, collect, page } from "./_pool.ts";

const TEXTS = [
  "The quick brown fox jumps over the lazy dog while everybody else is asleep.",
  "Am nächsten Morgen ging er wieder hinaus, um nach dem Wetter zu sehen.",
  "Le lendemain matin, il sortit de nouveau pour voir quel temps il faisait.",
  "На следующее утро он снова вышел посмотреть, какая стоит погода.",
  "翌朝、彼は天気を見るためにもう一度外に出た。空は晴れていて、風はとても冷たかったので上着を着た。",
  "Anak-anak bermain di kebun kemarin dan mereka sangat lelah ketika mereka pulang ke rumah.",
  "Too short.",
];

/** Asks from a thread of its own, so that this one can look after the language thread. */
async function ask(
  { cells }: Pick<LanguageThread, "cells">,
  place: number,
  samples: readonly string[],
  patienceMs = 60_000,
): Promise<DetectedLanguage[]> {
  const asker = new Worker(new URL("./_asker.ts", import.meta.url), { type: "module" });
  const { promise, resolve } = Promise.withResolvers<DetectedLanguage[]>();
  asker.onmessage = ({ data }) => resolve(data);
  asker.postMessage([cells.buffer, place, samples, patienceMs]);
  try {
    return await promise;
  } finally {
    asker.terminate();
  }
}

Deno.test("a RenderPool tells the languages of pages as the detector by itself does", async () => {
  const detect = await loadLanguageDetector();
  const { pool, rows } = collect({ extractor: "main", width: 2 });
  const long = TEXTS.map((text) => `${text} `.repeat(60));
  const all = [...TEXTS, ...long].map((text) => text.trim());
  for (const [i, text] of all.entries()) await pool.push(page(`${i}`, `<p>${text}`));
  await pool.close();
  const found = byKey(rows);
  for (const [i, text] of all.entries()) {
    assert.equal(found.get(`${i}`)!.failed, "");
    const { language, languageConfidence } = found.get(`${i}`)!;
    assert.deepEqual({ language, confidence: languageConfidence }, detect(text), text);
  }
});

Deno.test("LanguageThread answers whoever asks, several at once", async () => {
  const thread = new LanguageThread(2, { ready() {}, fatal: assert.fail });
  const [first, second] = await Promise.all([
    ask(thread, 0, Array.from({ length: 200 }, (_, i) => TEXTS[i % 4]!)),
    ask(
      thread,
      1,
      Array.from({ length: 200 }, (_, i) => i === 7 ? "a".repeat(100_000) : TEXTS[4]!),
    ),
  ]);
  const codes = ["eng", "deu", "fra", "rus"];
  assert(first.every(({ language }, i) => language === codes[i % 4]));
  assert(second.every(({ language }, i) => language === (i === 7 ? "" : "jpn")));
  assert.equal(thread.cells.answered, 400);
  await thread.stop();
});

/** Time that passes thirty times as fast for who looks after the thread: no slow machine is that slow. */
function hurry(thread: LanguageThread): ReturnType<typeof setInterval> {
  let now = 0;
  return setInterval(() => thread.ready && thread.look(now += 6_000), 200);
}

const MORTAL = new URL("./_language_worker.ts", import.meta.url);

Deno.test("LanguageThread that dies of a question is started anew, and the others are answered", async () => {
  let ready = 0;
  const thread = new LanguageThread(1, { ready: () => void ready++, fatal: assert.fail }, MORTAL);
  const asked = ["abc", "deadly", "def", "ghi", "deadly", "jkl", "deadly", "mno", "deadly", "pqr"];
  const answers = await ask(thread, 0, asked);
  assert.deepEqual(
    answers,
    asked.map((text) =>
      text === "deadly" ? { language: "", confidence: 0 } : { language: text, confidence: 0.125 }
    ),
  );
  assert.equal(ready, 5);
  await thread.stop();
});

Deno.test("LanguageThread that hangs at a question is replaced, and the others are answered", async () => {
  const thread = new LanguageThread(1, { ready() {}, fatal: assert.fail }, MORTAL);
  const clock = hurry(thread);
  const answers = await ask(thread, 0, ["abc", "endless", "def", "term"]);
  // The second thread answers: one takes the place of one.
  assert.equal(answers.map(({ language }) => language).join(), "abc,,def,002");
  clearInterval(clock);
  await thread.stop();
});

Deno.test("LanguageThread that hangs is replaced also where who asked has gone on to other questions", async () => {
  const thread = new LanguageThread(1, { ready() {}, fatal: assert.fail }, MORTAL);
  assert.equal((await ask(thread, 0, ["abc"]))[0]!.language, "abc");
  const clock = hurry(thread);
  let [answer] = await ask(thread, 0, ["endless"], 40);
  assert.equal(answer!.language, "");
  // Each is given up on while the thread hangs at the first.
  for (let tries = 0; tries < 300 && answer!.language === ""; tries++) {
    [answer] = await ask(thread, 0, ["def"], 40);
  }
  assert.equal(answer!.language, "def");
  clearInterval(clock);
  await thread.stop();
});

Deno.test("LanguageThread gives up when it dies of everything, or too many hang", async () => {
  for (
    const [text, died, again] of [
      ["deadly", "it ends with code", false],
      ["endless", "5 of them hang at what they were asked; start again", true],
    ] as const
  ) {
    const { promise, resolve } = Promise.withResolvers<[string, boolean]>();
    const events = { ready() {}, fatal: (...why: [string, boolean]) => resolve(why) };
    const thread = new LanguageThread(1, events, MORTAL);
    // One that dies may take its time about it.
    const clock = again ? hurry(thread) : undefined;
    // Answers between, so that it is not taken for one that cannot live at all.
    const asked = ask(
      thread,
      0,
      Array.from({ length: 5 }, () => again ? ["abc", text] : [text]).flat(),
    );
    const [why, restart] = await promise;
    assert(why.startsWith(`the thread that tells languages does not live: ${died}`), why);
    assert.equal(restart, again);
    clearInterval(clock);
    assert(!thread.ready);
    await asked;
  }
});

Deno.test("LanguageCells answer with no language whoever has waited long enough", async () => {
  const cells = new LanguageCells(1);
  const none = { language: "", confidence: 0 };
  assert.deepEqual(await ask({ cells }, 0, ["abc", "def"], 40), [none, none]);
});

Deno.test({
  name: "LanguageThread leaves no thread behind",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--no-check", new URL("./_stopped.ts", import.meta.url).href],
    }).output();
    assert.equal(new TextDecoder().decode(stdout), "0\n");
  },
});
