/**
 * `index search`: documents by their words.
 *
 * @module
 */

import type { CommandSpec } from "../command.ts";
import type { GlobalOptions } from "../options/global.ts";
import { flag, list, required, value } from "../options/spec.ts";
import { choice, language, path, text } from "../options/types.ts";
import { parseHostArgument } from "./arguments.ts";

/** Resolved options of `index search`. */
export interface IndexSearchOptions extends GlobalOptions {
  readonly dir: string;
  /** Host name; undefined for all. */
  readonly host: string | undefined;
  readonly lang: readonly string[];
  readonly any: boolean;
  readonly highlight: "markdown" | "html" | "none";
}

/** Its arguments: the words of the query. */
export interface IndexSearchArguments {
  readonly query: string;
}

/** The command. */
export const indexSearch: CommandSpec<IndexSearchOptions, IndexSearchArguments> = {
  brief: "Find the documents of an index that match a query best",
  description: [
    'A document must have every word of the query; "a phrase" stands together, begin* may go on, -without ' +
    "must not be there. Case and accents do not matter. The best by BM25 come first, a title's words " +
    "counting four times; the same query of the same index always gives the same order. Ten are shown, or " +
    "as many as -n says. 3 when there is none.",
  ],
  args: {
    usage: "QUERY",
    help: "what to look for; several words are one query",
    min: 1,
    max: Infinity,
    parse: (words) => ({ query: words.join(" ") }),
  },
  options: {
    dir: required(path("DIR"), "Folder of the index"),
    host: value(
      { ...text("HOST"), parse: (value: string) => hostValue(value) },
      undefined,
      "Only documents of this host and those below it",
    ),
    lang: list(language, "Only documents in this language, by its ISO 639-3 code", {
      commas: true,
    }),
    any: flag(false, "Take documents that have any of the words"),
    highlight: value(
      choice(["markdown", "html", "none"]),
      "markdown",
      "How words that were found are marked in snippets: **so**, <mark>so</mark>, or not",
    ),
  },
  fields: [
    { name: "doc_id", type: "string", help: "what tells the document from others", table: false },
    { name: "score", type: "number", help: "how well it matches; higher is better" },
    { name: "url", type: "string", help: "where it is" },
    { name: "title", type: "string", help: "its title" },
    { name: "snippet", type: "string", help: "the piece of its text with most of the words" },
  ],
  examples: [
    ['ccrawl index search --dir idx/ "golang concurrency"', "documents with both words"],
    [`ccrawl index search --dir idx/ '"exact phrase" -draft'`, "a phrase, without a word"],
    ["ccrawl index search --dir idx/ concurr* --host go.dev --lang eng -n 50", "filtered"],
  ],
};

function hostValue(value: string): string {
  try {
    return parseHostArgument(value);
  } catch (cause) {
    throw new RangeError("not a host name; write example.com", { cause });
  }
}
