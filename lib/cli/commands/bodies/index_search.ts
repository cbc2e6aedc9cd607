/**
 * The work of `index search`.
 *
 * @module
 */

import { SearchIndex, type SearchOptions } from "../../../index/mod.ts";
import type { CommandIo } from "../../command.ts";
import { ExitCode } from "../../errors.ts";
import type { IndexSearchArguments, IndexSearchOptions } from "../index_search.ts";

/** Documents shown when nobody said how many, and when somebody said all. */
const SOME = 10;
const ALL = 100_000;

/** Find documents, a record each. */
export async function run(
  options: IndexSearchOptions & IndexSearchArguments,
  io: CommandIo,
): Promise<number> {
  using index = new SearchIndex(options.dir);
  const hits = index.search(options.query, {
    limit: io.sourceOf("limit") === "default" ? SOME : Math.min(options.limit || ALL, ALL),
    ...(options.host === undefined ? {} : { host: options.host }),
    languages: options.lang,
    any: options.any,
    ...HIGHLIGHTS[options.highlight],
  });
  for (const { docId, score, url, title, snippet } of hits) {
    const taken = io.output.write({ doc_id: docId, score, url, title, snippet });
    if (!(taken === true || await taken)) break;
  }
  return hits.length === 0 ? ExitCode.nothing : ExitCode.done;
}

const HIGHLIGHTS: Readonly<
  Record<IndexSearchOptions["highlight"], Pick<SearchOptions, "marks" | "escape">>
> = {
  markdown: { marks: ["**", "**"] },
  html: { marks: ["<mark>", "</mark>"], escape: escapeHtml },
  none: { marks: ["", ""] },
};

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
