/**
 * Records by a template of the user's own: `{{url}} {{status}}`.
 *
 * @module
 */

import { UsageError } from "../errors.ts";
import { escapeForTerminal } from "./escape.ts";
import { cellText, type FieldSpec, type OutputRecord, selectFields } from "./fields.ts";
import type { RecordFormatter } from "./formats.ts";

/** What may follow a backslash. */
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", "\\": "\\" };

/**
 * A line a record: what stands between braces gives way to the field of that name. `\n`, `\t` and `\\`
 * are what they are in a string.
 *
 * @throws {UsageError} on braces that do not close, and on an unknown field, with those there are.
 */
export function templateFormatter(
  template: string,
  known: readonly FieldSpec[],
  terminal: boolean,
): RecordFormatter {
  const pieces = parseTemplate(template, known);
  return {
    begin: () => "",
    record(record: OutputRecord) {
      let line = "";
      for (const { text, field } of pieces) {
        line += text;
        if (field === undefined) continue;
        const value = cellText(record[field]);
        line += terminal ? escapeForTerminal(value) : value;
      }
      return `${line}\n`;
    },
    end: () => "",
  };
}

/** Text, and the field that stands behind it. */
interface Piece {
  readonly text: string;
  readonly field?: string;
}

function parseTemplate(template: string, known: readonly FieldSpec[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (;;) {
    const open = template.indexOf("{{", at);
    const text = template.slice(at, open < 0 ? undefined : open)
      .replace(/\\([nt\\])/g, (_, letter: string) => ESCAPES[letter]!);
    if (open < 0) {
      pieces.push({ text });
      return pieces;
    }
    const close = template.indexOf("}}", open + 2);
    if (close < 0) {
      throw new UsageError(
        `--template: the braces at ${JSON.stringify(template.slice(open, open + 20))} do not close`,
        "write --template '{{url}} {{status}}'",
      );
    }
    const [field] = selectFields([template.slice(open + 2, close).trim()], known, "--template");
    pieces.push({ text, field: field!.name });
    at = close + 2;
  }
}
