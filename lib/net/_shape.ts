/** Most of a message that is looked at, and most of a shape that is kept, in characters. */
const MAX_READ = 1000;
const MAX_SHAPE = 160;

/** Whether a character separates words: spaces, and whatever would move a terminal's cursor or direction. */
function separates(c: number): boolean {
  return c <= 0x20 || (c >= 0x7f && c <= 0xa0) || (c >= 0x2000 && c <= 0x200f) ||
    (c >= 0x2028 && c <= 0x202f) || (c >= 0x205f && c <= 0x206f) || c === 0x3000 || c === 0xfeff ||
    (c >= 0xfff9 && c <= 0xfffb);
}

const OPENING = "([{<\"'`";
const CLOSING = ")]}>\"'`,;.!?";

/** Whether a bare word names a thing of one host or one moment: a number, an address, a host, a URL, a path. */
function varies(word: string): boolean {
  let colons = 0;
  for (let i = 0; i < word.length; i++) {
    const c = word.charCodeAt(i);
    if (c >= 0x30 && c <= 0x39) return true;
    const inside = i > 0 && i < word.length - 1;
    if (c === 0x2e && inside) return true; // a dot inside: a host
    if (c === 0x2f && (i === 0 || word.charCodeAt(i - 1) === 0x2f) && word.length > 1) return true;
    if (c === 0x3a && (inside || word.charCodeAt(i - 1) === 0x3a)) colons++;
  }
  return colons >= 2; // an IPv6 address written without a digit
}

/**
 * Reduces an error message to its shape: lower case, with every word that holds a number, an address, a host
 * or a URL replaced by `N`, so that one failure of a million hosts is one shape. Linear in the message, of
 * which the first 1000 characters count; the shape is at most 160 characters long.
 */
export function shapeOf(message: string): string {
  const text = message.slice(0, MAX_READ).toLowerCase();
  let out = "";
  let lastVaried = false;
  let i = 0;
  while (i < text.length && out.length < MAX_SHAPE) {
    while (i < text.length && separates(text.charCodeAt(i))) i++;
    const start = i;
    while (i < text.length && !separates(text.charCodeAt(i))) i++;
    if (start === i) break;
    let from = start;
    let to = i;
    while (from < to && OPENING.includes(text[from]!)) from++;
    if (text.startsWith("):", to - 2)) to--; // behind an address in brackets; other colons go with the word
    while (to > from && (CLOSING.includes(text[to - 1]!))) to--;
    const word = text.slice(from, to);
    // The one name with a dot in it that is every host's.
    const varied = word !== "robots.txt" && varies(word);
    // "[2001:db8::1]:443": the bracket belongs to the address.
    const opening = text.slice(start, word.includes("]") ? start : from);
    // "2026-05-01 12:00:00" and "2026-05-01T12:00:00Z" are the same to the reader: one N.
    if (varied && lastVaried && from === start) continue;
    if (out !== "") out += " ";
    out += varied ? opening + "N" + text.slice(to, i) : text.slice(start, i);
    lastVaried = varied && to === i;
  }
  return out.slice(0, MAX_SHAPE);
}
