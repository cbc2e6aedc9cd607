/**
 * The file operations of what writes and repairs files, so that a test can hold them.
 *
 * @module
 */

import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";

/**
 * Synchronous file operations. Each throws what the system says. Synchronous because files are written
 * on threads of their own, where a blocking write costs less than an asynchronous one.
 */
export interface FileSystem {
  /** Creates a file for reading and writing; fails if the name exists. */
  create(path: string): number;
  /** Opens an existing file; for reading only unless `write`. */
  open(path: string, write?: boolean): number;
  /** Reads at a position; gives the count of bytes read, 0 at the end. */
  read(fd: number, into: Uint8Array, position: number): number;
  /** Writes at a position; gives the count of bytes written, which may be short. */
  write(fd: number, bytes: Uint8Array, position: number): number;
  /** Forces the file's bytes and size to the disk. */
  sync(fd: number): void;
  /** Cuts a file, or fills it with zeros, to a size in bytes. */
  truncate(fd: number, size: number): void;
  /** Size in bytes. */
  size(fd: number): number;
  /** Closes a file. */
  close(fd: number): void;
  /** Renames within one folder, over an existing name. */
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
  /**
   * Replaces the content of a small text file (created if missing, at most 64 bytes read) while
   * no other thread or process can do the same, and syncs it.
   */
  update(path: string, change: (old: string) => string): void;
}

/** The operations of who only writes new files. */
export type WritingFs = Omit<FileSystem, "open" | "read" | "truncate" | "size" | "update">;

/** The real file system. */
export const diskFs: FileSystem = {
  create: (path) => openSync(path, "wx+"),
  open: (path, write = false) => openSync(path, write ? "r+" : "r"),
  read: (fd, into, position) => readSync(fd, into, 0, into.length, position),
  write: (fd, bytes, position) => writeSync(fd, bytes, 0, bytes.length, position),
  sync: fsyncSync,
  truncate: ftruncateSync,
  size: (fd) => fstatSync(fd).size,
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
  update(path, change) {
    // The lock belongs to the open file: it ends with the holder, however that dies.
    const file = Deno.openSync(path, { create: true, read: true, write: true });
    try {
      file.lockSync(true);
      const old = new Uint8Array(64);
      const n = file.readSync(old) ?? 0;
      const next = new TextEncoder().encode(change(new TextDecoder().decode(old.subarray(0, n))));
      file.seekSync(0, Deno.SeekMode.Start);
      for (let at = 0; at < next.length;) at += file.writeSync(next.subarray(at));
      file.truncateSync(next.length);
      file.syncSync();
    } finally {
      file.close();
    }
  },
};

/** Writes all of `bytes` at a position. */
export function writeAll(fs: WritingFs, fd: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length;) {
    const n = fs.write(fd, at === 0 ? bytes : bytes.subarray(at), position + at);
    if (n <= 0) throw new Error("the system wrote nothing");
    at += n;
  }
}

/** How long reading without a pause may keep a signal, a timer or a socket waiting, in ms. */
const TURN_MS = 50;

/**
 * A file's bytes in pieces, each a fresh array. Everything else of the process gets its turn in between.
 *
 * @param from Byte offset of the first.
 * @param piece Most bytes in a piece.
 */
export async function* fileBytes(
  path: string,
  fs: FileSystem = diskFs,
  from = 0,
  piece = 1 << 18,
): AsyncGenerator<Uint8Array, void, unknown> {
  const fd = fs.open(path);
  let turn = performance.now();
  try {
    for (let at = from;;) {
      if (performance.now() - turn > TURN_MS) {
        await new Promise((resolve) => setTimeout(resolve, 0)); // signals are seen only by who waits
        turn = performance.now();
      }
      const bytes = new Uint8Array(piece);
      const n = fs.read(fd, bytes, at);
      if (n <= 0) return;
      at += n;
      yield bytes.subarray(0, n);
    }
  } finally {
    fs.close(fd);
  }
}
