import { Deadline } from "./_deadline.ts";
import type { Element } from "./_element.ts";
import { prune } from "./_prune.ts";
import { mainContent } from "./extract.ts";
import { type DetectedLanguage, type LanguageDetector, loadLanguageDetector } from "./language.ts";
import { extractLinks, type PageLinks } from "./links.ts";
import { writeMarkdown } from "./markdown.ts";
import { simhash } from "./simhash.ts";
import { parseTree, type TreeLimits } from "./tree.ts";
import { countWords } from "./words.ts";

/** What a page renders to. All strings are well-formed. */
export interface RenderedPage {
  /** Text of the first `<title>`. */
  readonly title: string;
  /** The main content as GitHub Flavored Markdown. */
  readonly markdown: string;
  /** The same as plain text. */
  readonly text: string;
  /** Words of `text` by Unicode segmentation. */
  readonly wordCount: number;
  /** ISO 639-3, detected; empty when it cannot be told. */
  readonly language: string;
  /** 0 to 1. */
  readonly languageConfidence: number;
  /** Fingerprint of `markdown`, 64 bits unsigned. */
  readonly simhash: bigint;
  /** Links of the whole page. */
  readonly links: PageLinks;
  /** `name@version` of what rendered it. */
  readonly extractor: string;
  /** Whether a limit or the deadline cut the page. */
  readonly truncated: boolean;
}

/** Bounds of one rendering. */
export interface RenderLimits extends TreeLimits {
  /** Milliseconds after which what is there is all there is. @default 2000 */
  readonly deadlineMs?: number;
  /** UTF-16 units of Markdown. @default 4000000 */
  readonly maxLength?: number;
}

/** Name and version of the extractor `main`; the version changes when its output does. */
export const MAIN_EXTRACTOR = "main@1";
/**
 * Characters below which the content was most likely missed. Then ever less is left out, as long as
 * that gives more than so many: clutter, what is named as surroundings, anything at all.
 */
const ATTEMPTS: readonly { readonly enough: number; readonly find: ContentFinder }[] = [
  { enough: 200, find: mainContent },
  { enough: 80, find: (root, deadline) => (prune(root, true, deadline), [root]) },
  { enough: 20, find: (root, deadline) => (prune(root, false, deadline), [root]) },
  { enough: 0, find: (root) => [root] },
];
type ContentFinder = (root: Element, deadline: Deadline) => Element[];

/** Main content of one page, before anything is derived from it. */
export interface Content {
  readonly title: string;
  readonly markdown: string;
  readonly text: string;
  readonly truncated: boolean;
}

/** Renders pages with the extractor `main`; see {@linkcode loadMainRenderer}. */
export type MainRenderer = (html: string, page: { url: string }) => RenderedPage;

/**
 * Load what the extractor `main` needs (the language tables) and return it: a synchronous function,
 * linear in the page and bounded by its limits, that throws on no input.
 *
 * @example Usage
 * ```ts
 * import { loadMainRenderer } from "@ccrawl/cli/render";
 * import assert from "node:assert/strict";
 *
 * const render = await loadMainRenderer();
 * const page = render("<title>T</title><h1>Hello</h1><p>Read <a href=/x>this</a>.", { url: "https://a.example/" });
 * assert.equal(page.markdown, "# Hello\n\nRead [this](https://a.example/x).");
 * ```
 */
export async function loadMainRenderer(limits: RenderLimits = {}): Promise<MainRenderer> {
  return mainRenderer(askHere(await loadLanguageDetector()), limits);
}

/** Asks for the language of a text, which may be told elsewhere meanwhile; what is returned has the answer. */
export type AskLanguage = (text: string) => () => DetectedLanguage;

/** Languages are told by this thread. */
export function askHere(detect: LanguageDetector): AskLanguage {
  return (text) => () => detect(text);
}

/** The same with languages told by whom `ask` asks. */
export function mainRenderer(ask: AskLanguage, limits: RenderLimits = {}): MainRenderer {
  return (html, { url }) => {
    const links = extractLinks(html);
    return complete(extractMain(html, url, links.base, limits), links, MAIN_EXTRACTOR, ask);
  };
}

/** Find and write the main content. */
export function extractMain(
  html: string,
  url: string,
  base: string | undefined,
  limits: RenderLimits = {},
): Content {
  const deadline = new Deadline(limits.deadlineMs ?? 2_000);
  const options = {
    resolve: resolver(url, base),
    deadline,
    maxLength: limits.maxLength ?? 4_000_000,
  };
  let best: Content | undefined;
  for (const { enough, find } of ATTEMPTS) {
    // Finding marks what it drops, so that each attempt has a tree of its own.
    const tree = parseTree(html, deadline, limits);
    const all = tree.root.text;
    const written = writeMarkdown(find(tree.root, deadline), options);
    if (best === undefined || written.text.length > best.text.length) {
      best = { title: tree.title, ...written, truncated: written.truncated || tree.truncated };
    }
    if (best.text.length >= Math.min(enough, all) || deadline.passed) break;
  }
  return best!;
}

/** Derive everything else from the content. */
export function complete(
  content: Content,
  links: PageLinks,
  extractor: string,
  ask: AskLanguage,
): RenderedPage {
  const markdown = content.markdown.toWellFormed(), text = content.text.toWellFormed();
  const answer = ask(text);
  const wordCount = countWords(text), fingerprint = simhash(markdown);
  const { language, confidence } = answer();
  return {
    title: content.title.toWellFormed(),
    markdown,
    text,
    wordCount,
    language,
    languageConfidence: confidence,
    simhash: fingerprint,
    links,
    extractor,
    truncated: content.truncated,
  };
}

/** Most references of a page whose absolute form is remembered. */
const MOST_RESOLVED = 20_000;

/** Resolves references against the page's base; only http and https come out. */
export function resolver(
  url: string,
  base: string | undefined,
): (reference: string) => string | undefined {
  const page = URL.parse(url);
  const from = (base === undefined ? undefined : URL.parse(base, page ?? undefined)) ?? page;
  const against = from?.protocol === "http:" || from?.protocol === "https:" ? from : page;
  const known = new Map<string, string | undefined>();
  return (reference) => {
    if (known.has(reference)) return known.get(reference);
    const absolute = URL.parse(reference, against ?? undefined);
    const href = absolute && /^https?:$/.test(absolute.protocol) ? absolute.href : undefined;
    if (known.size < MOST_RESOLVED) known.set(reference, href);
    return href;
  };
}
