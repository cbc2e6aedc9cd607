import { BlockOutput } from "./_blocks.ts";
import { fence } from "./_code.ts";
import type { Deadline } from "./_deadline.ts";
import type { Element } from "./_element.ts";
import { escapeLineStart } from "./_escape.ts";
import { InlineWriter } from "./_inline.ts";
import { rowsOf } from "./_table.ts";
import { rawText } from "./_text.ts";

/** What {@linkcode writeMarkdown} needs besides the elements. */
export interface MarkdownOptions {
  /** Absolute form of a reference; undefined for one that is not to be linked. */
  readonly resolve: (reference: string) => string | undefined;
  readonly deadline: Deadline;
  /** UTF-16 units of Markdown after which writing stops. @default 4000000 */
  readonly maxLength?: number;
}

/**
 * Write elements as GitHub Flavored Markdown and as plain text: headings, nested lists, tables,
 * fenced code with its language, quotes, emphasis, links and images with absolute targets, and
 * everything else that could be taken for markup escaped.
 */
export function writeMarkdown(
  elements: readonly Element[],
  options: MarkdownOptions,
): { markdown: string; text: string; truncated: boolean } {
  const writer = new BlockWriter(options);
  for (const element of elements) writer.write(element);
  return writer.result();
}

class BlockWriter {
  readonly #resolve: (reference: string) => string | undefined;
  readonly #deadline: Deadline;
  readonly #output: BlockOutput;
  readonly #inline = new InlineWriter();
  /** Above 0 while a heading or a table cell is written: one line, no blocks. */
  #flat = 0;
  /** Link around blocks (a card): goes to the first line of text within. */
  #pendingLink: string | undefined;

  constructor(options: MarkdownOptions) {
    this.#resolve = options.resolve;
    this.#deadline = options.deadline;
    this.#output = new BlockOutput(options.maxLength ?? 4_000_000);
  }

