import assert from "node:assert/strict";
import fc from "fast-check";
import { countWords } from "../../lib/render/words.ts";

const segmenter = new Intl.Segmenter("und", { granularity: "word" });
const reference = (text: string) => [...segmenter.segment(text)].filter((s) => s.isWordLike).length;

Deno.test("countWords() counts as Unicode segmentation does, whatever the script", () => {
  for (
    const text of [
      "",
      "  \n ",
      "It's a well-known fact: 1,000.50 euros; e-mail me@example.com (or http://example.com/a_b?c=1).",
      "L’été à Besançon — « déjà vu » … naïve façade",
      "Съешь же ещё этих мягких французских булок, да выпей чаю.",
      "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία",
      "私はガラスを食べられます。それは私を傷つけません。",
      "我能吞下玻璃而不伤身体。 and English, 3.5 mixed 中文 in",
      "ฉันกินกระจกได้ แต่มันไม่ทำให้ฉันเจ็บ",
      "أنا قادر على أكل الزجاج و هذا لا يؤلمني",
      "나는 유리를 먹을 수 있어요. 그래도 아프지 않아요",
      "मैं काँच खा सकता हूँ और मुझे उससे कोई चोट नहीं पहुंचती",
      "e\u0301te\u0301 👩‍👩‍👧 🇫🇷 x² ½ snake_case __init__ _ a_ 1_000",
    ]
  ) assert.equal(countWords(text), reference(text), text);
});

Deno.test("countWords() agrees with Intl.Segmenter on any mix", () => {
  const bits = fc.constantFrom(
    ..."ab19_'’.,;:- \n\"()éßЖωµªº·\u00a0\u00ad—“”…日語カのab12عبहि๑กー\u0301👍",
    "don't",
    "3.14",
    " the ",
    " и ",
  );
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 40 }), (parts) => {
      const text = parts.join("");
      assert.equal(countWords(text), reference(text));
    }),
    { numRuns: 4000 },
  );
});

Deno.test("countWords() bounds what it gives to the segmenter and goes on at the rate found", () => {
  const line = "漢字の文章です。";
  const words = countWords(line.repeat(500_000));
  const rate = reference(line.repeat(1000)) / 1000;
  assert.ok(Math.abs(words / (rate * 500_000) - 1) < 0.02, String(words));
});
