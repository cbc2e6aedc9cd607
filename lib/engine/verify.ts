/**
 * Checking what a run wrote: archive files and their indexes, captures, and the state against them.
 *
 * @module
 */

import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { verifyCaptures } from "../capture/mod.ts";
import { decodeBody, MAX_DECODED } from "../net/mod.ts";
import { surt } from "../url/mod.ts";
import { verifyCdxj, verifyWarcs } from "../warc/mod.ts";
import { readCheckpoint } from "../worklist/mod.ts";
import { DoneRecords } from "./_done_records.ts";
import { type RecrawlState, verifyCheckpoint } from "./_verify_recrawl.ts";

/** Something that is not as it should be. */
export interface Fault {
  /** Path of the file (for a fault of the state: the archive file that it names). */
  readonly file: string;
  /** Byte offset in the file; 0 where it is the file as a whole. */
  readonly offset: number;
  /** Kind of fault, a word. */
  readonly fault: string;
  /** What is wrong, in words. */
  readonly detail: string;
}

/** What {@linkcode verifyPaths} looks at. */
export interface VerifyOptions {
  /**
   * A run's state. Every URL that a crawl calls done must have its record in one of the files; the parts
   * that a recrawl names must hold rows that it has read and does not mean to fetch again.
   */
  readonly state?: string;
  /** Told of parts that a recrawl's state names and that are not there: published, and deleted. */
  readonly onGone?: (names: readonly string[]) => void;
}

/** The files that paths stand for. */
interface Found {
  readonly warcs: string[];
  readonly indexes: string[];
  readonly captures: string[];
  /** Files that a run is writing, or was when it was killed, by their final name. */
  readonly open: Map<string, string>;
}

/**
 * Checks files and folders. A file that is still being written (`.open`) is not judged, but records
 * in it count as there. Memory is bounded: what must be remembered lies in temporary files.
 *
 * @throws {Deno.errors.NotFound} Where a path does not exist.
 * @throws {RangeError} Where there is nothing to check.
 * @throws {FrontierStateError} Where `state` is none, or is damaged.
 * @throws {CheckpointError} The same, where it is a recrawl's.
 */
export async function* verifyPaths(
  paths: readonly string[],
  options: VerifyOptions = {},
): AsyncGenerator<Fault, void, void> {
  const { state, onGone = () => {} } = options;
  find(paths); // a wrong path is told before a long look at the state
  const recrawl = state === undefined ? undefined : recrawlState(state);
  using done = state === undefined || recrawl !== undefined
    ? undefined
    : await DoneRecords.of(state);
  const found = find(paths);
  const { warcs: { length: warcFiles }, indexes, captures, open } = found;
  if (state === undefined && warcFiles + indexes.length + captures.length + open.size === 0) {
    throw new RangeError(`Cannot verify ${paths.join(", ")}: there is no ${KINDS} file`);
  }
  const warcs = verifyWarcs(found.warcs, {
    others: openFiles(found),
    ...(done === undefined
      ? {}
      : { onRecord: (path, record) => done.record(finalName(path), record) }),
  });
  for await (const { file, offset, code, message } of warcs) {
    yield { file, offset, fault: code, detail: message };
  }
  for (const index of found.indexes) {
    for await (const { file, offset, code, message } of verifyCdxj(index, { surt })) {
      yield { file, offset, fault: code, detail: message };
    }
  }
  yield* verifyParts(captures);
  if (recrawl !== undefined) yield* verifyCheckpoint(recrawl, captures, onGone);
  if (done === undefined) return;
  const byName = new Map(found.open);
  for (const path of found.warcs) byName.set(basename(path), path);
  for await (const { file, offset, url, detail } of done.faults()) {
    const path = byName.get(file) ?? (file === "" ? state! : file);
    yield { file: path, offset, fault: "state-record", detail: `${url}: ${detail}` };
  }
}

const KINDS = "WARC, CDXJ or capture";
/** How a SQLite file begins. */
const SQLITE = "SQLite format 3";

/** A recrawl's state; undefined for what is to be opened as a crawl's. */
function recrawlState(path: string): RecrawlState | undefined {
  if (!existsSync(path)) return undefined;
  const start = new Uint8Array(SQLITE.length);
  const fd = openSync(path, "r");
  try {
    readSync(fd, start);
  } finally {
    closeSync(fd);
  }
  if (new TextDecoder().decode(start) === SQLITE) return undefined;
  const checkpoint = readCheckpoint(path);
  return checkpoint && { path, checkpoint };
}

async function* verifyParts(captures: readonly string[]): AsyncGenerator<Fault, void, void> {
  const faults = verifyCaptures(stillThere(captures), {
    decode: (body, coding) => {
      const { bytes, decoded } = decodeBody(body, coding, MAX_DECODED);
      return decoded ? bytes : undefined;
    },
  });
  for await (const { file, offset, code, message } of faults) {
    yield { file, offset, fault: code, detail: message };
  }
}

/** A publisher may take parts away meanwhile. */
function* stillThere(files: readonly string[]): Generator<string, void, void> {
  for (const file of files) if (existsSync(file)) yield file;
}

function find(paths: readonly string[]): Found {
  const warcs: string[] = [], indexes: string[] = [], captures: string[] = [];
  const open = new Map<string, string>();
  const add = (path: string) => {
    const name = basename(path);
    if (/\.warc(\.gz)?$/.test(name)) warcs.push(path);
    else if (name.endsWith(".cdxj")) indexes.push(path);
    else if (name.endsWith(".parquet")) captures.push(path);
    else if (/\.warc\.gz\.open$/.test(name)) open.set(name.slice(0, -".open".length), path);
    else return false;
    return true;
  };
  for (const path of paths) {
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) add(join(path, name));
    } else if (!add(path)) {
      throw new RangeError(`Cannot verify ${path}: it is no ${KINDS} file`);
    }
  }
  return { warcs, indexes, captures, open };
}

/** The files being written, each by the name that it has when its turn comes. */
function* openFiles({ open }: Found): Generator<string, void, void> {
  for (const path of open.values()) {
    yield existsSync(path) ? path : join(dirname(path), finalName(path));
  }
}

/** Name of a file once it is sealed, without its folder. */
function finalName(path: string): string {
  const name = basename(path);
  return name.endsWith(".open") ? name.slice(0, -".open".length) : name;
}
