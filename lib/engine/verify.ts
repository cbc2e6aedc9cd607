/**
 * Checking what a crawl wrote: archive files, their indexes, and the state against both.
 *
 * @module
 */

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readDone } from "../frontier/mod.ts";
import { surt } from "../url/mod.ts";
import { readRecordAt, verifyCdxj, verifyWarcs } from "../warc/mod.ts";

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
 * in it count as there.
 *
 * @throws {Deno.errors.NotFound} Where a path does not exist.
 * @throws {RangeError} Where there is nothing to check.
 */
export async function* verifyPaths(
  paths: readonly string[],
  options: VerifyOptions = {},
): AsyncGenerator<Fault, void, void> {
  const found = find(paths);
  if (found.warcs.length + found.indexes.length + found.open.size === 0 && !options.state) {
    throw new RangeError(`Cannot verify ${paths.join(", ")}: there is no WARC or CDXJ file`);
  }
  for await (const { file, offset, code, message } of verifyWarcs(found.warcs)) {
    yield { file, offset, fault: code, detail: message };
  }
  for (const index of found.indexes) {
    for await (const { file, offset, code, message } of verifyCdxj(index, { surt })) {
      yield { file, offset, fault: code, detail: message };
    }
  }
  if (options.state !== undefined) yield* verifyState(options.state, found);
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

/** Every done URL has its record where the state says. */
async function* verifyState(state: string, found: Found): AsyncGenerator<Fault, void, void> {
  const files = new Map(found.open);
  for (const path of found.warcs) files.set(basename(path), path);
  for await (const done of readDone(state)) {
    if (done.outcome !== "done" || done.reason === "noarchive") continue;
    const fault = (detail: string): Fault => ({
      file: done.warcFile || state,
      offset: done.warcOffset,
      fault: "state-record",
      detail: `${done.url}: ${detail}`,
    });
    if (done.warcFile === "") {
      yield fault("done, but no record was written");
      continue;
    }
    const path = files.get(done.warcFile);
    if (path === undefined) {
      yield fault("the file is not there");
      continue;
    }
    try {
      const { type, url } = await readRecordAt(sealedSince(path), done.warcOffset);
      if (url !== done.url) yield fault(`the record there is of ${url}`);
      else if (type !== "response" && type !== "revisit") yield fault(`a ${type} is there`);
    } catch (e) {
      yield fault((e as Error).message);
    }
  }
}

/** A file that a running crawl has sealed since it was listed has another name. */
function sealedSince(path: string): string {
  if (!path.endsWith(".open") || existsSync(path)) return path;
  return join(dirname(path), basename(path).slice(0, -".open".length));
}
