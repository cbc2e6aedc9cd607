/**
 * What the web sends in content codings and charsets, with what a reader should make of it:
 * data for both sides, the server that sends it and the tests that judge what arrived.
 *
 * @module
 */

/** The text behind every content coding, long enough to be worth coding. */
export const CODED_TEXT: string =
  "<!DOCTYPE html><html><head><title>Coded</title></head><body><p>" +
  "The quick brown fox jumps over the lazy dog, and again, and once more. ".repeat(30) +
  "</p></body></html>\n";

/** One content coding, right or wrong. */
export interface CodingSample {
  /** `/coding/<name>`. */
  readonly name: string;
  /** The Content-Encoding sent, "" for none. */
  readonly header: string;
  /** `whole`: decodes to {@linkcode CODED_TEXT}. `cut`: a part of it at most. `wrong`: does not decode. */
  readonly outcome: "whole" | "cut" | "wrong";
}

/** Every `/coding/<name>`. */
export const CODINGS: readonly CodingSample[] = [
  { name: "identity", header: "", outcome: "whole" },
  { name: "gzip", header: "gzip", outcome: "whole" },
  { name: "x-gzip", header: "x-gzip", outcome: "whole" },
  { name: "gzip-upper", header: "GZIP", outcome: "whole" },
  { name: "gzip-members", header: "gzip", outcome: "whole" },
  { name: "gzip-trailing", header: "gzip", outcome: "whole" },
  { name: "gzip-chunked", header: "gzip", outcome: "whole" },
  { name: "br", header: "br", outcome: "whole" },
  { name: "zstd", header: "zstd", outcome: "whole" },
  { name: "deflate", header: "deflate", outcome: "whole" },
  { name: "raw-deflate", header: "deflate", outcome: "whole" },
  { name: "twice", header: "gzip, br", outcome: "whole" },
  { name: "says-identity", header: "identity", outcome: "whole" },
  { name: "gzip-cut", header: "gzip", outcome: "cut" },
  { name: "br-cut", header: "br", outcome: "cut" },
  { name: "zstd-cut", header: "zstd", outcome: "cut" },
  { name: "deflate-cut", header: "deflate", outcome: "cut" },
  { name: "gzip-bad-sum", header: "gzip", outcome: "cut" },
  { name: "says-gzip", header: "gzip", outcome: "wrong" },
  { name: "says-br", header: "br", outcome: "wrong" },
  { name: "says-zstd", header: "zstd", outcome: "wrong" },
  { name: "says-deflate", header: "deflate", outcome: "wrong" },
  { name: "unknown", header: "x-shrink", outcome: "wrong" },
  { name: "gzip-as-br", header: "br", outcome: "wrong" },
];

/** Texts that their charsets can hold. */
export interface CharsetSample {
  /** Label of the encoding standard; `/charset/<label>/<how>`. */
  readonly label: string;
  readonly text: string;
}

/** Every `/charset/<label>/…`. */
export const CHARSETS: readonly CharsetSample[] = [
  { label: "utf-8", text: "Grüße aus Köln, привет, こんにちは" },
  { label: "utf-16le", text: "Grüße aus Köln, привет, こんにちは" },
  { label: "utf-16be", text: "Grüße aus Köln, привет, こんにちは" },
  { label: "iso-8859-1", text: "déjà vu, garçon, señor, Straße" },
  { label: "windows-1252", text: "“smart quotes” – déjà vu – 100 €" },
  { label: "iso-8859-2", text: "Zażółć gęślą jaźń, příliš žluťoučký" },
  { label: "iso-8859-15", text: "le cœur a ses raisons, 5 €" },
  { label: "windows-1250", text: "Příliš žluťoučký kůň úpěl ďábelské ódy" },
  { label: "windows-1251", text: "Съешь же ещё этих мягких французских булок" },
  { label: "koi8-r", text: "Съешь же ещё этих мягких французских булок" },
  { label: "iso-8859-7", text: "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία" },
  { label: "windows-1254", text: "Pijamalı hasta yağız şoföre çabucak güvendi" },
  { label: "windows-1255", text: "דג סקרן שט בים מאוכזב" },
  { label: "windows-1256", text: "نص حكيم له سر قاطع وذو شأن عظيم" },
  { label: "windows-874", text: "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า" },
  { label: "shift_jis", text: "いろはにほへと ちりぬるを 日本語の文章" },
  { label: "euc-jp", text: "いろはにほへと ちりぬるを 日本語の文章" },
  { label: "iso-2022-jp", text: "いろはにほへと日本語" },
  { label: "gbk", text: "天地玄黄，宇宙洪荒。日月盈昃，辰宿列张。" },
  { label: "big5", text: "天地玄黃，宇宙洪荒。日月盈昃，辰宿列張。" },
  { label: "euc-kr", text: "다람쥐 헌 쳇바퀴에 타고파" },
];

/** How a charset is made known: `/charset/<label>/<how>`. */
export const CHARSET_WAYS = [
  "header",
  "quoted",
  "meta",
  "http-equiv",
  "late-meta",
  "bom",
  "none",
  "conflict",
] as const;
