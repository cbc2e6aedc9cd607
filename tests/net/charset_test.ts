import assert from "node:assert/strict";
import fc from "fast-check";
import { decodeText, loadDetector } from "../../lib/net/charset.ts";

const utf8 = (s: string) => new TextEncoder().encode(s);
const latin1 = (s: string) => Uint8Array.from(s, (c) => c.charCodeAt(0));

const tables = new Map<string, Map<string, number[]>>();

/** Turns a decoder of the platform around: bytes by character. */
function encoder(label: string): (s: string) => Uint8Array {
  const bytesOf = tables.get(label) ?? table(label);
  tables.set(label, bytesOf);
  return (s) => Uint8Array.from([...s].flatMap((c) => bytesOf.get(c) ?? assert.fail(c)));
}

function table(label: string): Map<string, number[]> {
  const decoder = new TextDecoder(label);
  const bytesOf = new Map<string, number[]>();
  const learn = (...bytes: number[]) => {
    const s = decoder.decode(Uint8Array.from(bytes));
    if (s.length === 1 && s !== "\ufffd" && !bytesOf.has(s)) bytesOf.set(s, bytes);
  };
  for (let i = 0; i < 256; i++) learn(i);
  for (let a = 0x81; a < 255; a++) for (let b = 0x40; b < 255; b++) learn(a, b);
  return bytesOf;
}

const SAMPLES: Record<string, string> = {
  "windows-1251": "Привет, мир! Это русская страница о погоде и новостях города Москвы.",
  "koi8-r": "Привет, мир! Это русская страница о погоде и новостях города Москвы.",
  "shift_jis": "これは日本語のページです。今日の天気とニュースについて書いています。",
  "euc-jp": "これは日本語のページです。今日の天気とニュースについて書いています。",
  "gbk": "这是一个中文网页，介绍今天的天气和新闻，欢迎大家访问我们的网站。",
  "big5": "這是一個中文網頁，介紹今天的天氣和新聞，歡迎大家訪問我們的網站。",
  "euc-kr": "이것은 한국어 페이지입니다. 오늘의 날씨와 뉴스에 대해 씁니다.",
  "windows-1252": "Voilà une page française très élégante, où l'on parle de l'été et des élèves.",
  "windows-1250":
    "Příliš žluťoučký kůň úpěl ďábelské ódy. Zítra bude hezké počasí v celé republice.",
  "windows-1253": "Αυτή είναι μια ελληνική σελίδα για τον καιρό και τα νέα της ημέρας.",
  "windows-1255": "זהו דף בעברית על מזג האוויר והחדשות של היום.",
  "windows-1256": "هذه صفحة عربية عن الطقس وأخبار اليوم في المدينة.",
};

Deno.test("decodeText() puts a byte order mark above all, and takes it off", () => {
  const r = decodeText(utf8("\ufeffé"), "text/html; charset=windows-1252");
  assert.deepEqual(r, { text: "é", charset: "utf-8", source: "bom" });
  const le = Uint8Array.from([0xff, 0xfe, 0xe9, 0]);
  assert.deepEqual(decodeText(le, "text/html; charset=utf-8"), {
    text: "é",
    charset: "utf-16le",
    source: "bom",
  });
  const be = Uint8Array.from([0xfe, 0xff, 0, 0xe9]);
  assert.equal(decodeText(be, "").text, "é");
});

Deno.test("decodeText() reads the charset out of Content-Type as servers write it", () => {
  const bytes = encoder("windows-1251")("Привет");
  for (
    const value of [
      "text/html; charset=windows-1251",
      "text/html;charset=WINDOWS-1251",
      'text/html; charset="windows-1251"',
      "text/html; charset='windows-1251'",
      'text/html; charset="windows-1251',
      "text/html; charset = cp1251 ; q=1",
      "text/html; charset=win-1251",
      "charset=windows-1251",
      "text/html; x-charset; charset=windows-1251, text/html",
    ]
  ) {
    assert.deepEqual(
      decodeText(bytes, value),
      { text: "Привет", charset: "windows-1251", source: "http" },
      value,
    );
  }
});

