/**
 * Files of change rates: a host and its rate a line, as `sched diff` and `sched rates` write them.
 *
 * @module
 */

import { readLines } from "../worklist/mod.ts";

/** A host's measured change rate. */
export interface HostRate {
  /** Lower case. */
  readonly host: string;
  /** 0 to 1. */
  readonly rate: number;
}

/** A line that says no rate: counted and reported, never fatal. */
export interface BadRate {
  /** Number of the line, from 1. */
  readonly line: number;
  readonly reason: string;
}

const MAX_HOST = 255;
const decoder = new TextDecoder();

/**
 * Reads a list: JSON lines with `host` and `change_rate`, or columns of those names below a header
 * line, split by commas or tabs. Lines that begin with `#` are comments.
 *
 * @param onBad Called for each bad line.
 */
export async function* readHostRates(
  source: AsyncIterable<Uint8Array>,
  onBad: (bad: BadRate) => void,
): AsyncGenerator<HostRate, void, unknown> {
  let number = 0;
  let columns: Columns | undefined;
  for await (const bytes of readLines(source)) {
    number++;
    if (bytes === undefined) {
      onBad({ line: number, reason: "it is too long" });
      continue;
    }
    const text = decoder.decode(bytes).trim();
    if (text === "" || text.startsWith("#")) continue;
    let found: HostRate | string;
    if (text.startsWith("{")) found = ofJson(text);
    else {
      const header = columns === undefined ? headerOf(text) : undefined;
      if (header !== undefined) {
        columns = header;
        continue;
      }
      found = columns === undefined
        ? "it is no JSON, and no header line names the columns host and change_rate"
        : ofColumns(text, columns);
    }
    if (typeof found === "string") onBad({ line: number, reason: found });
    else yield found;
  }
}

function ofJson(text: string): HostRate | string {
  let row: { host?: unknown; change_rate?: unknown };
  try {
    row = JSON.parse(text);
  } catch (error) {
    return `it is no JSON: ${(error as Error).message}`;
  }
  return checked(row.host, row.change_rate);
}

/** Where the two columns stand. */
interface Columns {
  readonly separator: string;
  readonly host: number;
  readonly rate: number;
}

function headerOf(text: string): Columns | undefined {
  const separator = text.includes("\t") ? "\t" : ",";
  const names = text.split(separator, 100).map((name) => unquoted(name));
  const host = names.indexOf("host");
  const rate = names.indexOf("change_rate");
  return host < 0 || rate < 0 ? undefined : { separator, host, rate };
}

function ofColumns(text: string, { separator, host, rate }: Columns): HostRate | string {
  const cells = text.split(separator, 100);
  const value = unquoted(cells[rate] ?? "");
  return checked(unquoted(cells[host] ?? ""), value === "" ? undefined : Number(value));
}

function unquoted(cell: string): string {
  const text = cell.trim();
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

function checked(host: unknown, rate: unknown): HostRate | string {
  if (typeof host !== "string" || host === "" || host.length > MAX_HOST) return "it names no host";
  if (typeof rate !== "number" || !(rate >= 0 && rate <= 1)) {
    return "its change_rate is no number from 0 to 1";
  }
  return { host: host.toLowerCase(), rate };
}
