/** The folder that a run writes into. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type FileLock, lockFile, StateLockedError } from "../files/mod.ts";
import { surt } from "../url/mod.ts";
import { type Repair, repairFolder, unsealedPrefixes } from "../warc/mod.ts";
import { cannotWrite } from "./errors.ts";

/**
 * One run at a time writes into a folder.
 *
 * @throws {StateLockedError} When another one does.
 * @throws {RunError} When it cannot be made or written.
 */
export function lockFolder(dir: string): FileLock {
  try {
    mkdirSync(dir, { recursive: true });
    return lockFile(join(dir, "ccrawl"));
  } catch (cause) {
    if (cause instanceof StateLockedError) throw new StateLockedError(dir, cause.pid);
    throw cannotWrite(`write into ${dir}`, cause);
  }
}

/**
 * Makes whole what killed runs left in a folder that is locked: this run's files and those of runs
 * under other prefixes, whose pages the state may call done all the same.
 *
 * @throws {WarcWriteError} If the disk refuses.
 */
export async function repairArchives(
  dir: string,
  { prefix, cdx }: { readonly prefix: string; readonly cdx: boolean },
): Promise<Repair[]> {
  const repairs: Repair[] = [];
  for (const each of new Set([prefix, ...unsealedPrefixes(dir)])) {
    repairs.push(...await repairFolder(dir, { prefix: each, ...(cdx ? { surt } : {}) }));
  }
  return repairs;
}