Deno.test("decodeText() passes over charsets that do not exist", () => {
  for (const value of ["none", "utf-7", "", '""', "replacement", "iso-2022-cn", "x".repeat(1e6)]) {
    const r = decodeText(utf8("é"), `text/html; charset=${value}`);
    assert.deepEqual(r, { text: "é", charset: "utf-8", source: "utf8" }, value.slice(0, 20));
  }
});

Deno.test("decodeText() finds the meta element in its many forms", () => {
  for (
    const head of [
      "<meta charset=windows-1251>",
      '<META CHARSET="Windows-1251" />',
      "<meta\n\tcharset = 'windows-1251'>",
      "<meta/charset=windows-1251>",
      '<meta name=a content="charset=utf-8"><meta charset=windows-1251>',
      '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
      "<meta content='text/html;charset=windows-1251' http-equiv=content-type>",
      "<!-- <meta charset=utf-8> --><meta charset=windows-1251>",
      "<!--><meta charset=windows-1251>",
      '<div title="<meta charset=utf-8>"><meta charset=windows-1251>',
      "<?php > <meta charset=windows-1251>",
      "<meta charset=nonsense><meta charset=windows-1251>",
      "<metadata charset=utf-8><meta charset=windows-1251>",
      '<?xml version="1.0" encoding="windows-1251"?>',
      `<script>${"var x = 1 < 2;\n".repeat(3000)}</script><meta charset=windows-1251>`,
    ]
  ) {
    const bytes = Uint8Array.from([...latin1(head), ...encoder("windows-1251")("Привет")]);
    const r = decodeText(bytes, "text/html");
    assert.equal(r.source, "meta", head.slice(0, 80));
    assert.equal(r.charset, "windows-1251", head.slice(0, 80));
    assert(r.text.endsWith("Привет"));
  }
});

Deno.test("decodeText() reads UTF-8 where a meta element claims UTF-16", () => {
  const r = decodeText(utf8("<meta charset=utf-16><p>é"), "");
  assert.deepEqual([r.charset, r.source, r.text.at(-1)], ["utf-8", "meta", "é"]);
  assert.equal(decodeText(utf8("<meta charset=x-user-defined>"), "").charset, "windows-1252");
});

Deno.test("decodeText() does not look for a meta element in what is not HTML, nor far down", () => {
  const text = "<meta charset=windows-1251>é";
  assert.equal(decodeText(utf8(text), "text/plain", { html: false }).source, "utf8");
  assert.equal(decodeText(utf8(" ".repeat(65536) + text), "text/html").source, "utf8");
});

Deno.test("decodeText() takes for UTF-8 what is UTF-8, though the body was cut amid a character", () => {
  const text = "Grüße, 世界 🌍";
  const bytes = utf8(text);
  for (let n = 1; n <= bytes.length; n++) {
    const r = decodeText(bytes.subarray(0, n), "");
    assert.equal(r.source, "utf8");
    assert(text.startsWith(r.text.replace(/\ufffd$/, "")), r.text);
  }
});

Deno.test("decodeText() takes for UTF-8 a page with a few bytes of something else", () => {
  const r = decodeText(Uint8Array.from([...utf8("Grüße ".repeat(50)), 0xe9, 0x20]), "");
  assert.deepEqual([r.charset, r.source], ["utf-8", "utf8"]);
  assert.equal(r.text.match(/\ufffd/g)!.length, 1);
});

Deno.test("decodeText() knows UTF-16 without a mark", () => {
  const le = Uint8Array.from([..."<html>é"].flatMap((c) => [c.charCodeAt(0), 0]));
  const be = Uint8Array.from([..."<html>é"].flatMap((c) => [0, c.charCodeAt(0)]));
  assert.deepEqual(decodeText(le, ""), {
    text: "<html>é",
    charset: "utf-16le",
    source: "detected",
  });
  assert.deepEqual(decodeText(be, ""), {
    text: "<html>é",
    charset: "utf-16be",
    source: "detected",
  });
});

