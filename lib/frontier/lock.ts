/**
 * An exclusive lock on a path, held by the operating system for as long as the process lives, so
 * that a kill releases it.
 *
 * @module
 */

import { StateLockedError } from "./errors.ts";

/** A lock that is held. Disposing it releases it. */
export interface FileLock extends Disposable {
  /** Path of the lock file (`<path>.lock`). */
  readonly lockPath: string;
  /** Gives the lock back. Calling it again does nothing. */
  release(): void;
}

/**
 * Locks `path` (a state file or an output folder) against every other process and every other holder
 * in this one. The lock is taken on `<path>.lock`, which holds the process id as text and stays
 * behind when the lock is released: removing it would let two processes hold two files of one name.
 *
 * @throws {StateLockedError} when it is held already.
 */
export function lockFile(path: string): FileLock {
  const lockPath = `${trimSlash(path)}.lock`;
  const file = Deno.openSync(lockPath, { read: true, write: true, create: true });
  let held = false;
  try {
    held = file.tryLockSync(true);
    if (!held) throw new StateLockedError(path, readPid(file));
    file.truncateSync(0);
    file.writeSync(new TextEncoder().encode(`${Deno.pid}\n`));
  } catch (error) {
    file.close();
    throw error;
  }
  let released = false;
  const release = () => {
    if (released) return;
    released = true;
    // The pid goes first, so that a reader never sees a released lock name a live holder.
    file.truncateSync(0);
    file.unlockSync();
    file.close();
  };
  return { lockPath, release, [Symbol.dispose]: release };
}

function readPid(file: Deno.FsFile): number | undefined {
  const bytes = new Uint8Array(32);
  file.seekSync(0, Deno.SeekMode.Start);
  const count = file.readSync(bytes) ?? 0;
  const pid = Number(new TextDecoder().decode(bytes.subarray(0, count)).trim());
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

function trimSlash(path: string): string {
  let end = path.length;
  while (end > 1 && (path[end - 1] === "/" || path[end - 1] === "\\")) end--;
  return path.slice(0, end);
}
