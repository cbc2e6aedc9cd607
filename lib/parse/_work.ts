/**
 * What is done to each record: whether it is wanted, and all that was asked for about it.
 *
 * @module
 */

import {
  countWords,
  extractLinks,
  isHtml,
  type LanguageDetector,
  loadLanguageDetector,
} from "../render/mod.ts";
import type { Item, Known } from "./_item.ts";
import { absoluteLinks } from "./_links.ts";
import { decodedBytes, type Payload, textOf, typeOf } from "./_payload.ts";
import { PageRenderer } from "./_renderer.ts";
import { recordTest } from "./filter.ts";
import type { Parsed, ParsedRecord, ParseOptions } from "./types.ts";

/** Records that may wait for one before them to be rendered, for each thread. */
const AHEAD = 16;
/** Characters of markup whose links are looked for. */
const MAX_MARKUP = 16 << 20;
/** What is text as it stands. */
const PLAIN_TEXT: ReadonlySet<string> = new Set(["text/plain", "text/markdown"]);
const NONE = new Uint8Array(0);

/** In an object, so that a promise is not waited for before its turn. */
type Outcome = { readonly now: Parsed | undefined } | {
  readonly later: Promise<Parsed | undefined>;
};

/** Does what the options ask of each record. */
export class Work implements AsyncDisposable {
  readonly #options: ParseOptions;
  readonly #test: (record: ParsedRecord) => boolean;
  readonly #languages: ReadonlySet<string> | undefined;
  readonly #derives: boolean;
  /** Made for the first page that is to be rendered. */
  #renderer: PageRenderer | undefined;
  readonly #ahead: number;
  #detect: LanguageDetector | undefined;

  /** @throws {ParseError} When a pattern cannot be used. */
  constructor(options: ParseOptions) {
    const { text = false, markdown = false, languages = [], workers } = options;
    this.#options = options;
    this.#test = recordTest(options);
    this.#languages = languages.length === 0 ? undefined : new Set(languages);
    this.#derives = text || markdown || languages.length > 0;
    this.#ahead = AHEAD * (workers ?? navigator.hardwareConcurrency);
  }

  /** The records that are wanted, with all that was asked for, in the items' order. */
  async *through(
    items: AsyncIterable<Item>,
    file: string | undefined,
  ): AsyncGenerator<Parsed, void, undefined> {
    const queue: Outcome[] = [];
    let failure: { readonly error: unknown } | undefined;
    try {
      for await (const item of items) {
        if (this.#options.signal?.aborted) break;
        if (!this.#test(item.record)) continue;
        queue.push(await this.#begin(item, file));
        while (queue.length > 0 && ("now" in queue[0]! || queue.length >= this.#ahead)) {
          const parsed = await settled(queue.shift()!);
          if (parsed !== undefined) yield parsed;
        }
      }
    } catch (error) {
      failure = { error }; // what was read before a file broke off is good
    }
    for (const outcome of queue) {
      const parsed = await settled(outcome);
      if (parsed !== undefined) yield parsed;
    }
    if (failure !== undefined) throw failure.error;
  }

  /** Begins what is to be done about a record. */
  async #begin(item: Item, file: string | undefined): Promise<Outcome> {
    const { links = false, payload: wantsPayload = false } = this.#options;
    const { known, record } = item;
    const isPage = record.type === "response" || record.type === "resource";
    const payload = wantsPayload || (isPage && (links || this.#derives))
      ? item.payload()
      : undefined;
    const finish = (derived: Known) => this.#finish(item, file, derived, payload);
    const done = known.text !== undefined || known.markdown !== undefined ||
      known.language !== undefined;
    const page = isPage ? payload : undefined;
    if (page !== undefined && isHtmlPage(page)) {
      if (this.#derives && !done) {
        const { row } = await this.#render(page);
        return { later: row.then(({ rendered }) => finish(rendered ?? {})) };
      }
      const found = links && known.links === undefined ? await linksOf(page) : {};
      return { now: finish({ ...found, ...known }) };
    }
    if (!this.#derives) return { now: finish(known) };
    let text = known.text;
    if (!done && page !== undefined && PLAIN_TEXT.has(typeOf(page.contentType))) {
      text = await textOf(decodedBytes(page), page.contentType, false);
    }
    if (text === undefined) return { now: finish(known) };
    const told = known.language === undefined ? await this.#languageOf(text) : {};
    const wordCount = known.wordCount ?? (this.#options.text ? countWords(text) : 0);
    return { now: finish({ title: "", text, markdown: text, wordCount, ...told, ...known }) };
  }

  #render(page: Payload): ReturnType<PageRenderer["push"]> {
    const { text = false, markdown = false, links = false, workers } = this.#options;
    this.#renderer ??= new PageRenderer({ text, markdown, links }, workers);
    return this.#renderer.push(page);
  }

  async #languageOf(text: string): Promise<Known> {
    this.#detect ??= await loadLanguageDetector();
    return this.#detect(text);
  }

  /** The record with the fields that were asked for; nothing where its language is not wanted. */
  #finish(
    { record, meta }: Item,
    file: string | undefined,
    derived: Known,
    payload: Payload | undefined,
  ): Parsed | undefined {
    const { links, text, markdown, meta: wantsMeta, payload: wantsPayload } = this.#options;
    const { language = "", confidence = 0 } = derived;
    if (this.#languages !== undefined && !this.#languages.has(language)) return undefined;
    const found = links ? absoluteLinks(derived.links ?? [], record.url, derived.base) : [];
    return {
      record: {
        ...record,
        ...(file === undefined ? {} : { file }),
        ...(links ? { links: found, link_count: found.length } : {}),
        ...(text || markdown ? { title: derived.title ?? "" } : {}),
        ...(text ? { text: derived.text ?? "" } : {}),
        ...(markdown ? { markdown: derived.markdown ?? "" } : {}),
        ...(text ? { word_count: derived.wordCount ?? 0 } : {}),
        ...(this.#derives ? { language, language_confidence: confidence } : {}),
        ...(wantsMeta ? meta() : {}),
      },
      payload: wantsPayload && payload !== undefined ? decodedBytes(payload) : undefined,
    };
  }

  /** Ends the threads. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#renderer?.[Symbol.asyncDispose]();
  }
}

function settled(outcome: Outcome): Promise<Parsed | undefined> | Parsed | undefined {
  return "now" in outcome ? outcome.now : outcome.later;
}

/** By its type, or by its first bytes where none was sent. */
function isHtmlPage(payload: Payload): boolean {
  const { contentType } = payload;
  return isHtml(contentType || undefined, contentType === "" ? decodedBytes(payload) : NONE);
}

async function linksOf(payload: Payload): Promise<Known> {
  const html = await textOf(decodedBytes(payload), payload.contentType, true);
  const { base, links } = extractLinks(html.slice(0, MAX_MARKUP));
  return { base, links: links.map(({ href }) => href) };
}
