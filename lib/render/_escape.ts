/**
 * Keeps text from being read as Markdown.
 *
 * @module
 */

import { Joined } from "./_joined.ts";

/** One bit a character: those that may need a backslash somewhere. */
const SPECIAL = new Uint8Array(128);
for (const c of "\\`*_[]<&~") SPECIAL[c.charCodeAt(0)] = 1;

/**
 * Escape what would be markup inside a line (CommonMark 2.4, GFM 6.5): only where it could be, so that
 * `snake_case`, `a < b` and `AT&T` stay as they are.
 */
export function escapeInline(text: string): string {
  let escaped: Joined | undefined, done = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c >= 128 || SPECIAL[c] === 0 || !isMarkup(text, i, c)) continue;
    (escaped ??= new Joined("\\")).add(text.slice(done, i));
    done = i;
  }
  return escaped?.end(text.slice(done)) ?? text;
}

function isMarkup(text: string, i: number, c: number): boolean {
  const next = text.charCodeAt(i + 1); // NaN at the end
  switch (c) {
    case 95: // an underscore inside a word is no emphasis
      return !(isWord(text.charCodeAt(i - 1)) && isWord(next));
    case 42: // nor is an asterisk between spaces
      return !(text.charCodeAt(i - 1) === 32 && next === 32);
    case 60: // "<" begins a tag only before a letter, "/", "!" or "?"
      return next >= 65 && next <= 90 || next >= 97 && next <= 122 || next === 47 || next === 33 ||
        next === 63;
    case 38: // "&" begins a reference only if a ";" ends it
      return isReference(text, i + 1);
    case 126:
      return next === 126 || text.charCodeAt(i - 1) === 126;
    default:
      return true;
  }
}

function isReference(text: string, start: number): boolean {
  for (let i = start; i < text.length && i < start + 32; i++) {
    const c = text.charCodeAt(i);
    if (c === 59) return i > start;
    if (!isWord(c) && !(c === 35 && i === start)) return false;
  }
  return false;
}

/** Whether a UTF-16 unit is part of a word; beyond ASCII everything is taken to be. */
export function isWord(c: number): boolean {
  return c >= 97 && c <= 122 || c >= 65 && c <= 90 || c >= 48 && c <= 57 || c > 127;
}

/** Escape what would be a block at the beginning of a line (CommonMark 4 and 5). */
export function escapeLineStart(line: string): string {
  const c = line.charCodeAt(0);
  if (c === 35 /* # */) {
    let i = 1;
    while (i < 7 && line.charCodeAt(i) === 35) i++;
    return i < 7 && (i === line.length || line.charCodeAt(i) === 32) ? "\\" + line : line;
  }
  if (c === 62 /* > */) return "\\" + line;
  if (c === 61 /* = */) return line.length === 1 || line.charCodeAt(1) === 61 ? "\\" + line : line;
  if (c === 45 || c === 43 /* - + */) {
    const next = line.charCodeAt(1);
    return Number.isNaN(next) || next === 32 || next === c ? "\\" + line : line;
  }
  if (c >= 48 && c <= 57) {
    let i = 1;
    while (i < 10 && line.charCodeAt(i) >= 48 && line.charCodeAt(i) <= 57) i++;
    const mark = line.charCodeAt(i), next = line.charCodeAt(i + 1);
    if ((mark === 46 || mark === 41) && (Number.isNaN(next) || next === 32)) {
      return line.slice(0, i) + "\\" + line.slice(i);
    }
  }
  return line;
}

/** A link destination that ends where it should (CommonMark 6.3). */
export function destination(url: string): string {
  let depth = 0;
  for (let i = 0; i < url.length; i++) {
    const c = url.charCodeAt(i);
    if (c === 40) depth++;
    else if (c === 41 && --depth < 0) break;
    else if (c <= 32 || c === 60 || c === 62) {
      depth = -1;
      break;
    }
    if (depth > 8) break;
  }
  if (depth === 0) return url;
  // A serialised URL holds neither white space nor "<" and ">" outside its fragment and query.
  return "<" + url.replace(/[\s<>]/g, (c) => encodeURIComponent(c)) + ">";
}

/** A code span whose fence is longer than any run of backticks within (CommonMark 6.1). */
export function codeSpan(code: string): string {
  const fence = "`".repeat(longestRun(code, 96) + 1);
  const pad = code.startsWith("`") || code.endsWith("`") ? " " : "";
  return fence + pad + code + pad + fence;
}

/** Length of the longest run of one character. */
export function longestRun(text: string, c: number): number {
  let longest = 0, run = 0;
  for (let i = 0; i < text.length; i++) {
    run = text.charCodeAt(i) === c ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}