  result(): { markdown: string; text: string; truncated: boolean } {
    this.#flush();
    const { markdown, text, full } = this.#output;
    return { markdown, text, truncated: full || this.#deadline.passed };
  }

  write(element: Element): void {
    if (element.dropped) return;
    this.#flush();
    this.#block(element);
    this.#flush();
  }

  /** Content of an element: text and inline elements gather into paragraphs, blocks end them. */
  #content(element: Element): void {
    for (const child of element.children) {
      if (this.#output.full || this.#deadline.passed) return;
      if (this.#pendingLink !== undefined) this.#begin(child);
      if (typeof child === "string") this.#inline.write(child);
      else if (child.dropped) continue;
      else if (child.block) {
        if (this.#flat > 0) this.#inFlat(child);
        else this.write(child);
      } else if (child.blocks > 0 && this.#flat === 0) this.#around(child);
      else this.#inlineElement(child);
    }
  }

  /** A block where none can be: its content, set off by spaces. */
  #inFlat(element: Element): void {
    this.#inline.write(" ");
    this.#content(element);
    this.#inline.write(" ");
  }

  /** An inline element with blocks in it: only a link outlives that, on the first line it holds. */
  #around(element: Element): void {
    const before = this.#pendingLink;
    const href = element.name === "a" ? element.attributes.href : undefined;
    const url = href === undefined ? undefined : this.#resolve(href);
    if (url !== undefined) {
      this.#flush();
      this.#pendingLink = url;
    }
    this.#content(element);
    if (url !== undefined) {
      this.#flush();
      this.#pendingLink = before;
    }
  }

  /** The link that waits for a line gets the first that says something. */
  #begin(child: Element | string): void {
    if (this.#pendingLink === undefined || !this.#inline.empty || this.#inline.depth > 0) return;
    const says = typeof child === "string"
      ? child.trim() !== ""
      : child.text > 0 && (!child.block || this.#flat > 0) &&
        (child.blocks === 0 || this.#flat > 0);
    if (says && this.#inline.openLink(this.#pendingLink)) this.#pendingLink = undefined;
  }

  #inlineElement(element: Element): void {
    const { name, attributes } = element;
    switch (name) {
      case "br":
        return this.#lineBreak();
      case "img":
        return this.#image(element);
      case "code":
      case "kbd":
      case "samp":
      case "tt":
        return this.#inline.code(rawText(element));
      case "a": {
        const url = attributes.href === undefined ? undefined : this.#resolve(attributes.href);
        return this.#marked(element, url !== undefined && this.#inline.openLink(url));
      }
      case "b":
      case "strong":
        return this.#marked(element, this.#inline.open("**"));
      case "em":
      case "i":
        return this.#marked(element, this.#inline.open("*"));
      case "del":
      case "s":
      case "strike":
        return this.#marked(element, this.#inline.open("~~"));
      case "q":
        this.#inline.write("“");
        this.#content(element);
        return this.#inline.write("”");
      default:
        return this.#content(element);
    }
  }

  #marked(element: Element, opened: boolean): void {
    const depth = this.#inline.depth;
    this.#content(element);
    // A paragraph that ended within has closed its marks already.
    if (opened && this.#inline.depth === depth) this.#inline.close();
  }

  #lineBreak(): void {
    if (this.#flat > 0) this.#inline.write(" ");
    else if (this.#inline.breaks > 0 && this.#inline.depth === 0) this.#flush(); // two are a paragraph
    else if (!this.#inline.empty) this.#inline.lineBreak();
  }

  #image(element: Element): void {
    const { attributes } = element;
    if (attributes.width === "1" || attributes.height === "1") return; // counts visits
    // Pages that load images late keep the address elsewhere and a placeholder in `src`.
    const source = attributes["data-src"] ?? attributes["data-original"] ??
      (attributes.src || firstOf(attributes.srcset ?? attributes["data-srcset"]));
    const url = source === undefined ? undefined : this.#resolve(source);
    if (url === undefined) return;
    this.#inline.image(attributes.alt ?? "", url);
  }

  #block(element: Element): void {
    switch (element.name) {
      case "h1":
      case "h2":
      case "h3":
      case "h4":
      case "h5":
      case "h6": {
        const { markdown, text } = this.#line(element);
        if (markdown !== "") {
          this.#output.emit("#".repeat(Number(element.name[1])) + " " + markdown, text);
        }
        return;
      }
      case "hr":
        return this.#output.emit("---", "");
      case "pre":
      case "listing":
      case "xmp":
      case "plaintext": {
        const code = fence(element);
        if (code !== undefined) this.#output.emit(code.markdown, code.text);
        return;
      }
      case "blockquote":
        return this.#indented(element, "> ", "> ");
      case "ul":
      case "ol":
      case "menu":
      case "dir":
        return this.#list(element);
      case "li":
        return this.#indented(element, "- ", "  ");
      case "table":
        return this.#table(element);
      default:
        return this.#content(element);
    }
  }

  #indented(element: Element, first: string, rest: string): void {
    const entered = this.#output.enter(first, rest);
    this.#content(element);
    this.#flush();
    if (entered) this.#output.leave();
  }

  #list(list: Element): void {
    const ordered = list.name === "ol";
    const given = Number(list.attributes.start ?? 1);
    let number = Number.isInteger(given) && given >= 0 && given < 1e9 ? given : 1;
    // Items of several paragraphs stand apart from each other.
    const loose = list.children.some((c) =>
      typeof c !== "string" && c.name === "li" && c.paragraphs > 1
    );
    let first = list.parent?.name !== "li";
    for (const child of list.children) {
      if (typeof child === "string") {
        this.#inline.write(child);
        continue;
      }
      if (child.dropped) continue;
      this.#flush();
      const marker = child.name !== "li" ? "  " : ordered ? `${number++}. ` : "- ";
      if (!first && !loose) this.#output.tight = true;
      const before = this.#output.length;
      if (child.name === "li") {
        this.#indented(child, marker, " ".repeat(marker.length));
      } else {
        // A list right inside a list belongs to the item before it.
        const entered = child.block && this.#output.enter(marker, marker);
        this.write(child);
        if (entered) this.#output.leave();
      }
      if (this.#output.length > before) first = false;
      this.#output.tight = false;
    }
    this.#flush();
  }

  #table(table: Element): void {
    const found = rowsOf(table);
    if (found === undefined) return this.#content(table);
    if (found.caption) this.write(found.caption);
    const lines: string[] = [], texts: string[] = [];
    let length = 0;
    for (const row of found.rows) {
      if (this.#deadline.passed || length > this.#output.maxLength) break;
      const cells = row.map((cell) =>
        cell === undefined ? { markdown: "", text: "" } : this.#line(cell)
      );
      while (cells.length < found.columns) cells.push({ markdown: "", text: "" });
      const line = "| " + cells.map((cell) => cell.markdown.replaceAll("|", "\\|")).join(" | ") +
        " |";
      lines.push(line);
      length += line.length;
      texts.push(cells.map((cell) => cell.text).join("\t").trim());
      if (lines.length === 1) lines.push("|" + " --- |".repeat(found.columns));
    }
    this.#output.emit(lines.join("\n"), texts.join("\n"));
  }

  /** The content of an element as one line. */
  #line(element: Element): { markdown: string; text: string } {
    this.#flat++;
    this.#content(element);
    this.#flat--;
    while (this.#inline.depth > 0) this.#inline.close();
    return this.#inline.take();
  }

  /** End the paragraph. */
  #flush(): void {
    if (this.#inline.empty && this.#inline.depth === 0) {
      this.#inline.take();
      return;
    }
    while (this.#inline.depth > 0) this.#inline.close();
    const { markdown, text } = this.#inline.take();
    if (markdown === "") return;
    const escaped = markdown.includes("\n")
      ? markdown.split("\n").map(escapeLineStart).join("\n")
      : escapeLineStart(markdown);
    this.#output.emit(escaped, text);
  }
}

/** The first candidate of a `srcset`. */
function firstOf(srcset: string | undefined): string | undefined {
  const first = srcset?.trim().split(/[\s,]/, 1)[0];
  return first === "" ? undefined : first;
}
