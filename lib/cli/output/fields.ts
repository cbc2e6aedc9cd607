/**
 * Fields of records: what a command's records hold, and which of them were asked for.
 *
 * @module
 */

import { UsageError } from "../errors.ts";
import { didYouMean } from "../suggest.ts";

/** A record: field name → value. */
export type OutputRecord = Readonly<Record<string, unknown>>;

/** One field a command's records can have. */
export interface FieldSpec {
  readonly name: string;
  /**
   * Numbers are aligned right in tables. `integer` and `uint64` tell Parquet what a `number`, which it
   * keeps as a double, cannot.
   */
  readonly type: "string" | "number" | "integer" | "uint64" | "boolean" | "json";
  /** What it holds, for the documentation. */
  readonly help: string;
  /** Whether a table shows it when `--fields` does not choose. @default true */
  readonly table?: boolean;
}

/**
 * The fields that `--fields` names, in its order; all known ones when it names none.
 *
 * @param option The option that names them, for the message.
 * @throws {UsageError} naming an unknown field and listing the known.
 */
export function selectFields(
  asked: readonly string[],
  known: readonly FieldSpec[],
  option = "--fields",
): readonly FieldSpec[] {
  if (asked.length === 0) return known;
  const byName = new Map(known.map((field) => [field.name, field]));
  return [...new Set(asked)].map((name) => {
    const field = byName.get(name);
    if (field !== undefined) return field;
    const near = didYouMean(name, byName.keys());
    throw new UsageError(
      `${option}: unknown field ${JSON.stringify(name)}${near === undefined ? "" : `; ${near}`}`,
      `known fields: ${[...byName.keys()].join(", ")}`,
    );
  });
}

/** Whether a field's values are numbers, which stand at the right of their column. */
export function isNumeric({ type }: FieldSpec): boolean {
  return type === "number" || type === "integer" || type === "uint64";
}

/** A value as the text of a cell. */
export function cellText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "bigint":
    case "boolean":
      return String(value);
    case "object":
      return value === null ? "" : JSON.stringify(value);
    default:
      return "";
  }
}
