import assert from "node:assert/strict";
import { loadLanguageDetector } from "../../lib/render/language.ts";

const detect = await loadLanguageDetector();

Deno.test("loadLanguageDetector() tells languages by their three-letter codes, and how sure it is", () => {
  for (
    const [language, text] of [
      ["eng", "The quick brown fox jumps over the lazy dog while everybody else is asleep."],
      ["deu", "Am nächsten Morgen ging er wieder hinaus, um nach dem Wetter zu sehen."],
      ["fra", "Le lendemain matin, il sortit de nouveau pour voir quel temps il faisait."],
      ["rus", "На следующее утро он снова вышел посмотреть, какая стоит погода."],
      ["ukr", "Наступного ранку він знову вийшов подивитися, яка стоїть погода."],
      [
        "zho",
        "第二天早上，他又出去看看天气怎么样。这本书是我昨天在图书馆借来的，里面有很多有趣的故事，我很喜欢。",
      ],
      [
        "jpn",
        "翌朝、彼は天気を見るためにもう一度外に出た。空は晴れていて、風はとても冷たかったので上着を着た。",
      ],
      ["ara", "في صباح اليوم التالي خرج مرة أخرى ليرى كيف كان الطقس في المدينة."],
      ["nor", "Neste morgen gikk han ut igjen for å se hvordan været var i byen."],
    ] as const
  ) {
    const detected = detect(text);
    assert.equal(detected.language, language, text);
    assert.ok(detected.confidence > 0.5 && detected.confidence <= 1, text);
  }
});

Deno.test("loadLanguageDetector() breaks ties between close relatives", () => {
  for (
    const [language, text] of [
      [
        "afr",
        "Die kinders het gister in die tuin gespeel en hulle was baie moeg toe hulle by die huis kom.",
      ],
      [
        "nld",
        "De kinderen hebben gisteren in de tuin gespeeld en ze waren erg moe toen ze thuiskwamen.",
      ],
      [
        "ind",
        "Anak-anak bermain di kebun kemarin dan mereka sangat lelah ketika mereka pulang ke rumah karena sudah malam.",
      ],
      [
        "mkd",
        "Децата вчера играа во градината и беа многу уморни кога дојдоа дома, затоа што веќе беше доцна.",
      ],
      [
        "kaz",
        "Балалар кеше бақшада ойнады және үйге келгенде өте шаршады, өйткені кеш болған еді.",
      ],
    ] as const
  ) assert.equal(detect(text).language, language, text);
});

Deno.test("loadLanguageDetector() says nothing of what is too short or no language", () => {
  assert.deepEqual(detect("Twenty-nine characters, no more"), { language: "", confidence: 0 });
  assert.deepEqual(detect(""), { language: "", confidence: 0 });
  assert.deepEqual(detect("0123456789 ".repeat(50)), { language: "", confidence: 0 });
});

Deno.test("loadLanguageDetector() is not misled by addresses or by how a page begins", () => {
  const german = "Am nächsten Morgen ging er wieder hinaus, um nach dem Wetter zu sehen. ";
  const address = "https://www.example.com/the/quick/brown/fox/jumps/over.html ";
  assert.equal(detect(address.repeat(10) + german + german).language, "deu");
  assert.equal(
    detect("Home News Search About us Contact Login " + german.repeat(60)).language,
    "deu",
  );
});
