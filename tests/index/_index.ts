/** Indexes for tests. */

import { SearchIndex } from "../../lib/index/search.ts";
import type { IndexDocument, SearchOptions } from "../../lib/index/types.ts";
import { type IndexFigures, IndexWriter } from "../../lib/index/writer.ts";

export { inFolder } from "../capture/_rows.ts";

/** A document, most of it left out. */
export function document(
  url: string,
  text: string,
  more: Partial<IndexDocument> = {},
): IndexDocument {
  return { url, title: "", text, language: "", ...more };
}

/** Puts documents in. */
export function build(dir: string, documents: Iterable<IndexDocument>): IndexFigures {
  using writer = new IndexWriter(dir);
  for (const one of documents) writer.add(one);
  return writer.close();
}

/** URLs that are found. */
export function find(dir: string, query: string, options: SearchOptions = {}): string[] {
  using index = new SearchIndex(dir);
  return index.search(query, options).map(({ url }) => url);
}
