/**
 * Tells tables that hold data from those that hold a layout.
 *
 * @module
 */

import type { Element } from "./_element.ts";

/** Columns beyond which a cell's span is not believed. */
const MOST_COLUMNS = 200;
/** Characters a cell of data has at most on average. */
const LONGEST_AVERAGE = 250;

/** The rows of a data table; undefined for anything else, which is to be read cell after cell. */
export function rowsOf(table: Element):
  | { rows: (Element | undefined)[][]; columns: number; caption: Element | undefined }
  | undefined {
  const { role } = table.attributes;
  if (role === "presentation" || role === "none" || table.tables > 0) return undefined;
  const rows: (Element | undefined)[][] = [];
  let caption: Element | undefined, columns = 0, cells = 0, structured = false, strangers = false;

  const collect = (element: Element): void => {
    for (const child of element.children) {
      if (typeof child === "string" || child.dropped) continue;
      if (child.name === "caption") caption ??= child;
      else if (child.name === "tr") {
        const row: (Element | undefined)[] = [];
        for (const cell of child.children) {
          if (typeof cell === "string" || cell.dropped) continue;
          if (cell.name !== "td" && cell.name !== "th") {
            strangers ||= cell.text > 0;
            continue;
          }
          if (row.length >= MOST_COLUMNS) continue;
          row.push(cell);
          cells++;
          if (isStructured(cell)) structured = true;
          const span = Math.min(Number(cell.attributes.colspan) || 1, MOST_COLUMNS - row.length);
          for (let i = 1; i < span; i++) row.push(undefined);
        }
        if (row.length > 0) rows.push(row);
        columns = Math.max(columns, row.length);
      } else if (child.name === "thead" || child.name === "tbody" || child.name === "tfoot") {
        collect(child);
      } else strangers ||= child.text > 0;
    }
  };
  collect(table);
  if (
    strangers || structured || rows.length < 2 || columns < 2 ||
    table.text / cells > LONGEST_AVERAGE
  ) return undefined;
  // Spans that reach beyond every cell of other rows are not worth a column.
  const filled = rows.reduce((most, row) => Math.max(most, lastCell(row) + 1), 0);
  return filled < 2
    ? undefined
    : { rows: rows.map((row) => row.slice(0, filled)), columns: filled, caption };
}

function lastCell(row: readonly (Element | undefined)[]): number {
  for (let i = row.length - 1; i >= 0; i--) if (row[i] !== undefined) return i;
  return -1;
}

/** Whether a cell holds more than a line of a table can show. */
function isStructured(cell: Element): boolean {
  return cell.paragraphs > 2 || cell.name === "td" && cell.headingText > 0 ||
    cell.items > 2 && cell.text > 200 ||
    cell.blocks > 0 && cell.prose > 400;
}
