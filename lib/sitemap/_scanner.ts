/**
 * XML as it comes, piece by piece. Nothing is checked and nothing nests: names of tags and the text
 * between them are all that a sitemap has to tell, entities of a document's own are never expanded, and
 * what is held is one tag at most, whatever is sent.
 */

/** Takes what {@linkcode XmlScanner} finds. */
export interface XmlSink {
  /** Set to end it at the next token. */
  readonly stopped: boolean;
  /** A start tag: its name, and what stands behind that. */
  open(name: string, rest: string): void;
  /** An end tag, or the end of one that closes itself. */
  close(name: string): void;
  /** Text; with character references unless `raw`. Pieces that touch are one text. */
  text(text: string, raw: boolean): void;
}

/** A longer tag is passed over. */
const MAX_TAG = 16_384;
/** Tags read of one document: what is more has one for every dozen bytes of the largest there may be. */
const MAX_TAGS = 1 << 22;
/** A longer name is cut: it is none that anybody looks for. */
const MAX_NAME = 64;

const TEXT = 0, COMMENT = 1, CDATA = 2, INSTRUCTION = 3, DECLARATION = 4, TAG = 5, LONG_TAG = 6;
const LESS = 60, MORE = 62, QUOTE = 34, APOSTROPHE = 39, SLASH = 47, OPEN = 91, CLOSE = 93;

/** Splits XML into tags and text, in time linear in its length. */
export class XmlScanner {
  readonly #sink: XmlSink;
  #mode = TEXT;
  #tags = 0;
  #rest = "";
  /** How far into `#rest` a tag or declaration was looked through, and in which quotes and brackets. */
  #scanned = 0;
  #quote = 0;
  #brackets = 0;

  constructor(sink: XmlSink) {
    this.#sink = sink;
  }

  /** Whether there were more tags than are read. */
  get over(): boolean {
    return this.#tags > MAX_TAGS;
  }

  /** The next piece. */
  push(text: string): void {
    this.#scan(this.#rest + text, false);
  }

  /** There is no more. */
  end(): void {
    this.#scan(this.#rest, true);
  }

