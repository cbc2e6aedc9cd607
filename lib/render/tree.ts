import { AttributeReader, mayBeKept } from "./_attributes.ts";
import type { Deadline } from "./_deadline.ts";
import { Element, NO_ATTRIBUTES } from "./_element.ts";
import { TextRun } from "./_text_run.ts";
import { tokenize, type TokenSink } from "./_tokens.ts";
import { UnreadSpan } from "./_unread.ts";
import { BLOCK, ENDS_PARAGRAPH, HEADING, IMPLIED_END, TABLE_PART, UNREAD, VOID } from "./_tags.ts";

/** What a page may cost. Beyond a bound the page is cut or flattened, never refused. */
export interface TreeLimits {
  /** UTF-16 units of text that are read, white space and all. @default 5000000 */
  readonly characters?: number;
  /** Open elements; deeper ones lose their element, not their text. @default 200 */
  readonly depth?: number;
  /** Elements and runs of text kept. @default 200000 */
  readonly nodes?: number;
}

/** What {@linkcode parseTree} made of a page. */
export interface Tree {
  readonly root: Element;
  /** Text of the first `<title>`, white space collapsed. */
  readonly title: string;
  /** Whether a limit cut the page. */
  readonly truncated: boolean;
}

/** UTF-16 units of the source that are looked at: more than a body at its usual cap has. */
const MOST_SOURCE = 12_000_000;

/** Longest name told apart from others that begin the same. */
const LONGEST_NAME = 64;

/**
 * Build a small tree of a page's readable elements: no scripts, controls or embedded things, few
 * attributes. Linear in the input; what is too deep is flattened, what is too much is cut, and the
 * deadline ends it wherever it stands.
 *
 * Nesting follows the HTML standard's common cases (implied end tags, end tags confined to their table
 * cell), not its adoption agency: the outcome is for reading, and formatting that overlaps is rare.
 */
export function parseTree(html: string, deadline: Deadline, limits: TreeLimits = {}): Tree {
  const cut = html.length > MOST_SOURCE;
  let source = cut ? html.slice(0, MOST_SOURCE) : html;
  // The standard drops NUL in content.
  if (source.includes("\0")) source = source.replaceAll("\0", "");
  const builder = new TreeBuilder(source, deadline, limits);
  return builder.build(cut);
}

class TreeBuilder implements TokenSink {
  readonly #source: string;
  readonly #deadline: Deadline;
  readonly #maxDepth: number;
  readonly #maxNodes: number;
  /** Of the characters that may be read, those left. */
  #left: number;
  readonly #root = new Element("#root", NO_ATTRIBUTES, undefined);
  readonly #stack: Element[] = [];
  #current = this.#root;
  #nodes = 0;
  /** A limit is reached: what comes now is lost. */
  stopped = false;
  readonly #spellings: (string | undefined)[] = new Array(256).fill(undefined);
  readonly #names: string[] = new Array(256).fill("");
  /** How many elements of a name are open; and how many lost their element to the depth limit. */
  readonly #open = new Map<string, number>();
  readonly #flattened = new Map<string, number>();

  // The start tag being read.
  #tag = "";
  readonly #attributes = new AttributeReader();

  readonly #unread = new UnreadSpan();

  #title: string | undefined;
  #inTitle = false;
  #links = 0;
  #headings = 0;
  #preformatted = 0;

  readonly #text: TextRun;

  constructor(source: string, deadline: Deadline, limits: TreeLimits) {
    this.#source = source;
    this.#text = new TextRun(source);
    this.#deadline = deadline;
    this.#maxDepth = limits.depth ?? 200;
    this.#maxNodes = limits.nodes ?? 200_000;
    this.#left = limits.characters ?? 5_000_000;
  }

