/**
 * The ledger: what one machine has published of its share, as one line of CSV.
 *
 * @module
 */

import { LedgerError } from "./errors.ts";
import { type Slice, sliceName } from "./names.ts";

/** What a machine has published of its share. */
export interface LedgerRow extends Slice {
  /** Files, over the life of the share. */
  readonly files: number;
  /** Rows in them. */
  readonly rows: number;
  /** Their size. */
  readonly bytes: number;
  /** Part of the work list that was being read, from 0. */
  readonly part: number;
  /** Next row to read in it. */
  readonly row: number;
  /** Whether the share has been worked off. */
  readonly done: boolean;
  /** When the first commit was made, RFC 3339 UTC. */
  readonly firstCommitted: string;
  /** When the last one was. */
  readonly lastCommitted: string;
}

const COLUMNS = [
  "server",
  "shard",
  "shards",
  "files",
  "rows",
  "bytes",
  "part",
  "row",
  "done",
  "first_committed",
  "last_committed",
] as const;

/** More rows than one file of a fleet has. */
const MAX_ROWS = 10_000;

/** A moment as ledgers have it: RFC 3339, UTC, whole seconds. */
export function ledgerTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Rows as CSV with a header line. No value needs quotes. */
export function formatLedger(rows: readonly LedgerRow[]): string {
  const lines = rows.map((r) =>
    [
      r.server,
      r.shard,
      r.shards,
      r.files,
      r.rows,
      r.bytes,
      r.part,
      r.row,
      r.done,
      r.firstCommitted,
      r.lastCommitted,
    ].join(",")
  );
  return [COLUMNS.join(","), ...lines].join("\n") + "\n";
}

/**
 * Reads what {@linkcode formatLedger} wrote. Columns go by the names in the header; ones that are not
 * known are left alone.
 *
 * @throws {LedgerError} If it is no ledger.
 */
export function parseLedger(text: string): LedgerRow[] {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/).filter((line) => line !== "");
  const header = (lines.shift() ?? "").split(",");
  const at = new Map(header.map((name, i) => [name, i]));
  for (const name of COLUMNS) {
    if (!at.has(name)) throw new LedgerError(`Cannot read the ledger: it has no column ${name}`);
  }
  if (lines.length > MAX_ROWS) {
    throw new LedgerError(`Cannot read the ledger: it has more than ${MAX_ROWS} rows`);
  }
  return lines.map((line, i) => {
    const values = line.split(",");
    const bad = (name: string, what: string) =>
      new LedgerError(`Cannot read the ledger: ${name} in line ${i + 2} is no ${what}`);
    const text = (name: (typeof COLUMNS)[number]) => values[at.get(name)!] ?? "";
    const count = (name: (typeof COLUMNS)[number]) => {
      const value = text(name);
      if (!/^\d{1,16}$/.test(value) || !Number.isSafeInteger(Number(value))) {
        throw bad(name, "count");
      }
      return Number(value);
    };
    const time = (name: (typeof COLUMNS)[number]) => {
      const value = text(name);
      if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value)) throw bad(name, "time");
      if (Number.isNaN(Date.parse(value))) throw bad(name, "time");
      return value;
    };
    const server = text("server");
    if (!/^[a-z0-9_-]{1,64}$/.test(server)) throw bad("server", "name");
    const done = text("done");
    if (done !== "true" && done !== "false") throw bad("done", "yes or no");
    const shard = count("shard"), shards = count("shards");
    if (shard >= shards) throw bad("shard", "share of that many");
    return {
      server,
      shard,
      shards,
      files: count("files"),
      rows: count("rows"),
      bytes: count("bytes"),
      part: count("part"),
      row: count("row"),
      done: done === "true",
      firstCommitted: time("first_committed"),
      lastCommitted: time("last_committed"),
    };
  });
}

/**
 * One row for each server, shard and number of shards: of several the one that was committed last.
 * In order of the shares, then of the servers.
 */
export function mergeLedgers(rows: Iterable<LedgerRow>): LedgerRow[] {
  const newest = new Map<string, LedgerRow>();
  for (const row of rows) {
    const key = sliceName(row), other = newest.get(key);
    if (other === undefined || isNewer(row, other)) newest.set(key, row);
  }
  return [...newest.values()].sort((a, b) =>
    a.shards - b.shards || a.shard - b.shard || (a.server < b.server ? -1 : 1)
  );
}

function isNewer(a: LedgerRow, b: LedgerRow): boolean {
  const later = Date.parse(a.lastCommitted) - Date.parse(b.lastCommitted);
  return later > 0 || (later === 0 && a.files > b.files);
}

/** Sums over machines. */
export interface LedgerTotals {
  /** Files that are published. */
  readonly files: number;
  /** Rows in them. */
  readonly rows: number;
  /** Their size. */
  readonly bytes: number;
  /** Machines that have published something. */
  readonly servers: number;
  /** When the last commit was made; empty where there was none. */
  readonly lastCommitted: string;
}

/** The sums of merged rows. */
export function ledgerTotals(rows: readonly LedgerRow[]): LedgerTotals {
  let files = 0, count = 0, bytes = 0, lastCommitted = "";
  for (const row of rows) {
    files += row.files;
    count += row.rows;
    bytes += row.bytes;
    if (lastCommitted === "" || Date.parse(row.lastCommitted) > Date.parse(lastCommitted)) {
      lastCommitted = row.lastCommitted;
    }
  }
  const servers = new Set(rows.map(({ server }) => server)).size;
  return { files, rows: count, bytes, servers, lastCommitted };
}
