/**
 * A start tag scanner for one purpose: to visit the attributes of the few elements that matter and
 * to pass over everything else fast. It jumps from `<` to `<`, so that text costs one native search.
 *
 * Tokenisation follows the HTML standard, section 13.2.5, as far as start tags need it: comments,
 * bogus comments, quoted and unquoted attributes, raw text elements. Two things are left out on
 * purpose: the double-escaped script states and CDATA sections (outside SVG and MathML both a
 * browser and this scanner read `<![CDATA[` as a comment that ends at the next `>`).
 *
 * @module
 */

/** Elements whose content is text up to their own end tag. `plaintext` never ends. */
const RAW_TEXT: ReadonlySet<string> = new Set([
  "script",
  "style",
  "textarea",
  "title",
  "iframe",
  "noembed",
  "noframes",
  "xmp",
]);

/** The elements that {@linkcode TagScanner.next} names; of others it only says that they are there. */
const NAMED = [
  ...["a", "area", "base", "frame", "iframe", "link", "meta", "template", "plaintext"],
  ...RAW_TEXT,
];
/** By length of a name, the first letters that occur in `NAMED`, as bits: most tags end here. */
const FIRST_LETTERS: readonly number[] = Array.from(
  { length: 1 + Math.max(...NAMED.map((name) => name.length)) },
  (_, length) =>
    NAMED.filter((name) => name.length === length)
      .reduce((bits, name) => bits | 1 << (name.charCodeAt(0) - 97), 0),
);

/** Walks the tags of a page, and the attributes of those one asks for. */
export class TagScanner {
  readonly #html: string;
  #pos = 0;
  #inTag = false;
  /** Where the current attribute's name and value stand in the source. */
  nameStart = 0;
  nameEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  /** Set by {@linkcode next} for an end tag. */
  closing = false;

  constructor(html: string) {
    this.#html = html;
  }

  /**
   * Move to the next tag and return its name in lower case, or `""` for most of those that are not in
   * `NAMED`; undefined at the end of the input. Then {@linkcode attribute} may be read, and
   * {@linkcode finish} must be called.
   */
  next(): string | undefined {
    const html = this.#html, length = html.length;
    let pos = this.#pos;
    while (true) {
      pos = html.indexOf("<", pos);
      if (pos < 0 || pos + 1 >= length) break;
      let c = html.charCodeAt(++pos);
      this.closing = false;
      if (c === 47 /* / */) {
        c = html.charCodeAt(++pos);
        this.closing = true;
        if (c === 62 /* > */) continue;
        if (!isLetter(c)) {
          pos = html.indexOf(">", pos);
          if (pos < 0) break;
          continue;
        }
      } else if (c === 33 /* ! */) {
        pos = afterDeclaration(html, pos + 1);
        if (pos < 0) break;
        continue;
      } else if (c === 63 /* ? */) {
        pos = html.indexOf(">", pos);
        if (pos < 0) break;
        continue;
      } else if (!isLetter(c)) continue;
      const start = pos;
      while (pos < length && !endsName(html.charCodeAt(pos))) pos++;
      this.#pos = pos;
      this.#inTag = true;
      const letters = FIRST_LETTERS[pos - start] ?? 0;
      if ((letters >> ((html.charCodeAt(start) | 32) - 97) & 1) === 0) return "";
      return html.slice(start, pos).toLowerCase();
    }
    this.#pos = length;
    return undefined;
  }

  /**
   * Read the next attribute of the current tag into the position fields; false at the end of the
   * tag. A tag that the input ends in never was one: {@linkcode cut} tells.
   */
  attribute(): boolean {
    if (!this.#inTag) return false;
    const html = this.#html, length = html.length;
    let pos = this.#pos, c = 0;
    // Before attribute name: white space and slashes are passed over.
    while (pos < length && ((c = html.charCodeAt(pos)) <= 32 && isSpace(c) || c === 47)) pos++;
    if (pos >= length) return this.#cutOff();
    if (c === 62) {
      this.#pos = pos + 1;
      this.#inTag = false;
      return false;
    }
    this.nameStart = pos++; // an `=` in first place is part of the name
    while (pos < length && !endsName(c = html.charCodeAt(pos)) && c !== 61) pos++;
    this.nameEnd = pos;
    while (pos < length && isSpace(html.charCodeAt(pos))) pos++;
    this.valueStart = this.valueEnd = pos;
    if (html.charCodeAt(pos) === 61) {
      do pos++; while (pos < length && isSpace(html.charCodeAt(pos)));
      const quote = html.charCodeAt(pos);
      if (quote === 34 || quote === 39) {
        this.valueStart = ++pos;
        const end = html.indexOf(quote === 34 ? '"' : "'", pos);
        if (end < 0) return this.#cutOff();
        this.valueEnd = end;
        pos = end + 1;
      } else {
        this.valueStart = pos;
        while (pos < length && (c = html.charCodeAt(pos)) !== 62 && !isSpace(c)) pos++;
        this.valueEnd = pos;
      }
    }
    this.#pos = pos;
    return true;
  }

  /** Whether the input ended inside a tag. */
  cut = false;

  #cutOff(): false {
    this.#pos = this.#html.length;
    this.#inTag = false;
    this.cut = true;
    return false;
  }

  /** Pass over what is left of the current tag and, for a raw text element, its content. */
  finish(name: string): void {
    while (this.attribute());
    if (this.closing || this.cut) return;
    if (RAW_TEXT.has(name)) this.#skipRawText(name);
    else if (name === "plaintext") this.#pos = this.#html.length;
  }

  #skipRawText(name: string): void {
    const html = this.#html;
    let pos = this.#pos;
    while ((pos = html.indexOf("</", pos)) >= 0) {
      const end = pos + 2 + name.length;
      if (end >= html.length) break;
      if (endsName(html.charCodeAt(end)) && isName(html, pos + 2, name)) {
        this.#pos = pos; // the end tag is read as a tag of its own
        return;
      }
      pos += 2;
    }
    this.#pos = html.length;
  }
}

export function isLetter(c: number): boolean {
  return (c | 32) >= 97 && (c | 32) <= 122;
}

export function isSpace(c: number): boolean {
  return c === 32 || c === 10 || c === 9 || c === 13 || c === 12;
}

export function endsName(c: number): boolean {
  return c === 62 || c === 47 || isSpace(c);
}

/** Whether this name, given in lower case, stands at `start` in whatever case. */
export function isName(html: string, start: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    if ((html.charCodeAt(start + i) | 32) !== name.charCodeAt(i)) return false;
  }
  return true;
}

/** From after `<!` to after the comment, bogus comment or doctype; -1 when it never ends. */
export function afterDeclaration(html: string, pos: number): number {
  if (!html.startsWith("--", pos)) {
    const end = html.indexOf(">", pos);
    return end < 0 ? -1 : end + 1;
  }
  pos += 2;
  // `<!-->` and `<!--->` are comments that closed at once.
  if (html.charCodeAt(pos) === 62) return pos + 1;
  if (html.startsWith("->", pos)) return pos + 2;
  while (true) {
    const end = html.indexOf("--", pos);
    if (end < 0) return -1;
    pos = end + 2;
    while (html.charCodeAt(pos) === 45) pos++;
    if (html.charCodeAt(pos) === 62) return pos + 1;
    if (html.startsWith("!>", pos)) return pos + 2;
  }
}
