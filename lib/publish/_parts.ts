/**
 * The parts of a run that are there to be published.
 */

import { statSync } from "node:fs";
import { join } from "node:path";
import { readPartInfo } from "../capture/mod.ts";
import type { Checkpoint } from "../worklist/mod.ts";
import type { LocalFile } from "./_hashes.ts";
import { PublishError } from "./errors.ts";

/**
 * The parts that a checkpoint knows and that are in the folder, in the order in which they were
 * sealed, without those that are to be left out. What lies there besides is the run's own affair: it may
 * not be whole, or not be accounted for.
 *
 * @throws {PublishError} If there is no such folder.
 */
export function partsOf(
  dir: string,
  { sealed }: Checkpoint,
  isLeftOut: (name: string) => boolean,
): LocalFile[] {
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new PublishError(
      `Cannot publish: there is no folder ${dir}. Give the one that the run writes into with --dir.`,
    );
  }
  const files: LocalFile[] = [];
  for (const name of new Set(sealed)) {
    if (isLeftOut(name)) continue;
    const path = join(dir, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile()) files.push({ name, path, size: stat.size, mtimeMs: stat.mtimeMs });
  }
  return files;
}

/**
 * How many rows a part has.
 *
 * @throws {CaptureFormatError} If it is damaged.
 * @throws {PublishError} If it is another run's.
 */
export async function rowsOf({ path }: LocalFile, { run }: Checkpoint): Promise<number> {
  const info = await readPartInfo(path);
  if (info.run === run) return info.rows;
  throw new PublishError(
    `Cannot publish ${path}: the state names it, and it is of another run. Give the folder that ` +
      `the run writes into with --dir.`,
  );
}
