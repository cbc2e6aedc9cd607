/**
 * Formats that write a record as soon as they have it: jsonl, json, csv, tsv, url.
 *
 * @module
 */

import { escapeForTerminal } from "./escape.ts";
import { cellText, type FieldSpec, type OutputRecord } from "./fields.ts";

/** Turns records into one format: text, or bytes where the format is binary. */
export interface RecordFormatter {
  /** Text before the first record, also of none. */
  begin(): string;
  /** One record; empty while it is held back. */
  record(record: OutputRecord): string | Uint8Array<ArrayBuffer>;
  /** Text of what was held back so far. */
  drain?(): string;
  /** What comes after the last record. */
  end(): string | Uint8Array<ArrayBuffer>;
}

// JSON leaves DEL and C1 controls bare, and terminals act on the latter.
const JSON_UNSAFE = /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

function jsonText(
  record: OutputRecord,
  fields: readonly FieldSpec[] | undefined,
  terminal: boolean,
): string {
  let chosen = record;
  if (fields !== undefined) {
    chosen = Object.fromEntries(fields.map(({ name }) => [name, record[name] ?? null]));
  }
  const text = JSON.stringify(chosen, bigints);
  if (!terminal) return text;
  return text.replace(
    JSON_UNSAFE,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Integers beyond 2^53 keep their digits, as strings. */
function bigints(_key: string, value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** One JSON object a line. `fields` undefined writes each record whole. */
export function jsonlFormatter(
  fields: readonly FieldSpec[] | undefined,
  terminal: boolean,
): RecordFormatter {
  return {
    begin: () => "",
    record: (record) => `${jsonText(record, fields, terminal)}\n`,
    end: () => "",
  };
}

/** One JSON array, written as it grows. */
export function jsonFormatter(
  fields: readonly FieldSpec[] | undefined,
  terminal: boolean,
): RecordFormatter {
  let first = true;
  return {
    begin: () => "[",
    record(record) {
      const lead = first ? "\n" : ",\n";
      first = false;
      return `${lead}${jsonText(record, fields, terminal)}`;
    },
    end: () => (first ? "]\n" : "\n]\n"),
  };
}

const CSV_SPECIAL = /[",\r\n]/;

/** Comma-separated, quoted as in RFC 4180; lines end in LF. */
export function csvFormatter(
  fields: readonly FieldSpec[],
  header: boolean,
  terminal: boolean,
): RecordFormatter {
  const cell = (value: unknown): string => {
    const text = terminal ? escapeForTerminal(cellText(value)) : cellText(value);
    return CSV_SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return separated(fields, header, ",", cell);
}

const TSV_ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
};

/** Tab-separated; tab, line ends and backslash inside a value are written `\t`, `\n`, `\r`, `\\`. */
export function tsvFormatter(
  fields: readonly FieldSpec[],
  header: boolean,
  terminal: boolean,
): RecordFormatter {
  const cell = (value: unknown): string => {
    const text = cellText(value).replace(/[\\\t\n\r]/g, (c) => TSV_ESCAPES[c]!);
    return terminal ? escapeForTerminal(text) : text;
  };
  return separated(fields, header, "\t", cell);
}

function separated(
  fields: readonly FieldSpec[],
  header: boolean,
  separator: string,
  cell: (value: unknown) => string,
): RecordFormatter {
  return {
    begin: () => (header ? `${fields.map((field) => cell(field.name)).join(separator)}\n` : ""),
    record(record) {
      let line = "";
      for (let i = 0; i < fields.length; i++) {
        if (i > 0) line += separator;
        line += cell(record[fields[i]!.name]);
      }
      return `${line}\n`;
    },
    end: () => "",
  };
}

/** The URL of each record, one a line. */
export function urlFormatter(terminal: boolean): RecordFormatter {
  return {
    begin: () => "",
    record(record) {
      const url = cellText(record.url);
      return url === "" ? "" : `${terminal ? escapeForTerminal(url) : url}\n`;
    },
    end: () => "",
  };
}
