/** A file system in memory whose operations can be made to fail. */

import type { WritingFs } from "../../lib/files/fs.ts";

/** What can be made to fail. */
export type Operation = Exclude<keyof WritingFs, "exists">;

/** A failure as the system gives it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: the test wants it`), { code });
}

/** Files in one flat folder. */
export class MemFs implements WritingFs {
  readonly files = new Map<string, Uint8Array>();
  readonly #open = new Map<number, string>();
  #next = 3;
  /** Called before every operation; throws where it is to fail. */
  before: (operation: Operation, path: string) => void = () => {};
  /** Most bytes in all; a write beyond it fails as a full disk does, after a part of it. */
  capacity = Infinity;

  /** Descriptors not closed. */
  get open(): number {
    return this.#open.size;
  }

  names(): string[] {
    return [...this.files.keys()].map((path) => path.slice(path.lastIndexOf("/") + 1)).sort();
  }

  create(path: string): number {
    this.before("create", path);
    if (this.files.has(path)) throw systemError("EEXIST");
    this.files.set(path, new Uint8Array(0));
    this.#open.set(this.#next, path);
    return this.#next++;
  }

  write(fd: number, bytes: Uint8Array, position: number): number {
    const path = this.#open.get(fd)!;
    this.before("write", path);
    const old = this.files.get(path)!;
    let used = 0;
    for (const file of this.files.values()) used += file.length;
    // short writes are the rule here
    let n = Math.max(1, Math.ceil(bytes.length * 0.7));
    n = Math.min(n, this.capacity - used + Math.max(0, old.length - position));
    if (n <= 0) throw systemError("ENOSPC");
    const grown = new Uint8Array(Math.max(old.length, position + n));
    grown.set(old);
    grown.set(bytes.subarray(0, n), position);
    this.files.set(path, grown);
    return n;
  }

  sync(fd: number): void {
    this.before("sync", this.#open.get(fd)!);
  }

  close(fd: number): void {
    this.before("close", this.#open.get(fd)!);
    this.#open.delete(fd);
  }

  rename(from: string, to: string): void {
    this.before("rename", from);
    const file = this.files.get(from);
    if (file === undefined) throw systemError("ENOENT");
    this.files.delete(from);
    this.files.set(to, file);
  }

  remove(path: string): void {
    this.before("remove", path);
    if (!this.files.delete(path)) throw systemError("ENOENT");
  }

  exists(path: string): boolean {
    return this.files.has(path);
  }

  list(dir: string): string[] {
    this.before("list", dir);
    return this.names();
  }

  syncDir(dir: string): void {
    this.before("syncDir", dir);
  }

  makeDir(dir: string): void {
    this.before("makeDir", dir);
  }
}
