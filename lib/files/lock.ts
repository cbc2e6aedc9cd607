/**
 * An exclusive lock on a path, held by the operating system for as long as the process lives, so
 * that a kill releases it.
 *
 * @module
 */

import { dirname } from "node:path";
import process from "node:process";
import { follow } from "./follow.ts";
import { LockError, StateLockedError } from "./errors.ts";

/** A lock that is held. Disposing it releases it. */
export interface FileLock extends Disposable {
  /** Path of the lock file (`<path>.lock`). */
  readonly lockPath: string;
  /** Gives the lock back. Calling it again does nothing. */
  release(): void;
}

/** Options of {@linkcode lockFile}. */
export interface LockOptions {
  /**
   * Holds the lock although the disk is too full to write down who does, for what makes room there.
   * @default false
   */
  readonly onFullDisk?: boolean;
}

/**
 * Locks `path` (a state file or an output folder) against every other process and every other holder
 * in this one; a symbolic link is locked as what it leads to. The lock is taken on `<path>.lock`,
 * which holds the process id as text and stays behind when the lock is released: removing it would
 * let two processes hold two files of one name.
 *
 * @throws {StateLockedError} when it is held already.
 * @throws {LockError} when the lock file cannot be made, as in a folder that may not be written.
 */
export function lockFile(path: string, options: LockOptions = {}): FileLock {
  const lockPath = `${follow(trimSlash(path))}.lock`;
  const file = openLock(path, lockPath);
  let held = false;
  try {
    held = file.tryLockSync(true);
    if (!held) throw new StateLockedError(path, readPid(file));
    file.truncateSync(0);
    noteHolder(file, options.onFullDisk ?? false);
  } catch (cause) {
    file.close();
    if (cause instanceof StateLockedError) throw cause;
    throw new LockError(`Cannot lock "${path}": ${(cause as Error).message}`, { cause });
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

function noteHolder(file: Deno.FsFile, onFullDisk: boolean): void {
  try {
    file.writeSync(new TextEncoder().encode(`${Deno.pid}\n`));
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (!(onFullDisk && (code === "ENOSPC" || code === "EDQUOT"))) throw error;
  }
}

/**
 * The process that holds the lock on `path`; undefined where none does. Only looks: a process that is
 * about to take the lock is not disturbed.
 */
export function lockHolder(path: string): number | undefined {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(`${follow(trimSlash(path))}.lock`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  try {
    const pid = readPid(file);
    return pid !== undefined && isAlive(pid) ? pid : undefined;
  } finally {
    file.close();
  }
}

/** A killed holder leaves its number behind. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== "ESRCH"; // it may be another user's
  }
}

function openLock(path: string, lockPath: string): Deno.FsFile {
  try {
    return Deno.openSync(lockPath, { read: true, write: true, create: true });
  } catch (cause) {
    const reason = cause instanceof Deno.errors.NotFound
      ? `the folder ${dirname(lockPath)} is not there; make it, or name another`
      : (cause as Error).message;
    throw new LockError(`Cannot lock "${path}": ${reason}`, { cause });
  }
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
