/**
 * The extractors `readability` and `raw`: linkedom builds a document, @mozilla/readability finds the
 * article in it, turndown writes Markdown. They are neither bounded nor linear, so they run only in
 * the child process and on pages that passed the screen.
 *
 * @module
 */

import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import Turndown from "turndown";
import { Deadline } from "./_deadline.ts";
import { extractLinks } from "./links.ts";
import { writeMarkdown } from "./markdown.ts";
import { type Content, resolver } from "./render.ts";
import { parseTree } from "./tree.ts";

/** The part of a DOM element that is used here; the libraries' own types need the browser's. */
interface DomElement {
  readonly localName: string;
  readonly innerHTML: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
  querySelectorAll(selector: string): Iterable<DomElement>;
}

const turndown: { turndown(node: unknown): string } = new Turndown({
  headingStyle: "atx",
  codeBlockStyle: "fenced",
  bulletListMarker: "-",
});

/** Render one page; whatever the libraries throw is thrown. */
export function renderWithLibraries(
  html: string,
  url: string,
  extractor: "readability" | "raw",
  deadlineMs: number,
): Content {
  const resolve = resolver(url, extractLinks(html).base);
  const document = parse(html);
  let root = document.documentElement;
  if (root !== null) {
    for (const element of [...root.querySelectorAll("script, style, template, noscript, base")]) {
      element.remove();
    }
    absolute(root, "a[href]", "href", resolve);
    absolute(root, "img[src]", "src", resolve);
  }
  const deadline = new Deadline(deadlineMs);
  const { title } = parseTree(html, deadline, { nodes: 20_000 });
  if (root !== null && extractor === "readability") {
    // deno-lint-ignore no-explicit-any
    const article = new Readability(document as any, { charThreshold: 500 }).parse();
    const content = article?.content ?? "";
    root = content === "" ? null : parse(content).documentElement;
  } else if (root !== null) {
    for (const element of [...root.querySelectorAll("head, title")]) element.remove();
  }
  if (root === null) return { title, markdown: "", text: "", truncated: false };
  const markdown = turndown.turndown(root).trim();
  const { text } = writeMarkdown([parseTree(root.innerHTML, deadline).root], { resolve, deadline });
  return { title, markdown, text, truncated: false };
}

/**
 * linkedom takes the first element for the document element when a page leaves out `<html>`, and has an
 * empty `body` when it leaves out that: both are put around such a page.
 */
function parse(html: string): { documentElement: DomElement | null } {
  const read = (source: string) =>
    (parseHTML(source) as unknown as { document: { documentElement: DomElement | null } }).document;
  const document = read(html), root = document.documentElement;
  if (root?.localName !== "html") return read(`<html><body>${html}</body></html>`);
  const spelled = root.querySelectorAll("body")[Symbol.iterator]().next().done !== true;
  return spelled ? document : read(`<html><body>${root.innerHTML}</body></html>`);
}

function absolute(
  root: DomElement,
  selector: string,
  attribute: string,
  resolve: (reference: string) => string | undefined,
): void {
  for (const element of root.querySelectorAll(selector)) {
    const target = resolve(element.getAttribute(attribute) ?? "");
    if (target === undefined) element.removeAttribute(attribute);
    else element.setAttribute(attribute, target);
  }
}
