/**
 * Snapshots: the files of a columnar index, or of captures, that tell what a crawl saw.
 *
 * @module
 */

import { join } from "node:path";
import { whyUnread } from "../files/mod.ts";
import {
  ColumnFile,
  type ColumnSlices,
  fetchText,
  isRemote,
  openBytes,
  PartFormatError,
  readLines,
  type RemoteOptions,
  type RowSpan,
} from "../worklist/mod.ts";
import type { BlockColumn, RowBlock } from "./_blocks.ts";
import { SnapshotError } from "./errors.ts";
import { compare, type KeyRange, mayOverlap } from "./key_ranges.ts";

/** Name of a crawl of Common Crawl's: `CC-MAIN-2026-13`. */
const CRAWL_ID = /^CC-MAIN-\d{4}-\d{2}$/;
const MAX_LISTING = 64 << 20;
const MAX_FILES = 100_000;
const MAX_DEPTH = 8;
/** Footers that are read at once. */
const AT_ONCE = 4;
const SORT_KEY = "url_surtkey";

/** Options of {@linkcode openSnapshot}. */
export interface SnapshotOptions extends RemoteOptions {
  /** Base URL that `cc-index/` and `crawl-data/` are under. */
  readonly dataEndpoint: string;
  /** Keys that are looked at; all where there are none. */
  readonly ranges?: readonly KeyRange[] | undefined;
}

/** What keys lie between. */
interface Bounds {
  readonly least: Uint8Array | undefined;
  readonly most: Uint8Array | undefined;
  /** Whether both are keys that are there, and not shortened. */
  readonly exact: boolean;
}

/** A file of a snapshot. */
interface SnapshotFile extends Bounds {
  readonly place: string;
  /** Whether a row group has keys that should stand in the one before. */
  readonly overlap: boolean;
  /** Rows that may be of the ranges. */
  readonly wanted: readonly RowSpan[];
}

/** Names of the columns that are read. */
interface Columns {
  /** Sort key; undefined where there is none. */
  readonly key: string | undefined;
  /** What there is instead of a sort key. */
  readonly keyless: string;
  readonly url: string;
  readonly digest: string;
}

/** The files of a snapshot and what their footers say. */
export interface Snapshot {
  /** As it was given. */
  readonly name: string;
  /** Files in reading order. */
  readonly places: readonly string[];
  /** Whether, as far as the footers say, rows are in the order of their SURT keys. */
  readonly sorted: boolean;
  /** Why it is not. */
  readonly unsortedBecause: string;
  /** Whether it is captures of ours rather than an index. */
  readonly captures: boolean;
  /** Whether it has a column of SURT keys. */
  readonly keyed: boolean;
  /** Rows in its files, and those that are read. */
  readonly rows: number;
  readonly wantedRows: number;
  /** Its rows in the files' order. */
  read(): AsyncGenerator<RowBlock, void, unknown>;
}

/**
 * Finds a snapshot's files and reads their footers.
 *
 * @param name A Parquet file or a folder of them, on disk; the URL of one; a list of paths, one a line
 * (`.paths`, `.paths.gz` unpacked by its server or not); or a crawl's name.
 * @throws {SnapshotError} If there is no such snapshot; a {@linkcode HubError} if a site does not give it.
 */
export async function openSnapshot(name: string, options: SnapshotOptions): Promise<Snapshot> {
  const places = await placesOf(name, options);
  if (places.length === 0) {
    throw new SnapshotError(`Cannot compare ${name}: there are no .parquet files in it`);
  }
  let columns: Columns | undefined;
  let rows = 0;
  const files: SnapshotFile[] = [];
  for (let i = 0; i < places.length; i += AT_ONCE) {
    const footers = await Promise.all(
      places.slice(i, i + AT_ONCE).map(async (place) => {
        try {
          return await look(place, options);
        } catch (error) {
          throw plainly(place, error);
        }
      }),
    );
    for (const found of footers) {
      columns ??= found.columns;
      if (found.columns.key !== columns.key || found.columns.digest !== columns.digest) {
        throw new SnapshotError(
          `Cannot compare ${name}: ${found.place} has other columns than ${files[0]!.place}`,
        );
      }
      rows += found.rows;
      files.push(found);
    }
  }
  const kept = files.filter(({ wanted }) => wanted.length > 0);
  const unsortedBecause = inOrder(kept, columns!);
  return {
    name,
    places: kept.map(({ place }) => place),
    sorted: unsortedBecause === "",
    unsortedBecause,
    captures: columns!.digest === "digest",
    keyed: columns!.key !== undefined,
    rows,
    wantedRows: kept.reduce(
      (sum, { wanted }) => sum + wanted.reduce((part, { start, end }) => part + end - start, 0),
      0,
    ),
    async *read() {
      for (const { place, wanted } of kept) {
        try {
          await using source = await openBytes(place, options);
          for await (const block of blocks(await ColumnFile.open(source), columns!, wanted)) {
            options.signal?.throwIfAborted();
            yield block;
          }
        } catch (error) {
          throw plainly(place, error);
        }
      }
    },
  };
}

