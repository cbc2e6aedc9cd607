/**
 * The free-disk floor.
 *
 * @module
 */

import { statfsSync } from "node:fs";
import { RunError } from "./errors.ts";

/** Bytes a process without privileges may still write on the file system that holds `path`. */
export function freeBytes(path: string): number {
  const fs = statfsSync(path);
  return fs.bavail * fs.bsize;
}

/**
 * @param kept What became of what is done, for the message.
 * @throws {RunError} With exit code 75, where any of `paths` has less than `floor` bytes free.
 */
export function checkFloor(
  paths: readonly string[],
  floor: number,
  free: (path: string) => number = freeBytes,
  kept = "Everything fetched is sealed",
): void {
  if (floor <= 0) return;
  for (const path of paths) {
    const left = free(path);
    if (left < floor) {
      throw new RunError(
        `Cannot go on: ${path} has ${sizeText(left)} free, less than --min-free ${
          sizeText(floor)
        }. ${kept}; free some space and run the same command again`,
        { exitCode: 75 },
      );
    }
  }
}

function sizeText(bytes: number): string {
  if (bytes >= 2 ** 30) return `${(bytes / 2 ** 30).toFixed(1)} GB`;
  if (bytes >= 2 ** 20) return `${Math.floor(bytes / 2 ** 20)} MB`;
  return bytes >= 2 ** 10 ? `${Math.floor(bytes / 2 ** 10)} KB` : `${bytes} B`;
}
