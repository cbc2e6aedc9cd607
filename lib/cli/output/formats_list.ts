/**
 * The names of the output formats; apart from the formats themselves, which load when one is used.
 *
 * @module
 */

/** The formats there are. `auto` is a table on a terminal, else jsonl. */
export const OUTPUT_FORMATS = [
  "auto",
  "table",
  "jsonl",
  "json",
  "csv",
  "tsv",
  "url",
  "raw",
  "markdown",
  "parquet",
] as const;

/** One of {@linkcode OUTPUT_FORMATS}. */
export type OutputFormat = typeof OUTPUT_FORMATS[number];
