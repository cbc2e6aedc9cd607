/**
 * The file operations that writing parts needs, so that a test can hold them.
 *
 * @module
 */

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";

/**
 * Synchronous file operations; each throws what the system says. Synchronous because a part is
 * written on a thread of its own, where a blocking write costs less than an asynchronous one.
 */
export interface CaptureFs {
  /** Creates a file for writing; fails if the name exists. */
  create(path: string): number;
  /** Writes at a position; gives the count of bytes written, which may be short. */
  write(fd: number, bytes: Uint8Array, position: number): number;
  /** Forces the file's bytes and size to the disk. */
  sync(fd: number): void;
  /** Closes a file. */
  close(fd: number): void;
  /** Renames within one folder. */
  rename(from: string, to: string): void;
  /** Removes a file. */
  remove(path: string): void;
  /** Whether there is a file or folder of the name. */
  exists(path: string): boolean;
  /** Names in a folder, in any order. */
  list(dir: string): string[];
  /** Forces a folder's names to the disk. */
  syncDir(dir: string): void;
  /** Makes a folder and those above it, if missing. */
  makeDir(dir: string): void;
}

/** The real file system. */
export const captureDiskFs: CaptureFs = {
  create: (path) => openSync(path, "wx"),
  write: (fd, bytes, position) => writeSync(fd, bytes, 0, bytes.length, position),
  sync: fsyncSync,
  close: closeSync,
  rename: renameSync,
  remove: unlinkSync,
  exists: existsSync,
  list: (dir) => readdirSync(dir),
  syncDir(dir) {
    const fd = openSync(dir, "r");
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },
  makeDir: (dir) => void mkdirSync(dir, { recursive: true }),
};

/** Writes all of `bytes` at a position. */
export function writeFully(fs: CaptureFs, fd: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length;) {
    const n = fs.write(fd, at === 0 ? bytes : bytes.subarray(at), position + at);
    if (n <= 0) throw new Error("the system wrote nothing");
    at += n;
  }
}
