/**
 * The near miss: which known word was probably meant.
 *
 * @module
 */

/**
 * Edits (insertions, deletions, substitutions, swaps of neighbours) between two words.
 */
export function editDistance(a: string, b: string): number {
  const width = b.length + 1;
  let before = new Uint16Array(width);
  let above = new Uint16Array(width);
  let row = new Uint16Array(width);
  for (let j = 0; j < width; j++) above[j] = j;
  for (let i = 1; i <= a.length; i++) {
    row[0] = i;
    for (let j = 1; j < width; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let best = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (swapped) best = Math.min(best, before[j - 2]! + 1);
      row[j] = best;
    }
    [before, above, row] = [above, row, before];
  }
  return above[b.length]!;
}

/** Longest word that is compared: nothing longer is a slip of the fingers. */
const LONGEST = 64;

/**
 * Up to three of `known` that are near `word`, nearest first: a third of the letters may differ, or
 * `word` is the beginning of the known one.
 */
export function suggest(word: string, known: Iterable<string>): string[] {
  if (word.length === 0 || word.length > LONGEST) return [];
  const lower = word.toLowerCase();
  const scored: { word: string; distance: number }[] = [];
  for (const candidate of known) {
    const distance = editDistance(lower, candidate.toLowerCase());
    const allowed = Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3));
    if (distance <= allowed) scored.push({ word: candidate, distance });
    else if (word.length >= 2 && candidate.startsWith(lower)) {
      scored.push({ word: candidate, distance: allowed + 1 });
    }
  }
  scored.sort((x, y) => x.distance - y.distance || (x.word < y.word ? -1 : 1));
  const nearest = scored[0]?.distance ?? 0;
  return scored.filter((s) => s.distance <= nearest + 1).slice(0, 3).map((s) => s.word);
}

/** "did you mean a, b or c?", or undefined where nothing is near. */
export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const near = suggest(word, known);
  if (near.length === 0) return undefined;
  const last = near.pop()!;
  return near.length === 0
    ? `did you mean ${last}?`
    : `did you mean ${near.join(", ")} or ${last}?`;
}
