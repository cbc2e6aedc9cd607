/**
 * Splits a page into tags and text for the tree. Text, comments and raw text are passed over by native
 * searches and attributes only as far as someone wants them, which is why this is not left to a tokenizer that
 * takes a page character by character.
 *
 * Tokens are those of the HTML standard, section 13.2.5, without the double-escaped script states. As in
 * htmlparser2, against which it is tested, a CDATA section ends at `]]>` wherever it stands, and an end
 * tag at the first `>`.
 *
 * @module
 */

import { afterDeclaration, endsName, isLetter, isName, isSpace } from "./_scan.ts";

/** Takes what {@linkcode tokenize} finds, as positions in the source. */
export interface TokenSink {
  /** Set to end it at the next token. */
  readonly stopped: boolean;
  /** Text, to be read with character references unless `raw`. Touching pieces may be one text. */
  text(start: number, end: number, raw: boolean): void;
  /** The name of a start tag; whether its attributes are wanted. */
  startTag(start: number, end: number): boolean;
  /** An attribute of it; the value with character references. */
  attribute(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void;
  /** The start tag is whole. */
  openTag(selfClosing: boolean): void;
  /** The name of an end tag. */
  endTag(start: number, end: number): void;
}

/** Elements whose content is text up to their own end tag, by length of the name. */
const RAW_TEXT: readonly (readonly string[])[] = Array.from(
  { length: 10 },
  (_, length) =>
    ["script", "style", "textarea", "title", "iframe", "noembed", "noframes", "xmp", "plaintext"]
      .filter((name) => name.length === length),
);

/** Read a page to its end, or until the sink has enough. Linear in the page. */
export function tokenize(source: string, sink: TokenSink): void {
  const { length } = source;
  let text = 0, pos = 0;
  while (!sink.stopped) {
    pos = source.indexOf("<", pos);
    if (pos < 0) break;
    const at = pos, closing = source.charCodeAt(at + 1) === 47;
    const start = closing ? at + 2 : at + 1;
    const c = source.charCodeAt(start);
    const tag = isLetter(c);
    if (!tag && !(closing ? start < length : c === 33 || c === 63)) {
      pos = at + 1; // a "<" like any other character
      continue;
    }
    if (at > text) sink.text(text, at, false);
    if (sink.stopped) return;
    if (!tag) {
      pos = c === 33 && !closing
        ? afterMarkup(source, start + 1)
        : source.indexOf(">", start) + 1 || -1;
    } else {
      let end = start + 1;
      while (end < length && !endsName(source.charCodeAt(end))) end++;
      if (end >= length) return; // a tag that the input ends in never was one
      if (closing) {
        sink.endTag(start, end);
        pos = source.indexOf(">", end) + 1 || -1;
      } else {
        pos = startTag(source, start, end, sink);
        if (pos >= 0) pos = rawText(source, start, end, pos, sink);
      }
    }
    if (pos < 0) return;
    text = pos;
  }
  if (!sink.stopped && text < length) sink.text(text, length, false);
}

/** From after `<!` to after what it begins; -1 when that never ends. */
function afterMarkup(source: string, start: number): number {
  if (!source.startsWith("[CDATA[", start)) return afterDeclaration(source, start);
  const end = source.indexOf("]]>", start + 7);
  return end < 0 ? -1 : end + 3;
}

/** From after the name of a start tag to after the tag; -1 when it never ends. */
function startTag(source: string, nameStart: number, nameEnd: number, sink: TokenSink): number {
  const wanted = sink.startTag(nameStart, nameEnd), { length } = source;
  let pos = nameEnd, c = 0, slash = false;
  while (true) {
    slash = false;
    while (pos < length && (isSpace(c = source.charCodeAt(pos)) || c === 47)) {
      slash = c === 47;
      pos++;
    }
    if (pos >= length) return -1;
    if (c === 62) break;
    const start = pos++; // whatever it is: a name may begin with "="
    while (pos < length && (c = source.charCodeAt(pos)) !== 61 && !endsName(c)) pos++;
    const end = pos;
    while (pos < length && isSpace(c = source.charCodeAt(pos))) pos++;
    let valueStart = pos, valueEnd = pos;
    if (c === 61 && pos < length) {
      pos++;
      while (pos < length && isSpace(c = source.charCodeAt(pos))) pos++;
      if (pos >= length) return -1;
      c = source.charCodeAt(pos);
      if (c === 34 || c === 39) {
        valueStart = pos + 1;
        valueEnd = source.indexOf(c === 34 ? '"' : "'", valueStart);
        if (valueEnd < 0) return -1;
        pos = valueEnd + 1;
      } else {
        valueStart = pos;
        while (pos < length && (c = source.charCodeAt(pos)) !== 62 && !isSpace(c)) pos++;
        valueEnd = pos;
      }
    }
    if (wanted && pos < length) sink.attribute(start, end, valueStart, valueEnd);
    if (sink.stopped) return -1;
  }
  sink.openTag(slash);
  return pos + 1;
}

/** Past the content of an element that holds nothing but text; the same place for any other. */
function rawText(
  source: string,
  nameStart: number,
  nameEnd: number,
  start: number,
  sink: TokenSink,
): number {
  const length = nameEnd - nameStart;
  let name: string | undefined;
  for (const candidate of RAW_TEXT[length] ?? []) {
    if (isName(source, nameStart, candidate)) name = candidate;
  }
  if (name === undefined || sink.stopped) return start;
  let end = name === "plaintext" ? -1 : source.indexOf("</", start);
  while (
    end >= 0 &&
    !(endsName(source.charCodeAt(end + 2 + length)) && isName(source, end + 2, name))
  ) end = source.indexOf("</", end + 2);
  if (end < 0) end = source.length;
  if (end > start) sink.text(start, end, name !== "title" && name !== "textarea");
  return end;
}
