/**
 * Queries as people write them, and as the index is asked.
 *
 * @module
 */

import { hostWord, indexedText, words } from "./_text.ts";
import { IndexError } from "./errors.ts";
import type { SearchOptions } from "./types.ts";

const MAX_QUERY = 2000;
const MAX_TERMS = 64;

/** A word or a phrase that was asked for. */
export interface Term {
  /** Its words as the index compares them; more than one for a phrase. */
  readonly words: readonly string[];
  /** Whether the last may go on. */
  readonly prefix: boolean;
}

/** A query that can be asked. */
export interface Query {
  /** For `MATCH`. */
  readonly match: string;
  /** What is to be marked in snippets. */
  readonly terms: readonly Term[];
}

/**
 * Reads a query: words, of which a document must have all; `"a phrase"`; `begin*`; `-without`.
 *
 * @throws {IndexError} When it names no word, or is too long.
 */
export function parseQuery(text: string, options: SearchOptions): Query {
  if (text.length > MAX_QUERY) {
    throw new IndexError(`Cannot search: the query has more than ${MAX_QUERY} characters`, {
      exitCode: 2,
    });
  }
  const terms: Term[] = [], wanted: string[] = [], unwanted: string[] = [];
  for (const [, minus, phrase, bare] of text.matchAll(/(-?)(?:"([^"]*)"?|([^\s"]+))/g)) {
    const raw = phrase ?? bare!;
    const found = [...words(raw)].map(({ folded }) => folded);
    if (found.length === 0) continue;
    const prefix = phrase === undefined && raw.endsWith("*");
    const asked = `"${indexedText(raw, MAX_QUERY).replaceAll('"', '""')}"${prefix ? "*" : ""}`;
    if (minus === "-") unwanted.push(asked);
    else {
      wanted.push(asked);
      terms.push({ words: found, prefix });
    }
  }
  if (wanted.length === 0) {
    const what = unwanted.length > 0 ? "it says only what is not wanted" : "it names no word";
    throw new IndexError(`Cannot search for ${JSON.stringify(text)}: ${what}`, { exitCode: 2 });
  }
  if (wanted.length + unwanted.length > MAX_TERMS) {
    throw new IndexError(`Cannot search: the query has more than ${MAX_TERMS} words`, {
      exitCode: 2,
    });
  }
  const has = wanted.join(options.any === true ? " OR " : " AND ");
  const hasNot = unwanted.map((one) => ` NOT ${one}`).join("");
  return { match: `{title text} : ((${has})${hasNot})${filters(options)}`, terms };
}

function filters({ host, languages = [] }: SearchOptions): string {
  const list = languages.map((one) => `"${one.toLowerCase().replaceAll(/[^a-z0-9]/g, "")}"`);
  return (host === undefined ? "" : ` AND {host} : "${hostWord(host)}"`) +
    (list.length === 0 ? "" : ` AND {language} : (${list.join(" OR ")})`);
}
