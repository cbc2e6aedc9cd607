/**
 * What changed between two snapshots, by host.
 *
 * @module
 */

import { join } from "node:path";
import type { RemoteOptions } from "../worklist/mod.ts";
import { findDuckdb, runDuckdb } from "./_duckdb.ts";
import { type DiffStats, type HostChanges, mergeSnapshots } from "./_merge.ts";
import { sortedRows, sortRows } from "./_sorted.ts";
import { SnapshotError } from "./errors.ts";
import { type HostSelection, keyRanges } from "./key_ranges.ts";
import { openSnapshot, type Snapshot } from "./snapshot.ts";
import { diffSql } from "./sql.ts";
import type { DiffWay, SqlDialect } from "./ways.ts";

/** Options of {@linkcode diffSnapshots}. */
export interface DiffOptions extends RemoteOptions, HostSelection {
  /** How they are compared. @default "auto" */
  readonly way?: DiffWay;
  /** Base URL that crawls are under. @default `https://data.commoncrawl.org` */
  readonly dataEndpoint?: string;
  /** Hosts with fewer URLs in both snapshots are left out. @default 1 */
  readonly minUrls?: number;
  /** Folders that DuckDB is looked for in. @default PATH */
  readonly path?: string;
  /** Told how it is done, and what is odd. */
  readonly onMessage?: (text: string) => void;
}

/** New counts. */
export function diffStats(): DiffStats {
  return { rows: 0, compared: 0, changed: 0, skipped: 0 };
}

/** Where Common Crawl's data is. */
export const DATA_ENDPOINT = "https://data.commoncrawl.org";

/**
 * Compares two snapshots: per host how many URLs both have, and how many of those changed. Hosts come in
 * no order that is promised.
 *
 * @param older A snapshot as {@linkcode openSnapshot} takes it.
 * @throws {SnapshotError} If they cannot be compared.
 */
export async function* diffSnapshots(
  older: string,
  newer: string,
  stats: DiffStats,
  options: DiffOptions = {},
): AsyncGenerator<HostChanges, void, unknown> {
  const { minUrls = 1, way = "auto", onMessage = () => {} } = options;
  const both = await openBoth(older, newer, options);
  for await (const changes of compared(both, way, stats, options, onMessage)) {
    if (changes.total >= minUrls) yield changes;
  }
}

/**
 * The statement that compares two snapshots. Crawls of Common Crawl's are named in it, not looked up.
 *
 * @throws {SnapshotError} If they cannot be compared, or not in this dialect.
 */
export async function diffStatement(
  older: string,
  newer: string,
  dialect: SqlDialect,
  options: DiffOptions = {},
): Promise<string> {
  const named = async (name: string) => {
    if (/^CC-MAIN-\d{4}-\d{2}$/.test(name)) {
      return { places: [name], captures: false, keyed: true };
    }
    const { places, captures, keyed } = await openSnapshot(name, {
      ...options,
      dataEndpoint: options.dataEndpoint ?? DATA_ENDPOINT,
    });
    return { places, captures, keyed };
  };
  return diffSql(await named(older), await named(newer), dialect, options, options.minUrls);
}

async function openBoth(
  older: string,
  newer: string,
  options: DiffOptions,
): Promise<[Snapshot, Snapshot]> {
  const open = (name: string) =>
    openSnapshot(name, {
      ...options,
      dataEndpoint: options.dataEndpoint ?? DATA_ENDPOINT,
      ranges: keyRanges(options),
    });
  return [await open(older), await open(newer)];
}

async function* compared(
  [older, newer]: readonly [Snapshot, Snapshot],
  way: DiffWay,
  stats: DiffStats,
  options: DiffOptions,
  onMessage: (text: string) => void,
): AsyncGenerator<HostChanges, void, unknown> {
  const unsorted = [older, newer].find(({ sorted }) => !sorted);
  const total = older.rows + newer.rows;
  const wanted = older.wantedRows + newer.wantedRows;
  if (wanted < total) {
    onMessage(
      `${number(wanted)} of ${number(total)} rows ${
        wanted === 1 ? "is" : "are"
      } read: the others are of other hosts`,
    );
  }
  if (way === "merge" && unsorted !== undefined) {
    throw new SnapshotError(
      `Cannot compare in one pass: ${unsorted.name} is not sorted by url_surtkey, ` +
        `${unsorted.unsortedBecause}. Leave the way to --way auto, or sort it with --way sort.`,
    );
  }
  const sorted = unsorted === undefined && (way === "auto" || way === "merge");
  if (sorted) {
    yield* mergeSnapshots(older.read(), newer.read(), options, stats);
    return;
  }
  if (unsorted !== undefined) {
    onMessage(`${unsorted.name} is not sorted by url_surtkey: ${unsorted.unsortedBecause}`);
  }
  const program = way === "sort"
    ? undefined
    : await findDuckdb(options.path ?? Deno.env.get("PATH") ?? "");
  if (way === "duckdb" && program === undefined) {
    throw new SnapshotError(
      "Cannot compare by DuckDB: there is no duckdb on the PATH. Install it, or leave --way away.",
    );
  }
  if (program !== undefined) {
    if (older.wantedRows === 0 || newer.wantedRows === 0) return;
    onMessage(`comparing by ${program}`);
    const rows = runDuckdb(program, diffSql(older, newer, "duckdb", options), options.signal);
    for await (const changes of rows) {
      stats.compared += changes.total;
      stats.changed += changes.changed;
      yield changes;
    }
    stats.rows = wanted;
    return;
  }
  yield* sortedAndMerged(older, newer, stats, options, onMessage);
}

/** Both sorted by host and URL, into a folder that is gone afterwards. */
async function* sortedAndMerged(
  older: Snapshot,
  newer: Snapshot,
  stats: DiffStats,
  options: DiffOptions,
  onMessage: (text: string) => void,
): AsyncGenerator<HostChanges, void, unknown> {
  const { scratch } = options;
  const dir = await Deno.makeTempDir({
    prefix: "ccrawl-diff-",
    ...(scratch === undefined ? {} : { dir: scratch }),
  });
  try {
    for (const [snapshot, name] of [[older, "older"], [newer, "newer"]] as const) {
      onMessage(
        `sorting ${number(snapshot.wantedRows)} row${
          snapshot.wantedRows === 1 ? "" : "s"
        } of ${snapshot.name} on disk`,
      );
      const left = await sortRows(snapshot.read(), join(dir, name), options);
      if (left > 0) {
        onMessage(
          `${snapshot.name}: ${number(left)} ${
            left === 1 ? "row has" : "rows have"
          } no URL or no digest`,
        );
      }
    }
    yield* mergeSnapshots(
      sortedRows(join(dir, "older")),
      sortedRows(join(dir, "newer")),
      options,
      stats,
    );
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

function number(value: number): string {
  return value.toLocaleString("en");
}
