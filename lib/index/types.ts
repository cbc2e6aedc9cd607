/**
 * What an index is given, and what it gives.
 *
 * @module
 */

/** A document to be found by its words. */
export interface IndexDocument {
  /** Tells it from others; one that is given again replaces the one before. @default its URL */
  readonly docId?: string;
  /** Where it is; may be empty where there is a `docId`. */
  readonly url: string;
  /** Its title; counts for more than the text. */
  readonly title: string;
  /** Its text. */
  readonly text: string;
  /** ISO 639-3, or empty. */
  readonly language: string;
}

/** What became of a document. */
export type Added = "added" | "replaced" | "unchanged";

/** What to look for. */
export interface SearchOptions {
  /** Documents given, the best ones. @default 10 */
  readonly limit?: number;
  /** Only documents of this host and those below it. */
  readonly host?: string;
  /** Only documents in these languages, by their ISO 639-3 codes. */
  readonly languages?: readonly string[];
  /** Take documents that have any of the words, instead of all. @default false */
  readonly any?: boolean;
  /** What stands before and after a word that was found. @default ["**", "**"] */
  readonly marks?: readonly [before: string, after: string];
  /** How the snippet's own text is written between the marks. @default as it is */
  readonly escape?: (text: string) => string;
}

/** A document that was found. */
export interface SearchHit {
  /** What tells it from others. */
  readonly docId: string;
  /** How well it matches, by BM25: higher is better. */
  readonly score: number;
  /** Where it is. */
  readonly url: string;
  /** Its title. */
  readonly title: string;
  /** The piece of its text with most of the words, marked, on one line. */
  readonly snippet: string;
}