/** What the reader of files says of one, as a snapshot's. */
function plainly(place: string, error: unknown): unknown {
  if (!(error instanceof PartFormatError)) return error;
  const why = error.message.slice(error.message.indexOf('": ') + 3);
  return new SnapshotError(`Cannot compare ${place}: ${why}`, { cause: error });
}

/** Puts files in order; says why they cannot be. */
function inOrder(kept: SnapshotFile[], columns: Columns): string {
  if (columns.key === undefined) return columns.keyless;
  // Without bounds files are taken in the order of their names, and reading finds out.
  if (kept.some(({ least, most }) => least === undefined || most === undefined)) return "";
  kept.sort((a, b) => compare(a.least!, b.least!) || compare(a.most!, b.most!));
  for (let i = 1; i < kept.length; i++) {
    if (goesBack(kept[i - 1]!, kept[i]!)) {
      return `the keys of ${kept[i - 1]!.place} and ${kept[i]!.place} overlap`;
    }
  }
  const odd = kept.find(({ overlap }) => overlap);
  return odd === undefined ? "" : `the row groups of ${odd.place} overlap`;
}

/** Whether keys are known to be lower than some that came before. What bounds do not tell reading will. */
function goesBack(before: Bounds, after: Bounds): boolean {
  if (before.exact && after.exact) {
    return before.most !== undefined && after.least !== undefined &&
      compare(before.most, after.least) > 0;
  }
  return before.least !== undefined && after.most !== undefined &&
    compare(after.most, before.least) < 0;
}

/** Reads a footer, and finds the rows that may be of the ranges. */
async function look(
  place: string,
  options: SnapshotOptions,
): Promise<SnapshotFile & { columns: Columns; rows: number }> {
  await using source = await openBytes(place, options);
  const file = await ColumnFile.open(source);
  const has = new Set(file.columns), all = new Set(file.allColumns);
  const digest = all.has("content_digest") ? "content_digest" : "digest";
  for (const name of ["url", digest]) {
    if (has.has(name)) continue;
    const why = all.has(name)
      ? `its column "${name}" holds no strings`
      : `it has no column "${name}"`;
    throw new SnapshotError(
      `Cannot compare ${place}: ${why}. A snapshot has url and content_digest, or url and digest.`,
    );
  }
  const key = has.has(SORT_KEY) ? SORT_KEY : undefined;
  const keyless = all.has(SORT_KEY)
    ? `its column ${SORT_KEY} holds no strings`
    : `it has no column ${SORT_KEY}`;
  const columns: Columns = { key, keyless, url: "url", digest };
  const groups = file.groups(key ?? "url");
  const rows = groups.at(-1)?.end ?? 0;
  const spans: RowSpan[] = [];
  let overlap = false;
  for (const [i, group] of groups.entries()) {
    const before = groups[i - 1];
    overlap ||= before !== undefined && goesBack(before, group);
    if (key === undefined || options.ranges === undefined) spans.push(group);
    else if (mayOverlap(options.ranges, group.least, group.most)) {
      const pages = await file.pages(key, i) ?? [group];
      spans.push(...pages.filter(({ least, most }) => mayOverlap(options.ranges, least, most)));
    }
  }
  return {
    place,
    columns,
    rows,
    overlap,
    least: groups[0]?.least,
    most: groups.at(-1)?.most,
    exact: groups.every(({ exact }) => exact),
    wanted: joined(spans),
  };
}

/** Spans that follow each other made one. */
function joined(spans: readonly RowSpan[]): RowSpan[] {
  const out: { start: number; end: number }[] = [];
  for (const { start, end } of spans) {
    if (start >= end) continue;
    const last = out.at(-1);
    if (last !== undefined && last.end === start) last.end = end;
    else out.push({ start, end });
  }
  return out;
}

/** The rows of a file: as far as the pages of all columns reach, again and again. */
async function* blocks(
  file: ColumnFile,
  columns: Columns,
  wanted: readonly RowSpan[],
): AsyncGenerator<RowBlock> {
  const key = columns.key === undefined ? undefined : new Reading(file, columns.key, wanted);
  const url = new Reading(file, columns.url, wanted);
  const digest = new Reading(file, columns.digest, wanted);
  const all = key === undefined ? [url, digest] : [key, url, digest];
  try {
    for (let row = 0;;) {
      let end = Infinity;
      for (const reading of all) {
        if (!await reading.reach(row)) return;
        end = Math.min(end, reading.end);
        row = Math.max(row, reading.start);
      }
      yield {
        count: end - row,
        key: (key ?? url).column(row),
        url: url.column(row),
        digest: digest.column(row),
      };
      row = end;
    }
  } finally {
    for (const reading of all) await reading.close();
  }
}