  build(cut: boolean): Tree {
    tokenize(this.#source, this);
    this.#flushText();
    while (this.#stack.length > 0) this.#close();
    return {
      root: this.#root,
      title: (this.#title ?? "").replace(/\s+/g, " ").trim(),
      truncated: cut || this.stopped,
    };
  }

  /**
   * Lower-case name. The last spelling in each of 256 places, by length and two letters, is remembered:
   * comparing it in place is cheaper than a slice and a look-up.
   */
  #name(start: number, end: number): string {
    const source = this.#source;
    if (end - start > LONGEST_NAME) end = start + LONGEST_NAME;
    const place = (end - start) * 67 + source.charCodeAt(start) * 7 + source.charCodeAt(end - 1) &
      255;
    const known = this.#spellings[place];
    if (known !== undefined && known.length === end - start && source.startsWith(known, start)) {
      return this.#names[place]!;
    }
    const raw = source.slice(start, end);
    const lower = raw.toLowerCase();
    const name = lower === "image" ? "img" : lower;
    this.#spellings[place] = raw;
    this.#names[place] = name;
    return name;
  }

  startTag(start: number, end: number): boolean {
    this.#flushText();
    this.#tag = this.#name(start, end);
    this.#attributes.start();
    if (this.#deadline.passed) this.#stop();
    return !this.#unread.active;
  }

  attribute(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    if (this.#deadline.passed) this.#stop();
    if (mayBeKept(this.#source, nameStart, nameEnd)) {
      this.#attributes.add(this.#name(nameStart, nameEnd), this.#source, valueStart, valueEnd);
    }
  }

  openTag(selfClosing: boolean): void {
    const name = this.#tag, attributes = this.#attributes.take();
    if (this.#unread.active) {
      if (!VOID.has(name) && !selfClosing) this.#unread.open(name);
      return;
    }
    if (name === "title") {
      if (this.#title === undefined) {
        this.#title = "";
        this.#inTitle = true;
      } else this.#unread.begin(name);
      return;
    }
    if (UNREAD.has(name)) {
      // `<svg/>` and `<math/>` really are empty; on the others the slash means nothing.
      if (!selfClosing || (name !== "svg" && name !== "math")) this.#unread.begin(name);
      return;
    }
    if (name === "input") {
      if (attributes.type !== "hidden") this.#current.inputs++;
      return;
    }
    if (name === "head" || name === "html" || name === "frameset") return;
    const isVoid = VOID.has(name);
    if (isVoid && name !== "br" && name !== "hr" && name !== "img") return;
    if (name === "body" && this.#isOpen("body")) return;
    this.#impliedEnds(name);
    if (++this.#nodes > this.#maxNodes) return this.#stop();
    if (!isVoid && this.#stack.length >= this.#maxDepth) {
      count(this.#flattened, name, 1);
      // What separated two blocks of text still does.
      if (BLOCK.has(name)) {
        this.#current.children.push(new Element("br", NO_ATTRIBUTES, this.#current));
      }
      return;
    }
    const element = new Element(name, attributes, this.#current);
    this.#current.children.push(element);
    if (isVoid) {
      this.#current.sum(element, 1);
      return;
    }
    this.#stack.push(element);
    this.#current = element;
    count(this.#open, name, 1);
    if (name === "a") this.#links++;
    else if (name === "pre") this.#preformatted++;
    else if (HEADING.has(name)) this.#headings++;
  }

  #isOpen(name: string): boolean {
    return (this.#open.get(name) ?? 0) > 0;
  }

  /** Close what this start tag ends. Each loop is bounded by the depth limit. */
  #impliedEnds(name: string): void {
    if (ENDS_PARAGRAPH.has(name) && this.#isOpen("p")) {
      for (let i = this.#stack.length - 1; i >= 0; i--) {
        const open = this.#stack[i]!.name;
        if (open === "p") {
          this.#closeDownTo(i);
          break;
        }
        if (BLOCK.has(open)) break;
      }
    }
    const implied = IMPLIED_END.get(name);
    if (implied === undefined) return;
    for (let i = this.#stack.length - 1; i >= 0; i--) {
      const open = this.#stack[i]!.name;
      if (implied.within.has(open)) break;
      if (implied.ends.has(open)) this.#closeDownTo(i);
      // A new row or row group ends everything up to its table; the others end one element.
      if (implied.ends.has(open) && !implied.ends.has("tr")) break;
    }
  }

  #closeDownTo(level: number): void {
    while (this.#stack.length > level) this.#close();
  }

  #close(): void {
    const element = this.#stack.pop()!;
    const parent = this.#stack[this.#stack.length - 1] ?? this.#root;
    this.#current = parent;
    const { name } = element;
    count(this.#open, name, -1);
    if (name === "a") this.#links--;
    else if (name === "pre") this.#preformatted--;
    else if (HEADING.has(name)) this.#headings--;
    if (name === "p" || name === "blockquote" || name === "pre" || name === "dd") {
      const own = element.text - element.linkText;
      if (own >= 25) element.prose = own;
    }
    parent.sum(element, 1);
  }

  endTag(start: number, end: number): void {
    this.#flushText();
    if (this.#deadline.passed) return this.#stop();
    const name = this.#name(start, end);
    if (this.#unread.active) {
      if (this.#unread.close(name)) return;
      // The end of something around it: the unread element was never closed. Do not lose the page.
      if (!this.#isOpen(name) || !BLOCK.has(name)) return;
      this.#unread.end();
    }
    if (name === "title") {
      this.#inTitle = false;
      return;
    }
    if (name === "br") {
      if (++this.#nodes > this.#maxNodes) return this.#stop();
      this.#current.children.push(new Element("br", NO_ATTRIBUTES, this.#current));
      return;
    }
    if (name === "body" || name === "html" || name === "head") return; // content may follow
    const flattened = this.#flattened.get(name) ?? 0;
    if (flattened > 0) {
      this.#flattened.set(name, flattened - 1);
      return;
    }
    if (!this.#isOpen(name)) return;
    for (let i = this.#stack.length - 1; i >= 0; i--) {
      const open = this.#stack[i]!.name;
      if (open === name) return this.#closeDownTo(i);
      // An end tag does not reach out of its table cell, unless it is one of the table's own.
      if ((open === "td" || open === "th" || open === "table") && !TABLE_PART.has(name)) return;
    }
  }

  text(start: number, end: number, raw: boolean): void {
    if (this.#deadline.passed) this.#stop();
    if (this.#unread.active) return;
    this.#left -= end - start;
    if (this.#left < 0) this.#stop();
    this.#text.add(start, Math.min(end, end + this.#left), raw);
  }

  #stop(): void {
    this.stopped = true;
  }

  /** Give the text gathered since the last tag to the current element, and count it. */
  #flushText(): void {
    const text = this.#text.take();
    if (text === "") return;
    if (this.#inTitle) {
      if (this.#title!.length < 10_000) this.#title += text.slice(0, 10_000);
      return;
    }
    const element = this.#current, { children } = element;
    const last = children[children.length - 1];
    const { characters, commas } = this.#text;
    if (characters === 0 && this.#preformatted === 0) {
      // White space between two elements may separate words; more than one space says no more.
      if (last !== undefined && last !== " ") children.push(" ");
      return;
    }
    if (++this.#nodes > this.#maxNodes) return this.#stop();
    children.push(text);
    element.text += characters;
    element.commas += commas;
    if (this.#links > 0) element.linkText += characters;
    if (this.#headings > 0) element.headingText += characters;
  }
}

function count(map: Map<string, number>, name: string, by: 1 | -1): void {
  map.set(name, (map.get(name) ?? 0) + by);
}
