/**
 * The piece of a text that shows why it was found.
 *
 * @module
 */

import type { Term } from "./_query.ts";
import { type Word, words } from "./_text.ts";
import type { SearchOptions } from "./types.ts";

/** Characters of a text that are looked through. */
const MAX_TEXT = 1 << 20;
/** Words of a snippet; of scripts without blanks, characters. */
const WIDTH = 32;
/** Words shown before the first that was found. */
const LEAD = 6;
/** Characters of a snippet at the most. */
const MAX_LENGTH = 400;

/** Where a term stands in a text, counted in words. */
interface Place {
  readonly term: number;
  readonly first: number;
  readonly last: number;
}

/** A piece of the text on one line, with what was asked for marked. */
export function snippet(
  text: string,
  terms: readonly Term[],
  { marks = ["**", "**"], escape = (piece) => piece }: SearchOptions,
): string {
  const looked = text.slice(0, MAX_TEXT);
  const all = [...words(looked)];
  const places = placesOf(all, terms);
  const from = Math.max(0, bestStart(places) - LEAD);
  const shown = all.slice(from, from + WIDTH);
  const begin = from === 0 ? 0 : shown[0]?.start ?? 0;
  let end = from + WIDTH >= all.length ? looked.length : shown.at(-1)?.end ?? looked.length;
  end = Math.min(end, begin + MAX_LENGTH);
  let out = "", at = begin;
  for (const { first, last } of merged(places)) {
    const start = all[first]!.start, stop = all[last]!.end;
    if (start < at || stop > end) continue;
    out += escape(looked.slice(at, start)) + marks[0] + escape(looked.slice(start, stop)) +
      marks[1];
    at = stop;
  }
  out += escape(looked.slice(at, end).toWellFormed());
  out = out.replace(/\s+/g, " ").trim();
  return (begin > 0 ? "…" : "") + out + (end < text.length ? "…" : "");
}

function placesOf(all: readonly Word[], terms: readonly Term[]): Place[] {
  // By a term's first word; a word that may go on is looked for in each word.
  const starts = new Map<string, number[]>();
  const open: number[] = [];
  for (const [term, { words: [first = ""], words: list, prefix }] of terms.entries()) {
    if (prefix && list.length === 1) open.push(term);
    else starts.set(first, [...starts.get(first) ?? [], term]);
  }
  const places: Place[] = [];
  for (const [first, { folded }] of all.entries()) {
    const begins = open.filter((term) => folded.startsWith(terms[term]!.words[0]!));
    for (const term of [...starts.get(folded) ?? [], ...begins]) {
      const wanted = terms[term]!.words;
      const follows = wanted.every((word, i) => {
        const there = all[first + i]?.folded;
        return i === wanted.length - 1 && terms[term]!.prefix
          ? there?.startsWith(word)
          : there === word;
      });
      if (follows) places.push({ term, first, last: first + wanted.length - 1 });
    }
  }
  return places;
}

/** The first word of the window that has most of the terms; the earliest of several. */
function bestStart(places: readonly Place[]): number {
  const inside = new Map<number, number>();
  let best = 0, start = places[0]?.first ?? 0, left = 0;
  for (const { term, first } of places) {
    inside.set(term, (inside.get(term) ?? 0) + 1);
    while (places[left]!.first < first - WIDTH + LEAD) {
      const gone = places[left++]!.term;
      const rest = inside.get(gone)! - 1;
      if (rest === 0) inside.delete(gone);
      else inside.set(gone, rest);
    }
    if (inside.size > best) {
      best = inside.size;
      start = places[left]!.first;
    }
  }
  return start;
}

/** Places that touch or overlap as one. */
function merged(places: readonly Place[]): Place[] {
  const out: Place[] = [];
  for (const place of places) {
    const before = out.at(-1);
    if (before === undefined || place.first > before.last) out.push(place);
    else if (place.last > before.last) out[out.length - 1] = { ...before, last: place.last };
  }
  return out;
}
