/**
 * Fields of a record of `recrawl run`: the capture row without its large columns.
 *
 * @module
 */

import { CAPTURE_COLUMNS, type CaptureColumn, type CaptureRow } from "../../capture/schema.ts";
import type { FieldSpec } from "../output/fields.ts";

/** Columns that are in the capture files alone. */
const LARGE = ["body", "markdown", "text", "resp_headers", "req_headers", "meta_json"] as const;

/** A record: one attempt to fetch one URL. */
export type RecrawlRecord = Omit<CaptureRow, typeof LARGE[number]>;

/** Those that a table shows when `--fields` does not choose. */
const IN_TABLES: ReadonlySet<string> = new Set<keyof RecrawlRecord>([
  "url",
  "status",
  "content_type",
  "body_length",
  "unchanged",
  "error",
  "fetch_duration_ms",
  "title",
  "language",
]);

/** The fields, in the order of the columns. */
export const recrawlFields: readonly FieldSpec[] = CAPTURE_COLUMNS
  .filter(({ name }) => !(LARGE as readonly string[]).includes(name))
  .map(({ name, type, about }) => ({
    name,
    type: fieldType(type),
    help: about,
    ...(IN_TABLES.has(name) ? {} : { table: false }),
  }));

function fieldType(type: CaptureColumn["type"]): FieldSpec["type"] {
  switch (type) {
    case "string":
    case "bytes":
      return "string";
    case "boolean":
      return "boolean";
    case "double":
      return "number";
    case "uint64":
      return "uint64";
    case "int32":
    case "int64":
      return "integer";
  }
}