/** One column, as far as it was read. */
class Reading {
  readonly #slices: AsyncGenerator<ColumnSlices>;
  #held: ColumnSlices | undefined;

  constructor(file: ColumnFile, name: string, wanted: readonly RowSpan[]) {
    this.#slices = file.read(name, wanted);
  }

  get start(): number {
    return this.#held!.start;
  }

  get end(): number {
    return this.#held!.end;
  }

  /** Holds the slices of a row, or the first behind it; false at the end. */
  async reach(row: number): Promise<boolean> {
    while (this.#held === undefined || this.#held.end <= row) {
      const { done, value } = await this.#slices.next();
      if (done) return false;
      this.#held = value;
    }
    return true;
  }

  column(row: number): BlockColumn {
    const { bytes, starts, ends, first } = this.#held!;
    return { bytes, starts, ends, at: row - first };
  }

  async close(): Promise<void> {
    await this.#slices.return(undefined);
  }
}

/** The Parquet files that a name stands for, in the order of their names. */
async function placesOf(name: string, options: SnapshotOptions): Promise<string[]> {
  if (CRAWL_ID.test(name)) {
    const listing = `${base(options)}/crawl-data/${name}/cc-index-table.paths.gz`;
    return (await listed(listing, options)).filter((place) => place.includes("/subset=warc/"));
  }
  if (/\.paths(\.gz)?$/i.test(name)) return await listed(name, options);
  if (isRemote(name)) return [name];
  let info: Deno.FileInfo;
  try {
    info = await Deno.stat(name);
  } catch (cause) {
    throw new SnapshotError(`Cannot compare ${name}: ${whyUnread(cause)}`, { cause });
  }
  if (!info.isDirectory) return [name];
  const found: string[] = [];
  await walk(name, 0, found);
  found.sort();
  // The other subsets of an index hold no pages: answers that were none, robots.txt.
  const pages = found.filter((place) => /[\\/]subset=warc[\\/]/.test(place));
  return pages.length > 0 ? pages : found;
}

async function walk(folder: string, depth: number, found: string[]): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (name.startsWith(".")) continue;
    const path = join(folder, name);
    if (isDirectory) {
      if (depth < MAX_DEPTH) await walk(path, depth + 1, found);
    } else if (name.toLowerCase().endsWith(".parquet")) {
      if (found.length >= MAX_FILES) {
        throw new SnapshotError(`Cannot compare ${folder}: it has more than ${MAX_FILES} files`);
      }
      found.push(path);
    }
  }
}

/** The paths of a list, those that are not URLs as the data site has them. */
async function listed(list: string, options: SnapshotOptions): Promise<string[]> {
  const places: string[] = [];
  for await (const bytes of readLines(textOf(list, options))) {
    const line = bytes === undefined ? "" : new TextDecoder().decode(bytes).trim();
    if (line === "" || line.startsWith("#")) continue;
    if (places.length >= MAX_FILES) {
      throw new SnapshotError(`Cannot compare ${list}: it lists more than ${MAX_FILES} files`);
    }
    places.push(isRemote(line) || line.startsWith("/") ? line : `${base(options)}/${line}`);
  }
  return places.filter((place) => place.toLowerCase().endsWith(".parquet"));
}

/** A list's text, unpacked where it is packed. */
async function* textOf(list: string, options: SnapshotOptions): AsyncGenerator<Uint8Array> {
  if (isRemote(list) && !list.endsWith(".gz")) {
    yield new TextEncoder().encode(await fetchText(list, MAX_LISTING, options));
    return;
  }
  await using source = await openBytes(list, options);
  if (source.size > MAX_LISTING) {
    throw new SnapshotError(`Cannot compare ${list}: it is longer than ${MAX_LISTING} bytes`);
  }
  const bytes = new Uint8Array(source.size);
  await source.read(0, bytes);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) {
    yield bytes;
    return;
  }
  const { gunzipSync } = await import("node:zlib");
  try {
    yield gunzipSync(bytes, { maxOutputLength: MAX_LISTING });
  } catch (cause) {
    throw new SnapshotError(`Cannot compare ${list}: it is damaged or too long`, { cause });
  }
}

function base({ dataEndpoint }: SnapshotOptions): string {
  let end = dataEndpoint.length;
  while (dataEndpoint[end - 1] === "/") end--;
  return dataEndpoint.slice(0, end);
}
