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
  /** What is wrong with it. */
  readonly reason: string;
}

/** What a host's pages came to in one comparison of two snapshots. */
export interface HostTally {
  /** Lower case. */
  readonly host: string;
  /** URLs that were compared. */
  readonly total: number;
  /** Of them, those that changed. */
  readonly changed: number;
}

const MAX_HOST = 255;
const decoder = new TextDecoder();

/**
 * Reads a list of rates: JSON lines with `host` and `change_rate`, or columns of those names below a
 * header line, split by commas or tabs. Lines that begin with `#` are comments.
 *
 * @param onBad Called for each bad line.
 */
export function readHostRates(
  source: AsyncIterable<Uint8Array>,
  onBad: (bad: BadRate) => void,
): AsyncGenerator<HostRate, void, unknown> {
  return readTable(source, ["host", "change_rate"], ([host, rate]) => {
    const name = hostName(host);
    if (name === undefined) return "it names no host";
    if (typeof rate !== "number" || !(rate >= 0 && rate <= 1)) {
      return "its change_rate is no number from 0 to 1";
    }
    return { host: name, rate };
  }, onBad);
}

/**
 * Reads what `sched diff` wrote, in the same forms: `host`, `total_urls` and `changed_urls`.
 *
 * @param onBad Called for each bad line.
 */
export function readHostTallies(
  source: AsyncIterable<Uint8Array>,
  onBad: (bad: BadRate) => void,
): AsyncGenerator<HostTally, void, unknown> {
  return readTable(source, ["host", "total_urls", "changed_urls"], ([host, total, changed]) => {
    const name = hostName(host);
    if (name === undefined) return "it names no host";
    if (!isCount(total) || total === 0) return "its total_urls is no whole number above 0";
    if (!isCount(changed) || changed > total) return "its changed_urls is none of its total_urls";
    return { host: name, total, changed };
  }, onBad);
}

/** Reads rows of named values; `take` makes of each what is wanted, or says why it cannot. */
async function* readTable<T extends object>(
  source: AsyncIterable<Uint8Array>,
  names: readonly string[],
  take: (values: readonly unknown[]) => T | string,
  onBad: (bad: BadRate) => void,
): AsyncGenerator<T, void, unknown> {
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
    let found: T | string;
    if (text.startsWith("{")) {
      const row = ofJson(text);
      found = typeof row === "string" ? row : take(names.map((name) => row[name]));
    } else {
      const header = columns === undefined ? headerOf(text, names) : undefined;
      if (header !== undefined) {
        columns = header;
        continue;
      }
      found = columns === undefined
        ? `it is no JSON, and no header line names the columns ${names.join(", ")}`
        : take(ofColumns(text, columns));
    }
    if (typeof found === "string") onBad({ line: number, reason: found });
    else yield found;
  }
}

function ofJson(text: string): Record<string, unknown> | string {
  try {
    return JSON.parse(text);
  } catch (error) {
    return `it is no JSON: ${(error as Error).message}`;
  }
}

/** Where the columns that are wanted stand. */
interface Columns {
  readonly separator: string;
  readonly places: readonly number[];
}

function headerOf(text: string, names: readonly string[]): Columns | undefined {
  const separator = text.includes("\t") ? "\t" : ",";
  const header = text.split(separator, 100).map(unquoted);
  const places = names.map((name) => header.indexOf(name));
  return places.includes(-1) ? undefined : { separator, places };
}

/** The first is text, the others are numbers. */
function ofColumns(text: string, { separator, places }: Columns): unknown[] {
  const cells = text.split(separator, 100);
  return places.map((place, i) => {
    const cell = unquoted(cells[place] ?? "");
    return i === 0 ? cell : cell === "" ? undefined : Number(cell);
  });
}

function unquoted(cell: string): string {
  const text = cell.trim();
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

function hostName(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= MAX_HOST
    ? value.toLowerCase()
    : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && value as number >= 0;
}
