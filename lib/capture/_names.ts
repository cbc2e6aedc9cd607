/**
 * Names of parts, and the numbers in them.
 *
 * @module
 */

import { join } from "node:path";
import type { WritingFs } from "../files/mod.ts";

/** Ending of a part that is whole. */
export const SEALED = ".parquet";
/** Ending of a part that is being written. */
export const OPEN = ".parquet.open";

/** What the names of one writer's parts begin with. */
export function stemOf(prefix: string, writer: number, writers: number): string {
  return writers > 1 ? `${prefix}-w${writer}` : prefix;
}

/** Name of a part without its ending. */
export function partName(stem: string, number: number): string {
  return `${stem}-${String(number).padStart(5, "0")}`;
}

/** The number in a name that {@linkcode partName} made, with one of the endings; or -1. */
export function numberIn(name: string, stem: string, ...endings: string[]): number {
  if (!name.startsWith(`${stem}-`)) return -1;
  const rest = name.slice(stem.length + 1);
  const digits = /^\d{5,12}/.exec(rest)?.[0];
  if (digits === undefined || !endings.includes(rest.slice(digits.length))) return -1;
  return Number(digits);
}

/** Whether a name is of a part under this prefix, however many writers there were. */
export function isPart(name: string, prefix: string, ending: string): boolean {
  if (numberIn(name, prefix, ending) >= 0) return true;
  const writer = /^-w\d{1,2}/.exec(name.slice(prefix.length))?.[0];
  return name.startsWith(prefix) && writer !== undefined &&
    numberIn(name, prefix + writer, ending) >= 0;
}

/** @throws {TypeError} If a prefix could not stand in a file name. */
export function checkPrefix(prefix: string): void {
  if (!/^[\w.@+=,-]{1,100}$/.test(prefix) || prefix.startsWith(".")) {
    throw new TypeError(
      `Cannot use ${JSON.stringify(prefix)} as a file prefix: letters, digits and . _ - only`,
    );
  }
}

/**
 * The highest number that a part of this stem ever had, or -1: by the names that are there and by
 * the note that {@linkcode noteNumber} keeps, since parts are moved away once they are published.
 */
export function highestNumber(fs: WritingFs, dir: string, stem: string): number {
  let highest = -1;
  for (const name of fs.list(dir)) {
    highest = Math.max(highest, numberIn(name, stem, SEALED, OPEN, NOTE));
  }
  return highest;
}

const NOTE = ".used";

/**
 * Notes durably that a number is used up, as the name of an empty file, which no crash can leave
 * half written; the note before it is removed.
 */
export function noteNumber(fs: WritingFs, dir: string, stem: string, number: number): void {
  const path = join(dir, partName(stem, number) + NOTE);
  fs.close(fs.create(path));
  fs.syncDir(dir);
  for (const name of fs.list(dir)) {
    const other = numberIn(name, stem, NOTE);
    if (other >= 0 && other < number) fs.remove(join(dir, name));
  }
}
