/**
 * Preformatted text as a fenced code block.
 *
 * @module
 */

import type { Element } from "./_element.ts";
import { longestRun } from "./_escape.ts";
import { rawText } from "./_text.ts";

/** Class names that highlighters give a block, before or instead of its language. */
const LANGUAGE_PREFIXES = ["language-", "lang-", "highlight-source-", "highlight-text-", "brush:"];

/** A `pre` with its language, or undefined when it is empty. */
export function fence(pre: Element): { markdown: string; text: string } | undefined {
  dropLineNumbers(pre);
  const text = trimLines(rawText(pre).replaceAll("\r\n", "\n").replaceAll("\r", "\n"));
  if (text === "") return undefined;
  const marks = "`".repeat(Math.max(3, longestRun(text, 96) + 1));
  return { markdown: `${marks}${languageOf(pre)}\n${text}\n${marks}`, text };
}

/** Without the empty lines around and the white space at the end; indentation stays. */
function trimLines(text: string): string {
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 10) start = i + 1;
    else if (c !== 32 && c !== 9) break;
  }
  return text.slice(start).trimEnd();
}

/** Numbers that a highlighter put beside the lines would be read as code. */
function dropLineNumbers(pre: Element): void {
  for (const child of pre.children) {
    if (typeof child === "string" || child.dropped) continue;
    const { class: classes } = child.attributes;
    if (
      classes && /gutter|linenos?|line-?num|hljs-ln-n/i.test(classes) && isNumbers(rawText(child))
    ) {
      child.drop();
    } else dropLineNumbers(child);
  }
}

function isNumbers(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (!(c >= 48 && c <= 57 || c <= 32)) return false;
  }
  return true;
}

/** The language as named on the block, the code within, or up to two boxes around it. */
function languageOf(pre: Element): string {
  const inner = pre.children.find((child): child is Element => typeof child !== "string");
  for (const element of [pre, inner, pre.parent, pre.parent?.parent]) {
    if (element === undefined) continue;
    const { attributes } = element;
    const named = attributes["data-lang"] ?? attributes["data-language"] ??
      fromClass(attributes.class);
    if (named !== undefined && /^[\w+#.-]{1,32}$/.test(named)) return named.toLowerCase();
  }
  return "";
}

function fromClass(classes: string | undefined): string | undefined {
  if (classes === undefined) return undefined;
  const names = classes.split(/\s+/, 24);
  for (const [i, name] of names.entries()) {
    for (const prefix of LANGUAGE_PREFIXES) {
      if (!name.startsWith(prefix)) continue;
      const named = name === prefix ? names[i + 1] ?? "" : name.slice(prefix.length);
      return named.split(/[;,]/, 1)[0];
    }
  }
  return undefined;
}