  #scan(s: string, last: boolean): void {
    const sink = this.#sink;
    let at = 0;
    while (!sink.stopped && !this.over && at < s.length) {
      const next = this.#step(s, at, last);
      if (next < 0) break;
      at = next;
    }
    this.#rest = sink.stopped || this.over || last ? "" : s.slice(this.#held(s, at));
  }

  /** From where on `s` is kept until more comes, when nothing more can be said of it from `at` on. */
  #held(s: string, at: number): number {
    switch (this.#mode) {
      case COMMENT:
      case CDATA:
        return Math.max(at, s.length - 2); // their end may have come in part
      case INSTRUCTION:
      case LONG_TAG:
        return s.length;
      default:
        return at;
    }
  }

  /** One token from `at`; where the next begins, or -1 when that cannot be told yet. */
  #step(s: string, at: number, last: boolean): number {
    switch (this.#mode) {
      case TEXT: {
        const tag = s.indexOf("<", at);
        if (tag < 0) {
          this.#sink.text(s.slice(at), false);
          return s.length;
        }
        if (tag > at) {
          this.#sink.text(s.slice(at, tag), false);
          return tag;
        }
        return this.#begin(s, at, last);
      }
      case COMMENT:
        return this.#past(s, "-->", at);
      case CDATA: {
        const end = s.indexOf("]]>", at);
        const until = end < 0 ? Math.max(at, last ? s.length : s.length - 2) : end;
        if (until > at) this.#sink.text(s.slice(at, until), true);
        if (end < 0) return until > at ? until : -1;
        this.#mode = TEXT;
        return end + 3;
      }
      case INSTRUCTION:
      case LONG_TAG:
        return this.#past(s, ">", at);
      case DECLARATION:
        return this.#declaration(s, at);
      default:
        return this.#tag(s, at);
    }
  }

  #begin(s: string, at: number, last: boolean): number {
    const second = s.charCodeAt(at + 1);
    if (second === 33) { // "!"
      if (s.length - at < 9 && !last) return -1;
      if (s.startsWith("--", at + 2)) {
        this.#mode = COMMENT;
        return at + 4;
      }
      if (s.startsWith("[CDATA[", at + 2)) {
        this.#mode = CDATA;
        return at + 9;
      }
      this.#mode = DECLARATION;
      this.#quote = this.#brackets = 0;
      return at + 2;
    }
    if (s.length - at < 2 && !last) return -1;
    this.#mode = second === 63 ? INSTRUCTION : TAG; // "?"
    this.#scanned = 0;
    return at + 1;
  }

  #past(s: string, mark: string, at: number): number {
    const end = s.indexOf(mark, at);
    if (end < 0) return -1;
    this.#mode = TEXT;
    return end + mark.length;
  }

  /** A document type, whose declarations stand in brackets. */
  #declaration(s: string, at: number): number {
    for (let i = at; i < s.length; i++) {
      const c = s.charCodeAt(i);
      if (this.#quote !== 0) {
        if (c === this.#quote) this.#quote = 0;
      } else if (c === QUOTE || c === APOSTROPHE) this.#quote = c;
      else if (c === OPEN) this.#brackets++;
      else if (c === CLOSE) this.#brackets = Math.max(0, this.#brackets - 1);
      else if (c === MORE && this.#brackets === 0) {
        this.#mode = TEXT;
        return i + 1;
      }
    }
    return s.length;
  }

  /** A tag from behind its "<". A "<" ends it too, wherever it stands: something is missing before it. */
  #tag(s: string, at: number): number {
    let quote = this.#scanned === 0 ? 0 : this.#quote;
    const closing = s.charCodeAt(at) === SLASH;
    let i = at + this.#scanned;
    for (; i < s.length; i++) {
      const c = s.charCodeAt(i);
      if (c === LESS) break;
      if (quote !== 0) {
        if (c === quote) quote = 0;
      } else if (c === MORE) break;
      else if (!closing && (c === QUOTE || c === APOSTROPHE)) quote = c;
    }
    if (i === s.length) {
      if (i - at > MAX_TAG) {
        this.#mode = LONG_TAG;
        return i;
      }
      this.#scanned = i - at;
      this.#quote = quote;
      return -1;
    }
    this.#mode = TEXT;
    this.#tags++;
    if (i - at <= MAX_TAG) this.#tell(s.slice(at, i), closing);
    return s.charCodeAt(i) === LESS ? i : i + 1;
  }

  #tell(tag: string, closing: boolean): void {
    const start = closing ? 1 : 0;
    let end = start;
    while (end < tag.length && tag.charCodeAt(end) > 32 && tag.charCodeAt(end) !== SLASH) end++;
    const name = tag.slice(start, Math.min(end, start + MAX_NAME)).toLowerCase();
    if (name === "") return;
    if (closing) return this.#sink.close(name);
    const alone = tag.endsWith("/");
    this.#sink.open(name, tag.slice(end, alone ? -1 : undefined));
    if (alone) this.#sink.close(name);
  }
}

/** The value of an attribute in what stands behind a tag's name, as written; undefined where it has none. */
export function attributeOf(rest: string, name: string): string | undefined {
  let at = 0;
  const skip = () => {
    while (at < rest.length && rest.charCodeAt(at) <= 32) at++;
  };
  for (;;) {
    skip();
    const start = at;
    while (at < rest.length && rest.charCodeAt(at) > 32 && rest[at] !== "=") at++;
    const found = rest.slice(start, at).toLowerCase();
    skip();
    let value = "";
    if (rest[at] === "=") {
      at++;
      skip();
      const quote = rest[at];
      if (quote === '"' || quote === "'") {
        const end = rest.indexOf(quote, at + 1);
        value = rest.slice(at + 1, end < 0 ? undefined : end);
        at = end < 0 ? rest.length : end + 1;
      } else {
        const from = at;
        while (at < rest.length && rest.charCodeAt(at) > 32) at++;
        value = rest.slice(from, at);
      }
    }
    if (found === name) return value;
    if (at >= rest.length) return undefined;
  }
}
