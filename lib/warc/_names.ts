/**
 * Names of archive files, and the numbers in them.
 *
 * @module
 */

import { join } from "node:path";
import type { FileSystem } from "../files/mod.ts";

/** Ending of a sealed file. */
export const SEALED = ".warc.gz";
/** Ending of the file being written. */
export const OPEN = ".warc.gz.open";

/** Name of a sealed file. */
export function fileName(prefix: string, number: number): string {
  return `${stem(prefix, number)}${SEALED}`;
}

/** Name without its ending. */
export function stem(prefix: string, number: number): string {
  return `${prefix}-${String(number).padStart(5, "0")}`;
}

/**
 * The number in a name made by {@linkcode stem} and one of the endings given, or -1.
 */
export function numberIn(name: string, prefix: string, ...endings: string[]): number {
  if (!name.startsWith(`${prefix}-`)) return -1;
  const rest = name.slice(prefix.length + 1);
  const digits = /^\d{5,12}/.exec(rest)?.[0];
  if (digits === undefined || !endings.includes(rest.slice(digits.length))) return -1;
  return Number(digits);
}

/** Throws if a prefix could not stand in a file name. */
export function checkPrefix(prefix: string): void {
  if (!/^[\w.@+=,-]{1,100}$/.test(prefix) || prefix.startsWith(".")) {
    throw new TypeError(
      `Cannot use ${JSON.stringify(prefix)} as a file prefix: letters, digits and . _ - only`,
    );
  }
}

/**
 * Takes a number that no file of this prefix ever had, whoever else writes in the folder, and
 * however many files were moved away since: the highest one used is kept in `<prefix>.seq`.
 *
 * @param least The number is not below it.
 */
export function takeNumber(fs: FileSystem, dir: string, prefix: string, least: number): number {
  return highest(fs, dir, prefix, 1, least);
}

/** The prefixes of files that are, or were, being written in a folder. */
export function openPrefixes(names: readonly string[]): string[] {
  const found = names.map((name) => /^(.+)-\d{5,12}\.warc\.gz\.open$/.exec(name)?.[1]);
  return [...new Set(found)].filter((prefix) => prefix !== undefined).sort();
}

/** Notes the numbers of the files that are there, so that they stay used when those are gone. */
export function noteNumbers(fs: FileSystem, dir: string, prefix: string): void {
  highest(fs, dir, prefix, 0);
}

function highest(fs: FileSystem, dir: string, prefix: string, more: 0 | 1, least = 0): number {
  let number = -1;
  fs.update(join(dir, `${prefix}.seq`), (old) => {
    // A note that a crash left half written is no loss: the names in the folder tell as well.
    number = /^\d{1,15}\n$/.test(old) ? Number(old) : -1;
    for (const name of fs.list(dir)) {
      number = Math.max(number, numberIn(name, prefix, SEALED, OPEN, ".cdxj"));
    }
    if (more > 0) number = Math.max(number + more, least);
    return number < 0 ? old : `${String(number).padStart(15, "0")}\n`;
  });
  return number;
}
