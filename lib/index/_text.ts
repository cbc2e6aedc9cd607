/**
 * Texts as the index sees them, and words as it compares them. The index's own tokenizer is SQLite's
 * `unicode61`; what is done here comes before it, or follows it where snippets are marked.
 *
 * @module
 */

/** The tokenizer: letters, digits and marks make words. What accents it knows were dropped before it. */
export const TOKENIZER = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'";

/** Characters of scripts that put no blanks between words. */
const UNSPACED =
  "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}";
const UNSPACED_CHARACTER = new RegExp(`[${UNSPACED}]`, "gu");
/** A word, or one character of an unspaced script. */
const WORD = new RegExp(
  `(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{Co}\\p{Mn}\\p{Mc}])+|(?=[\\p{L}\\p{N}\\p{Mn}\\p{Mc}])[${UNSPACED}]`,
  "gu",
);
/**
 * Marks that do not count: points and vowel signs that Hebrew and Arabic are mostly written without, and
 * accents. Russian's short i is a letter of its own.
 */
const MARKS = /\u0438\u0306|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g;
const ASCII = /^[\0-\x7f]*$/;

/**
 * A text as it is given to the tokenizer. Each character of a script without blanks stands alone: which
 * of them make a word depends on those around, so that a word that was told apart in a query might not
 * be in a text; one after the other they are found wherever they stand.
 */
export function indexedText(text: string, most: number): string {
  if (ASCII.test(text)) return text.replaceAll("\0", " ");
  // Compatibility characters may become many.
  return fold(text.normalize("NFKC").slice(0, most)).replace(UNSPACED_CHARACTER, " $& ")
    .replaceAll("\0", " ");
}

/** A word of a text. */
export interface Word {
  /** As the index compares it. */
  readonly folded: string;
  /** Where it begins in the text. */
  readonly start: number;
  /** Where it ends. */
  readonly end: number;
}

/** The words of a text, in order. */
export function* words(text: string): Generator<Word, void, undefined> {
  for (const match of text.matchAll(WORD)) {
    const word = match[0];
    yield { folded: fold(word), start: match.index, end: match.index + word.length };
  }
}

function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.normalize("NFKC").toLowerCase().normalize("NFD")
    .replace(MARKS, (mark) => (mark.length > 1 ? mark : "")).normalize("NFC")
    .replaceAll("\u03c2", "\u03c3"); // the sigma that ends a word
}

/** Words that each document has for its host: the same number, since they count in its length. */
const HOST_WORDS = 8;
const NO_HOST = "\u01c2";

/**
 * Host names as words of the index: the host and each one it lies below, so that one word finds all below
 * a host. The signs between the letters are letters to the tokenizer, and in no host's name.
 */
export function hostWords(host: string): string[] {
  const labels = host.toLowerCase().split(".");
  const all = labels.map((_, i) => hostWord(labels.slice(i).join("."))).reverse();
  // Of a host deeper than that, what lies between is left out.
  const kept = [...all.slice(0, HOST_WORDS - 1), ...all.slice(HOST_WORDS - 1).slice(-1)];
  return [...kept, ...Array(HOST_WORDS - kept.length).fill(NO_HOST)];
}

/** The word that finds a host and those below it. */
export function hostWord(host: string): string {
  return host.toLowerCase().split(".").reverse().join("\u01c0").replaceAll(
    /[^a-z0-9\u01c0]/g,
    "\u01c1",
  );
}
