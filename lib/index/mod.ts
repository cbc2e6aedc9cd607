/**
 * Full-text search over documents: SQLite's FTS5 with BM25, one file in a folder.
 *
 * {@linkcode IndexWriter} puts documents in, {@linkcode SearchIndex} finds them,
 * {@linkcode readDocuments} reads them from files. `fetched.ts`, on the recrawl of the engine, reads them
 * from the web.
 *
 * @example Documents, and the one that is asked for
 * ```ts
 * import { IndexWriter, SearchIndex } from "@ccrawl/cli/search";
 * import assert from "node:assert/strict";
 *
 * const dir = await Deno.makeTempDir();
 * {
 *   using writer = new IndexWriter(dir);
 *   const page = { title: "", language: "eng" };
 *   writer.add({ ...page, url: "https://example.com/1", text: "A crawler is polite." });
 *   writer.add({ ...page, url: "https://example.com/2", text: "An archive is whole." });
 *   writer.close();
 * }
 * using index = new SearchIndex(dir);
 * const [best] = index.search("polite crawler");
 * assert.equal(best?.url, "https://example.com/1");
 * assert.equal(best.snippet, "A **crawler** is **polite**.");
 * await Deno.remove(dir, { recursive: true });
 * ```
 *
 * @module
 */

export { readDocuments, type ReadDocumentsOptions } from "./documents.ts";
export { IndexError } from "./errors.ts";
export type { ParseDamage } from "../parse/mod.ts";
export { SearchIndex } from "./search.ts";
export type * from "./types.ts";
export { type IndexFigures, IndexWriter } from "./writer.ts";
