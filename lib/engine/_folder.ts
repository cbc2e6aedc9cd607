/** The folder that a run writes into. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type FileLock, lockFile, StateLockedError } from "../frontier/mod.ts";
import { isDiskFull, RunError } from "./errors.ts";

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
    throw new RunError(`Cannot write into ${dir}: ${(cause as Error).message}`, {
      exitCode: isDiskFull(cause) ? 75 : 1,
      cause,
    });
  }
}
