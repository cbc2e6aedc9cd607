/** Kinds of characters that the fast path knows; anything else goes to the segmenter. */
const BREAK = 0, LETTER = 1, DIGIT = 2, UNDERSCORE = 3, APOSTROPHE = 4, NUMERIC = 5, UNKNOWN = 6;

/** Kinds of U+0000 to U+052F. */
const KINDS = new Uint8Array(0x530).fill(UNKNOWN);
KINDS.fill(BREAK, 0, 0x80);
for (
  const [kind, ranges] of [
    [LETTER, "AZ az ªª µµ ºº ÀÖ Øö øɏ ΆΆ ΈΊ ΌΌ ΎΡ Σώ Ѐҁ Ҋԯ"],
    [DIGIT, "09"],
    [BREAK, "\u00a0© «¬ ®´ ¶¶ ¸¹ »¿ ×× ÷÷"],
  ] as const
) {
  for (const range of ranges.split(" ")) {
    KINDS.fill(kind, range.charCodeAt(0), range.charCodeAt(1) + 1);
  }
}
KINDS["_".charCodeAt(0)] = UNDERSCORE;
KINDS["'".charCodeAt(0)] = APOSTROPHE;
for (const c of ".,;") KINDS[c.charCodeAt(0)] = NUMERIC;

function kindOf(c: number): number {
  if (c < 0x530) return KINDS[c]!;
  if (c === 0x2019) return APOSTROPHE;
  // Dashes, quotation marks, bullets and the ellipsis of general punctuation; CJK's comma and stop.
  return c >= 0x2010 && c <= 0x2017 || c >= 0x201a && c <= 0x2023 || c === 0x2025 || c === 0x2026 ||
      c >= 0x3000 && c <= 0x3002
    ? BREAK
    : UNKNOWN;
}

/** Longest piece given to the segmenter at once, and most characters given to it in all. */
const LONGEST_PIECE = 4_000;
const MOST_SEGMENTED = 600_000;

let segmenter: Intl.Segmenter | undefined;

/**
 * Count words by Unicode segmentation (UAX #29, as `Intl.Segmenter` has it, dictionaries for scripts
 * without spaces included).
 *
 * Latin, Greek and Cyrillic are counted by a loop that follows the same rules, which is
 * cheaper; the rest goes to the segmenter. Its share is bounded: of a text with more than 600 000
 * such characters the remainder is counted at the rate found so far.
 *
 * @example Usage
 * ```ts
 * import { countWords } from "@ccrawl/cli/render";
 * import assert from "node:assert/strict";
 *
 * assert.equal(countWords("It's 3.14, not 3 — 日本語のテキスト"), 7);
 * ```
 */
export function countWords(text: string): number {
  let words = 0, segmented = 0, segmentedWords = 0, skipped = 0;
  const { length } = text;
  let i = 0;
  while (i < length) {
    const start = i;
    // One run without white space, by the loop if it can.
    let kind = 0;
    let found = 0;
    while (i < length && (kind = kindOf(text.charCodeAt(i))) !== UNKNOWN) {
      if (kind === BREAK) {
        i++;
        if (text.charCodeAt(i - 1) <= 32) break;
        continue;
      }
      const from = i;
      i = endOfWord(text, i);
      if (i > from) found++;
      else i++;
    }
    if (kind !== UNKNOWN || i >= length) {
      words += found;
      continue;
    }
    i = endOfPiece(text, start, i);
    if (segmented + (i - start) > MOST_SEGMENTED) {
      skipped += i - start;
      continue;
    }
    segmented += i - start;
    segmentedWords += segment(text.slice(start, i));
  }
  words += segmentedWords;
  return skipped === 0
    ? words
    : words + Math.round(skipped * segmentedWords / Math.max(1, segmented));
}

/** From a character that is no break to after the word it begins; the same place when it begins none. */
function endOfWord(text: string, start: number): number {
  let i = start, word = false, underscores = 0, before = BREAK;
  for (; i < text.length; i++) {
    const kind = kindOf(text.charCodeAt(i));
    if (kind === LETTER || kind === DIGIT) word = true;
    else if (kind === UNDERSCORE) underscores++;
    else if (kind === APOSTROPHE || kind === NUMERIC) {
      // Joins two letters ("it's"), or two digits ("1,000.50").
      const after = i + 1 < text.length ? kindOf(text.charCodeAt(i + 1)) : BREAK;
      if (after !== before || !(before === DIGIT || before === LETTER && kind === APOSTROPHE)) {
        break;
      }
    } else break;
    before = kind;
  }
  return word || underscores > 1 ? i : start;
}

/**
 * Where a piece for the segmenter ends: at white space that is followed by something the loop knows.
 * Without any it is cut, which may split one word in thousands.
 */
function endOfPiece(text: string, start: number, unknown: number): number {
  const limit = Math.min(text.length, start + LONGEST_PIECE);
  let end = Math.max(unknown + 1, start + 1);
  while (end < limit) {
    if (
      text.charCodeAt(end) <= 32 && end + 1 < text.length &&
      kindOf(text.charCodeAt(end + 1)) !== UNKNOWN
    ) break;
    end++;
  }
  // Not between the halves of a surrogate pair.
  const c = text.charCodeAt(end);
  return c >= 0xdc00 && c <= 0xdfff ? end + 1 : end;
}

function segment(piece: string): number {
  segmenter ??= new Intl.Segmenter("und", { granularity: "word" });
  let words = 0;
  for (const part of segmenter.segment(piece)) if (part.isWordLike) words++;
  return words;
}
