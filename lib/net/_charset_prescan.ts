/**
 * The charset that a document itself declares: the HTML standard's prescan, over bytes, each looked at a
 * bounded number of times.
 *
 * @module
 */
import { encodingOf } from "./_charset_label.ts";

const LT = 0x3c;
const GT = 0x3e;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const DASH = 0x2d;

function isSpace(c: number): boolean {
  return c === 0x20 || c === 0x0a || c === 0x09 || c === 0x0d || c === 0x0c;
}

function isLetter(c: number): boolean {
  const lower = c | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Longest attribute name and value kept; more is walked over. */
const MAX_KEPT = 300;

/** Walks tags and attributes (HTML standard, section 13.2.3.2, "get an attribute"). */
class Prescan {
  at = 0;
  name = "";
  value = "";

  constructor(readonly bytes: Uint8Array, readonly end: number) {}

  /** Whether the bytes here are these lower-case ASCII characters, in any case. */
  is(text: string): boolean {
    for (let i = 0; i < text.length; i++) {
      const c = this.bytes[this.at + i];
      if (c === undefined) return false;
      if ((c >= 0x41 && c <= 0x5a ? c | 0x20 : c) !== text.charCodeAt(i)) return false;
    }
    return true;
  }

  /** Moves past the next attribute, read into `name` and `value` if to be kept; false at the tag's end. */
  attribute(keep: boolean): boolean {
    const { bytes, end } = this;
    while (this.at < end && (isSpace(bytes[this.at]!) || bytes[this.at] === SLASH)) this.at++;
    if (this.at >= end || bytes[this.at] === GT) return false;
    const start = this.at;
    // An equals sign that comes first is part of the name.
    while (this.at < end) {
      const c = bytes[this.at]!;
      if ((c === EQUALS && this.at > start) || isSpace(c) || c === SLASH || c === GT) break;
      this.at++;
    }
    if (keep) this.name = this.#text(start, this.at);
    this.value = "";
    this.#skipSpace();
    if (this.at >= end || bytes[this.at] !== EQUALS) return true;
    this.at++;
    this.#skipSpace();
    const quote = bytes[this.at];
    if (quote === 0x22 || quote === 0x27) {
      const from = ++this.at;
      const close = bytes.indexOf(quote, from);
      this.at = close < 0 || close >= end ? end : close;
      if (keep) this.value = this.#text(from, this.at);
      this.at++;
      return true;
    }
    const from = this.at;
    while (this.at < end && !isSpace(bytes[this.at]!) && bytes[this.at] !== GT) this.at++;
    if (keep) this.value = this.#text(from, this.at);
    return true;
  }

  #skipSpace(): void {
    while (this.at < this.end && isSpace(this.bytes[this.at]!)) this.at++;
  }

  #text(from: number, to: number): string {
    return String.fromCharCode(...this.bytes.subarray(from, Math.min(to, from + MAX_KEPT)))
      .toLowerCase();
  }

  /** Moves past the next `>`. */
  skipPastGt(): void {
    const gt = this.bytes.indexOf(GT, this.at);
    this.at = gt < 0 ? this.end : gt + 1;
  }

  /** Moves past a comment: the `-->` may share its dashes with the `<!--`. */
  skipComment(): void {
    let gt = this.bytes.indexOf(GT, this.at + 4);
    while (gt >= 0 && gt < this.end) {
      if (this.bytes[gt - 1] === DASH && this.bytes[gt - 2] === DASH) break;
      gt = this.bytes.indexOf(GT, gt + 1);
    }
    this.at = gt < 0 ? this.end : gt + 1;
  }
}

/**
 * Finds the encoding that a `<meta>` element declares, by `charset` or by `http-equiv` and `content`; `""`
 * if none does.
 *
 * @param limit How many bytes are searched; the standard's 1024 is too few for pages that open with a
 * screenful of scripts.
 */
export function metaEncoding(bytes: Uint8Array, limit: number): string {
  const end = Math.min(bytes.length, limit);
  const scan = new Prescan(bytes, end);
  for (;;) {
    const lt = bytes.indexOf(LT, scan.at);
    if (lt < 0 || lt >= end) return "";
    scan.at = lt;
    if (scan.is("<!--")) {
      scan.skipComment();
    } else if (scan.is("<meta") && isTagBreak(bytes[lt + 5])) {
      scan.at += 5;
      const encoding = readMeta(scan);
      if (encoding !== "") return encoding;
    } else {
      const closing = bytes[lt + 1] === SLASH ? 1 : 0;
      const c = bytes[lt + 1 + closing];
      if (c !== undefined && isLetter(c)) {
        scan.at += 1 + closing;
        while (scan.at < end && !isSpace(bytes[scan.at]!) && bytes[scan.at] !== GT) scan.at++;
        while (scan.attribute(false));
      } else if (closing || c === 0x21 || c === 0x3f) {
        scan.skipPastGt();
      } else {
        scan.at++;
      }
    }
  }
}

function isTagBreak(c: number | undefined): boolean {
  return c !== undefined && (isSpace(c) || c === SLASH);
}

function readMeta(scan: Prescan): string {
  let pragma = false;
  let own: string | undefined;
  let content: string | undefined;
  while (scan.attribute(true)) {
    if (scan.name === "http-equiv") pragma ||= scan.value === "content-type";
    else if (scan.name === "charset") own ??= scan.value;
    else if (scan.name === "content") content ??= charsetParameter(scan.value);
  }
  return declared(own ?? (pragma ? content ?? "" : ""));
}

/** A document that could be read this far is not in UTF-16, whatever it says (HTML standard). */
function declared(label: string): string {
  const encoding = encodingOf(label);
  if (encoding.startsWith("utf-16")) return "utf-8";
  return encoding === "x-user-defined" ? "windows-1252" : encoding;
}

/** Finds the encoding in an XML declaration, `""` if the bytes open with none that has one. */
export function xmlEncoding(bytes: Uint8Array): string {
  const end = Math.min(bytes.length, 1024);
  const scan = new Prescan(bytes, end);
  while (scan.at < end && isSpace(bytes[scan.at]!)) scan.at++;
  if (!scan.is("<?xml") || !isSpace(bytes[scan.at + 5] ?? 0)) return "";
  scan.at += 5;
  while (scan.attribute(true)) if (scan.name === "encoding") return declared(scan.value);
  return "";
}

/**
 * Finds the charset in a Content-Type value or a `<meta content>`; `""` if there is none. Takes what servers
 * write: spaces around the equals sign, either quote, a quote that never closes.
 */
export function charsetParameter(value: string): string {
  const text = value.slice(0, 1000).toLowerCase();
  for (let at = text.indexOf("charset"); at >= 0; at = text.indexOf("charset", at + 7)) {
    let i = at + 7;
    while (isSpace(text.charCodeAt(i))) i++;
    if (text[i] !== "=") continue;
    i++;
    while (isSpace(text.charCodeAt(i))) i++;
    const quote = text[i] === '"' || text[i] === "'" ? text[i]! : "";
    if (quote !== "") i++;
    let end = i;
    while (end < text.length && text[end] !== ";" && text[end] !== "," && text[end] !== quote) {
      if (quote === "" && isSpace(text.charCodeAt(end))) break;
      end++;
    }
    return text.slice(i, end);
  }
  return "";
}
