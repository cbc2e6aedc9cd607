/**
 * Finding the files that are meant, and what they are.
 *
 * @module
 */

import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { whyUnread } from "../files/mod.ts";
import { ParseError } from "./errors.ts";

/** Which files of a folder are meant. A file that is named itself may have any name. */
export interface WantedFiles {
  /** Their names. */
  readonly names: RegExp;
  /** The names in words, for the message that there are none. */
  readonly what: string;
}

/** Archives and captures; what is still being written (`.open`) is not. */
export const ARCHIVES_AND_CAPTURES: WantedFiles = {
  names: /\.(?:parquet|(?:warc|wat|wet)(?:\.gz)?)$/i,
  what: ".warc, .wat, .wet (or .gz of them) or .parquet files",
};

/** Archives. */
export const WARC_FILES: WantedFiles = {
  names: /\.warc(?:\.gz)?$/i,
  what: ".warc or .warc.gz files",
};

/**
 * The files of paths: a file is itself, a folder those directly in it by name, `-` standard input.
 *
 * @throws {ParseError} When there is nothing of that name, or nothing to read in a folder.
 */
export async function expandPaths(
  paths: readonly string[],
  wanted: WantedFiles = ARCHIVES_AND_CAPTURES,
): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) {
    if (path === "-") {
      files.push(path);
      continue;
    }
    let names: string[] | undefined;
    try {
      names = (await stat(path)).isDirectory() ? await readdir(path) : undefined;
    } catch (cause) {
      throw new ParseError(`Cannot read ${path}: ${whyUnread(cause)}`, path, { cause });
    }
    if (names === undefined) {
      files.push(path);
      continue;
    }
    const found = names.filter((name) => wanted.names.test(name)).sort();
    if (found.length === 0) {
      throw new ParseError(`Cannot read ${path}: the folder has no ${wanted.what}`, path);
    }
    for (const name of found) files.push(join(path, name));
  }
  return files;
}

/** What a file begins with. */
export type FileKind = "parquet" | "zstd" | "archive";

/** Bytes that tell what a file is. */
export const KIND_BYTES = 4;

/** Tells a file by its first bytes. */
export async function kindOf(path: string): Promise<FileKind> {
  const file = await open(path, "r");
  try {
    const first = new Uint8Array(KIND_BYTES);
    const { bytesRead } = await file.read(first, 0, KIND_BYTES, 0);
    return kindOfBytes(first.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Tells what begins with these bytes. */
export function kindOfBytes(first: Uint8Array): FileKind {
  if (first.length < KIND_BYTES) return "archive";
  const magic = new DataView(first.buffer, first.byteOffset).getUint32(0);
  if (magic === 0x50415231) return "parquet"; // PAR1
  return magic === 0x28b52ffd ? "zstd" : "archive";
}

/**
 * The first bytes of a stream, and all of it.
 *
 * @param size Bytes wanted; fewer are given where the stream has no more.
 */
export async function peek(
  stream: AsyncIterable<Uint8Array>,
  size: number,
): Promise<{ head: Uint8Array; all: AsyncIterable<Uint8Array> }> {
  const pieces = stream[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let length = 0;
  while (length < size) {
    const { done, value } = await pieces.next();
    if (done) break;
    held.push(value);
    length += value.length;
  }
  const head = new Uint8Array(length);
  let at = 0;
  for (const piece of held) {
    head.set(piece, at);
    at += piece.length;
  }
  return {
    head: head.subarray(0, size),
    all: (async function* () {
      try {
        yield* held;
        for (let next; !(next = await pieces.next()).done;) yield next.value;
      } finally {
        await pieces.return?.();
      }
    })(),
  };
}
