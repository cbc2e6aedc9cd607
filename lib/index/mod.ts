/**
 * Full-text search over documents: SQLite's FTS5 with BM25, one file in a folder.
 *
 * {@linkcode IndexWriter} puts documents in, {@linkcode SearchIndex} finds them,
 * {@linkcode readDocuments} reads them from files.
 *
 * @module
 */

export { fetchDocuments, type FetchDocumentsOptions } from "./fetched.ts";
export { readDocuments, type ReadDocumentsOptions } from "./documents.ts";
export { IndexError } from "./errors.ts";
export { SearchIndex } from "./search.ts";
export type * from "./types.ts";
export { type IndexFigures, IndexWriter } from "./writer.ts";
