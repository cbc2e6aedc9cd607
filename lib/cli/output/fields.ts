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
  /** Numbers are aligned right in tables. */
  readonly type: "string" | "number" | "boolean" | "json";
  /** What it holds, for the documentation. */
  readonly help: string;
  /** Whether a table shows it when `--fields` does not choose. @default true */
  readonly table?: boolean;
}

/**
 * The fields that `--fields` names, in its order; all known ones when it names none.
 *
 * @throws {UsageError} naming an unknown field and listing the known.
 */
export function selectFields(
  asked: readonly string[],
  known: readonly FieldSpec[],
): readonly FieldSpec[] {
  if (asked.length === 0) return known;
  const byName = new Map(known.map((field) => [field.name, field]));
  return [...new Set(asked)].map((name) => {
    const field = byName.get(name);
    if (field !== undefined) return field;
    const near = didYouMean(name, byName.keys());
    throw new UsageError(
      `--fields: unknown field ${JSON.stringify(name)}${near === undefined ? "" : `; ${near}`}`,
      `known fields: ${[...byName.keys()].join(", ")}`,
    );
  });
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
