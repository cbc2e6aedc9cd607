/**
 * Records as a table. Columns are sized by the first records, so that a table of any length streams.
 *
 * @module
 */

import { displayWidth, escapeForTerminal, truncateToWidth } from "./escape.ts";
import { cellText, type FieldSpec, isNumeric, type OutputRecord } from "./fields.ts";
import type { RecordFormatter } from "./formats.ts";

/** Records that are held back to size the columns by. */
const BATCH = 100;
const GAP = "  ";
const NARROWEST = 8;
/** Most columns of a wide terminal that a column of text is given beyond what it needs. */
const MOST_SPARE = 60;

/** How a table is drawn. */
export interface TableOptions {
  readonly header: boolean;
  readonly color: boolean;
  /** Width of the terminal; a cell is cut to fit it. Undefined (a file, a pipe) cuts nothing. */
  readonly columns: number | undefined;
}

/** A table of `fields`. */
export function tableFormatter(
  fields: readonly FieldSpec[],
  options: TableOptions,
): RecordFormatter {
  let held: string[][] | undefined = [];
  let widths: number[] = [];

  const cells = (record: OutputRecord): string[] =>
    fields.map((field) => {
      const text = escapeForTerminal(cellText(record[field.name]));
      return options.columns === undefined ? text : truncateToWidth(text, options.columns);
    });
  const line = (row: readonly string[]): string => {
    let text = "";
    row.forEach((cell, i) => {
      const fitted = options.columns === undefined ? cell : truncateToWidth(cell, widths[i]!);
      const padding = " ".repeat(Math.max(0, widths[i]! - displayWidth(fitted)));
      if (i > 0) text += GAP;
      text += isNumeric(fields[i]!) ? padding + fitted : fitted + padding;
    });
    return `${text.trimEnd()}\n`;
  };
  const drain = (): string => {
    if (held === undefined || held.length === 0) return "";
    const rows = held;
    held = undefined;
    widths = fitColumns(fields, rows, options);
    let text = "";
    if (options.header) {
      const header = line(fields.map((field) => field.name));
      text = options.color ? `\x1b[1m${header.trimEnd()}\x1b[22m\n` : header;
    }
    for (const row of rows) text += line(row);
    return text;
  };

  return {
    begin: () => "",
    record(record) {
      if (held === undefined) return line(cells(record));
      held.push(cells(record));
      return held.length < BATCH ? "" : drain();
    },
    drain,
    end: drain,
  };
}

/** As wide as the widest cell; on a terminal too narrow for that, the widest columns give way. */
function fitColumns(
  fields: readonly FieldSpec[],
  rows: readonly (readonly string[])[],
  options: TableOptions,
): number[] {
  const widths = fields.map((field, i) => {
    let widest = options.header ? field.name.length : 1;
    for (const row of rows) widest = Math.max(widest, displayWidth(row[i]!));
    return widest;
  });
  if (options.columns === undefined) return widths;
  const room = options.columns - GAP.length * (fields.length - 1);
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) break;
    const next = Math.max(NARROWEST, ...widths.filter((width) => width < widest));
    const many = widths.filter((width) => width === widest).length;
    const cut = Math.max(1, Math.min(widest - next, Math.ceil(excess / many)));
    for (let i = 0; i < widths.length && excess > 0; i++) {
      if (widths[i] !== widest) continue;
      const taken = Math.min(cut, excess);
      widths[i] = widest - taken;
      excess -= taken;
    }
  }
  // what is left goes to the first column of text: later URLs are longer than those of the seeds
  const first = fields.findIndex((field) => field.type === "string");
  if (excess < 0 && first >= 0) widths[first]! += Math.min(-excess, MOST_SPARE);
  return widths;
}
