/**
 * Checking what a crawl wrote: archive files, their indexes, and the state against both.
 *
 * @module
 */

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { surt } from "../url/mod.ts";
import { verifyCdxj, verifyWarcs } from "../warc/mod.ts";
import { DoneRecords } from "./_done_records.ts";

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
  /** A crawl's state: every URL that it calls done must have its record in one of the files. */
  readonly state?: string;
}

/** The files that paths stand for. */
interface Found {
  readonly warcs: string[];
  readonly indexes: string[];
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
 */
export async function* verifyPaths(
  paths: readonly string[],
  options: VerifyOptions = {},
): AsyncGenerator<Fault, void, void> {
  const { state } = options;
  find(paths); // a wrong path is told before a long look at the state
  using done = state === undefined ? undefined : await DoneRecords.of(state);
  const found = find(paths);
  if (found.warcs.length + found.indexes.length + found.open.size === 0 && done === undefined) {
    throw new RangeError(`Cannot verify ${paths.join(", ")}: there is no WARC or CDXJ file`);
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
  if (done === undefined) return;
  const byName = new Map(found.open);
  for (const path of found.warcs) byName.set(basename(path), path);
  for await (const { file, offset, url, detail } of done.faults()) {
    const path = byName.get(file) ?? (file === "" ? state! : file);
    yield { file: path, offset, fault: "state-record", detail: `${url}: ${detail}` };
  }
}

function find(paths: readonly string[]): Found {
  const warcs: string[] = [], indexes: string[] = [], open = new Map<string, string>();
  const add = (path: string) => {
    const name = basename(path);
    if (/\.warc(\.gz)?$/.test(name)) warcs.push(path);
    else if (name.endsWith(".cdxj")) indexes.push(path);
    else if (/\.warc\.gz\.open$/.test(name)) open.set(name.slice(0, -".open".length), path);
    else return false;
    return true;
  };
  for (const path of paths) {
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) add(join(path, name));
    } else if (!add(path)) {
      throw new RangeError(`Cannot verify ${path}: it is no WARC or CDXJ file`);
    }
  }
  return { warcs, indexes, open };
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
