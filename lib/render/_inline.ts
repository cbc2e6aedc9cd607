/**
 * Writes the running text of one paragraph, as Markdown and as plain text, in one pass.
 *
 * @module
 */

import { codeSpan, destination, escapeInline } from "./_escape.ts";
import { Joined } from "./_joined.ts";

/** Emphasis and the like that is open. What wraps nothing is never written. */
interface Mark {
  readonly open: string;
  readonly close: string;
  written: boolean;
}

/**
 * White space is collapsed on the way, and moved out of emphasis and links: `<b>a </b>b` is
 * `**a** b`, since `**a **b` is no emphasis.
 */
export class InlineWriter {
  readonly #markdown: string[] = [];
  readonly #text: string[] = [];
  /** White space that is written if something follows. Images are no part of the plain text. */
  #space = false;
  #textGap: "" | " " | "\n" = "";
  /** Line breaks that are written if something follows. */
  #breaks = 0;
  readonly #marks: Mark[] = [];
  #unwritten = 0;

  /** Whether nothing has been written. */
  get empty(): boolean {
    return this.#markdown.length === 0;
  }

  /** How many marks are open. */
  get depth(): number {
    return this.#marks.length;
  }

  /** How many line breaks came last. */
  get breaks(): number {
    return this.#breaks;
  }

  /** Text as it stands in the source. */
  write(text: string): void {
    let start = 0;
    const { length } = text;
    // Words are written with the single spaces between them; anything else is collapsed.
    while (start < length && isSpace(text.charCodeAt(start))) start++;
    if (start > 0) this.#gap();
    if (start === length) return;
    let end = length;
    while (isSpace(text.charCodeAt(end - 1))) end--;
    const words = collapse(text, start, end);
    this.#put(escapeInline(words), words);
    if (end < length) this.#gap();
  }

  /** Code; kept as it is but for its white space. */
  code(code: string): void {
    const words = collapse(code.trim(), 0, code.trim().length);
    if (words !== "") this.#put(codeSpan(words), words);
  }

  /** An image. Plain text has no word for it. */
  image(alt: string, url: string): void {
    this.#put(
      `![${escapeInline(collapse(alt.trim(), 0, alt.trim().length))}](${destination(url)})`,
      "",
    );
  }

  lineBreak(): void {
    this.#breaks++;
  }

  /** Open emphasis, strong, strikethrough or a link. The same twice is once. */
  open(mark: string): boolean {
    if (this.#marks.some((m) => m.open === mark)) return false;
    this.#marks.push({ open: mark, close: mark, written: false });
    this.#unwritten++;
    return true;
  }

  /** Open a link; within a link there is none. */
  openLink(url: string): boolean {
    if (this.#marks.some((m) => m.open === "[")) return false;
    this.#marks.push({ open: "[", close: `](${destination(url)})`, written: false });
    this.#unwritten++;
    return true;
  }

  /** Close what was opened last. */
  close(): void {
    const mark = this.#marks.pop();
    if (mark === undefined) return;
    if (mark.written) this.#markdown.push(mark.close);
    else this.#unwritten--;
  }

  /** What was written since the last call. Marks must be closed. */
  take(): { markdown: string; text: string } {
    const taken = { markdown: this.#markdown.join(""), text: this.#text.join("") };
    this.#markdown.length = this.#text.length = 0;
    this.#space = false;
    this.#textGap = "";
    this.#breaks = 0;
    return taken;
  }

  #gap(): void {
    this.#space = true;
    if (this.#textGap === "") this.#textGap = " ";
  }

  #put(markdown: string, text: string): void {
    if (this.#breaks > 0) {
      if (this.#markdown.length > 0) this.#markdown.push("  \n");
      this.#breaks = 0;
      this.#space = false;
      this.#textGap = "\n";
    }
    if (this.#space && this.#markdown.length > 0) this.#markdown.push(" ");
    this.#space = false;
    if (this.#unwritten > 0) this.#openMarks();
    this.#markdown.push(markdown);
    if (text === "") return;
    if (this.#textGap !== "" && this.#text.length > 0) this.#text.push(this.#textGap);
    this.#textGap = "";
    this.#text.push(text);
  }

  #openMarks(): void {
    for (const mark of this.#marks) {
      if (mark.written) continue;
      // "!" before a link would make an image of it.
      const last = this.#markdown[this.#markdown.length - 1];
      if (mark.open === "[" && last?.endsWith("!")) {
        this.#markdown[this.#markdown.length - 1] = last.slice(0, -1) + "\\!";
      }
      this.#markdown.push(mark.open);
      mark.written = true;
    }
    this.#unwritten = 0;
  }
}

/** HTML's white space and the no-break space. */
function isSpace(c: number): boolean {
  return c === 32 || c >= 9 && c <= 13 || c === 160;
}

/** A slice with every run of white space as one space; the slice itself when it is so already. */
export function collapse(text: string, start: number, end: number): string {
  let words: Joined | undefined, done = start;
  for (let i = start; i < end; i++) {
    const c = text.charCodeAt(i);
    if (!isSpace(c) || c === 32 && !isSpace(text.charCodeAt(i + 1))) continue;
    (words ??= new Joined(" ")).add(text.slice(done, i));
    while (i + 1 < end && isSpace(text.charCodeAt(i + 1))) i++;
    done = i + 1;
  }
  const last = text.slice(done, end);
  return words?.end(last) ?? last;
}