Deno.test("decodeText() decodes the 7-bit encodings that the platform refuses", () => {
  const gbk = Uint8Array.from(encoder("gbk")("己所不欲，勿施於人。"), (c) => c & 0x7f);
  const hz = Uint8Array.from([...latin1("This is ~~ ~{"), ...gbk, ...latin1("~} end~\n.")]);
  assert.deepEqual(decodeText(hz, "text/html; charset=hz-gb-2312"), {
    text: "This is ~ 己所不欲，勿施於人。 end.",
    charset: "hz-gb-2312",
    source: "http",
  });
  const eucKr = encoder("euc-kr")("가나다");
  const shifted = Uint8Array.from(eucKr, (c) => c & 0x7f);
  const kr = Uint8Array.from([...latin1("\x1b$)Ca \x0e"), ...shifted, ...latin1("\x0f b")]);
  assert.deepEqual(decodeText(kr, "text/html; charset=ISO-2022-KR"), {
    text: "a 가나다 b",
    charset: "iso-2022-kr",
    source: "http",
  });
  assert.deepEqual(decodeText(kr, ""), {
    text: "a 가나다 b",
    charset: "iso-2022-kr",
    source: "detected",
  });
});

Deno.test("decodeText() knows undeclared ISO-2022-JP, which is valid UTF-8, by its escapes", () => {
  const r = decodeText(latin1('a \x1b$B$"$$\x1b(B b'), "");
  assert.deepEqual(r, { text: "a あい b", charset: "iso-2022-jp", source: "detected" });
});

Deno.test("decodeText() falls back to windows-1252, and detects once the detector is there", async () => {
  const bytes = encoder("windows-1251")(`<p>${SAMPLES["windows-1251"]}`);
  assert.deepEqual(
    { ...decodeText(bytes, ""), text: "" },
    { text: "", charset: "windows-1252", source: "fallback" },
  );
  await loadDetector();
  for (const [charset, text] of Object.entries(SAMPLES)) {
    const page = `<html><head><script>${"var a = 1;\n".repeat(3000)}</script></head><body>`;
    const encoded = encoder(charset)(page + `<p>${text}</p>\n`.repeat(10));
    const r = decodeText(encoded, "text/html");
    // Of the Latin ones a detector is seldom sure, and windows-1252 is what is left then.
    assert(r.source === "detected" || r.charset === "windows-1252", charset);
    assert(r.text.includes(text), `${charset} taken for ${r.charset}`);
  }
});

Deno.test("decodeText() takes any bytes with any label and gives well-formed text", async () => {
  await loadDetector();
  const label = fc.constantFrom(
    "",
    ...["utf-8", "gbk", "big5", "iso-2022-jp", "hz-gb-2312", "iso-2022-kr", "utf-16le", "x"]
      .map((l) => `text/html; charset=${l}`),
  );
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 30 }),
    fc.constantFrom(
      ...'<meta,charset,=,http-equiv=content-type,content=",<!--,-->,>,~{,\x1b$B,\x0e,é,\0'.split(
        ",",
      ),
    )
      .map(utf8),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), label, fc.boolean(), (parts, type, html) => {
      const r = decodeText(Uint8Array.from(parts.flatMap((p) => [...p])), type, { html });
      assert(r.text.isWellFormed());
      assert.notEqual(r.charset, "");
    }),
    { numRuns: 500 },
  );
});

Deno.test("decodeText() is not slowed by documents made for it", () => {
  // Quadratic work over any of these would take minutes.
  for (
    const unit of ["<!--", '<a "', "<meta ", "<meta content='charset", "<", "</", "<x =", "\x1b"]
  ) {
    const bytes = utf8(unit.repeat(Math.ceil((4 << 20) / unit.length)));
    assert.equal(decodeText(bytes, "text/html").charset, "utf-8");
  }
  assert.equal(decodeText(utf8("é"), "charset".repeat(500_000)).source, "utf8");
});
