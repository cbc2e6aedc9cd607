/**
 * A row without its large columns, for logs.
 *
 * @module
 */

import type { RowView } from "./row_view.ts";
import { CAPTURE_COLUMNS, type CaptureColumnName, type CaptureRow } from "./schema.ts";

/** Columns whose values have no bound worth the name. */
export type LargeColumn =
  | "meta_json"
  | "markdown"
  | "resp_headers"
  | "req_headers"
  | "body"
  | "text";

/** A row without them. */
export type SmallRow = Omit<CaptureRow, LargeColumn>;

const LARGE: ReadonlySet<CaptureColumnName> = new Set<LargeColumn>([
  "meta_json",
  "markdown",
  "resp_headers",
  "req_headers",
  "body",
  "text",
]);
const SMALL = CAPTURE_COLUMNS.filter(({ name }) => !LARGE.has(name));

/** The small columns of a row, in their order. */
export function smallRow(view: RowView): SmallRow {
  const out: Record<string, unknown> = {};
  for (const { name, type } of SMALL) {
    out[name] = type === "string"
      ? view.text(name)
      : type === "uint64"
      ? view.bigint(name)
      : type === "boolean"
      ? view.number(name) !== 0
      : view.number(name);
  }
  return out as SmallRow;
}
