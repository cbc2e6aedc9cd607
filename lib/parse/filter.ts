/**
 * Which records are wanted.
 *
 * @module
 */

import { Scope, ScopePatternError } from "../url/mod.ts";
import { ParseError } from "./errors.ts";
import type { ParsedRecord, ParseFilter } from "./types.ts";

/** Says of a record whether it is wanted, as far as can be told without its payload. */
export type RecordTest = (record: ParsedRecord) => boolean;

/**
 * The test that a filter stands for, languages left aside.
 *
 * @throws {ParseError} When a URL pattern cannot be used.
 */
export function recordTest(filter: ParseFilter): RecordTest {
  const tests: RecordTest[] = [];
  const { types = [], statuses = [], mimes = [], urls = [] } = filter;
  if (types.length > 0) {
    const wanted = new Set(types.map((type) => type.toLowerCase()));
    tests.push(({ type }) => wanted.has(type));
  }
  if (statuses.length > 0) {
    tests.push(({ status }) => statuses.some((s) => status >= s.first && status <= s.last));
  }
  if (mimes.length > 0) {
    const wanted = mimes.map((mime) => mime.trim().toLowerCase());
    tests.push(({ mime }) => wanted.some((one) => matchesMime(mime, one)));
  }
  if (urls.length > 0) tests.push(urlTest(urls));
  return (record) => tests.every((test) => test(record));
}

function matchesMime(mime: string, wanted: string): boolean {
  return wanted.endsWith("*") ? mime.startsWith(wanted.slice(0, -1)) : mime === wanted;
}

function urlTest(patterns: readonly string[]): RecordTest {
  const globs: string[] = [], others: string[] = [];
  for (const one of patterns) (/^https?:\/\/[^(]/i.test(one) ? globs : others).push(one);
  let scope: Scope | undefined;
  try {
    scope = others.length > 0 ? new Scope({ include: others }) : undefined;
  } catch (cause) {
    if (!(cause instanceof ScopePatternError)) throw cause;
    throw new ParseError(cause.message, "", { cause });
  }
  return ({ url }) => globs.some((glob) => matchesGlob(url, glob)) || scope?.inScope(url) === true;
}

/** Whether `*` of a pattern can stand for something so that it is the text. Never backtracks twice. */
export function matchesGlob(text: string, pattern: string): boolean {
  const pieces = pattern.split("*");
  const first = pieces[0]!, last = pieces.at(-1)!;
  if (pieces.length === 1) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    // The earliest place leaves the most for what follows.
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
