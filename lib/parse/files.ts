/**
 * Finding the files that are meant, and what they are.
 *
 * @module
 */

import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
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
      const gone = (cause as { code?: unknown }).code === "ENOENT";
      const reason = gone ? "there is no such file" : (cause as Error).message;
      throw new ParseError(`Cannot read ${path}: ${reason}`, path, { cause });
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

/** Tells a file by its first bytes. */
export async function kindOf(path: string): Promise<FileKind> {
  const file = await open(path, "r");
  try {
    const first = new Uint8Array(4);
    const { bytesRead } = await file.read(first, 0, 4, 0);
    if (bytesRead < 4) return "archive";
    const magic = new DataView(first.buffer).getUint32(0);
    if (magic === 0x50415231) return "parquet"; // PAR1
    return magic === 0x28b52ffd ? "zstd" : "archive";
  } finally {
    await file.close();
  }
}
