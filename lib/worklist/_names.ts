/**
 * The order of files by the numbers in their names.
 *
 * @module
 */

/**
 * Compares names so that numbers in them go by value (`part-2` before `part-10`), whatever their
 * padding, and everything else by code unit. Two names that differ at all are never equal.
 */
export function compareNames(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (isDigit(a, i) && isDigit(b, j)) {
      const [m, iEnd] = digits(a, i);
      const [n, jEnd] = digits(b, j);
      if (m.length !== n.length) return m.length - n.length;
      if (m !== n) return m < n ? -1 : 1;
      i = iEnd;
      j = jEnd;
    } else {
      const difference = a.charCodeAt(i) - b.charCodeAt(j);
      if (difference !== 0) return difference;
      i++;
      j++;
    }
  }
  return a.length - i - (b.length - j) || (a < b ? -1 : a > b ? 1 : 0);
}

/** The digits at a place without leading zeros, and where they end. */
function digits(text: string, at: number): [string, number] {
  let end = at;
  while (isDigit(text, end)) end++;
  while (at < end - 1 && text.charCodeAt(at) === 0x30) at++;
  return [text.slice(at, end), end];
}

function isDigit(text: string, at: number): boolean {
  const c = text.charCodeAt(at);
  return c >= 0x30 && c <= 0x39;
}
