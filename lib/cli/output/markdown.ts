/**
 * Records as a table of GitHub Flavored Markdown, section 4.10 of https://github.github.com/gfm/.
 *
 * @module
 */

import { escapeForTerminal } from "./escape.ts";
import { cellText, type FieldSpec, isNumeric, type OutputRecord } from "./fields.ts";
import type { RecordFormatter } from "./formats.ts";

/** What a renderer would take for markup, references to characters among it. */
const SPECIAL = /[\\`*_[\]<>~|&!#$@]/g;
/** A URL that can stand between angle brackets as it is, where nothing in it is markup. */
const LINK = /^https?:\/\/[^\s<>\\]+$/;
// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x1f\x7f]/;

/** A table of `fields`; numbers stand at the right. Whatever a value holds, it is text in one cell. */
export function markdownFormatter(
  fields: readonly FieldSpec[],
  header: boolean,
  terminal: boolean,
): RecordFormatter {
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
  // A table cannot be without its header row, whose cells may be empty.
  const names = fields.map(({ name }) => (header ? markdownCell(name) : " "));
  const rule = fields.map((field) => (isNumeric(field) ? "---:" : "---"));
  return {
    begin: () => row(names) + row(rule),
    record(record: OutputRecord) {
      return row(fields.map(({ name }) => {
        const cell = markdownCell(cellText(record[name]));
        return terminal ? escapeForTerminal(cell) : cell;
      }));
    },
    end: () => "",
  };
}

/** `text` as the content of a cell. */
export function markdownCell(text: string): string {
  if (LINK.test(text) && !CONTROL.test(text)) return `<${text.replaceAll("|", "\\|")}>`;
  return text.replace(SPECIAL, "\\$&").replace(/\r\n?|\n/g, "<br>").replaceAll("\t", " ");
}
