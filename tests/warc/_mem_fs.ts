/** A file system in memory that can fail, be killed, and lose what was not synced. */

import { dirname, join } from "node:path";
import type { FileSystem } from "../../lib/files/fs.ts";

interface Node {
  /** A view of a buffer that may have room behind it. */
  data: Uint8Array;
  /** What the disk holds for certain. */
  synced: Uint8Array;
}

/** Thrown at the moment at which the process is killed. */
export class Killed extends Error {}

/** An error as the system gives it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: simulated`), { code });
}

export class MemFs implements FileSystem {
  names: Map<string, Node>;
  durableNames: Map<string, Node>;
  #fds = new Map<number, Node>();
  #next = 3;
  /** Operations that change something, so far. */
  ops = 0;
  /** Called before each such operation; may throw. */
  before: (op: string, path: string) => void = () => {};
  /** How many bytes of a write arrive; fewer than asked makes it a short one. */
  shortWrite: (length: number) => number = (length) => length;
  #paths = new Map<number, string>();

  constructor(names: Map<string, Node> = new Map()) {
    this.names = names;
    this.durableNames = new Map(names);
  }

  /** What is left after the process was killed: all of it. */
  afterKill(): MemFs {
    return new MemFs(
      new Map(
        [...this.names].map(([path, node]) => [path, { data: node.data, synced: node.data }]),
      ),
    );
  }

  /** What is left after the power went: synced names, synced bytes, and noise where there were more. */
  afterPowerLoss(random: () => number): MemFs {
    const names = new Map<string, Node>();
    for (const [path, node] of this.durableNames) {
      const data = node.data.slice();
      const safe = Math.min(node.synced.length, data.length);
      // Pages behind the synced ones may hold zeros, and the file may be shorter.
      const end = safe + Math.floor(random() * (data.length - safe + 1));
      if (random() < 0.5) data.fill(0, safe + Math.floor(random() * (end - safe + 1)));
      const left = data.slice(0, end);
      left.set(node.synced.subarray(0, safe));
      names.set(path, { data: left, synced: left });
    }
    return new MemFs(names);
  }

  bytes(path: string): Uint8Array {
    return this.#node(path).data;
  }

  put(path: string, data: Uint8Array): void {
    const node = { data, synced: data };
    this.names.set(path, node);
    this.durableNames.set(path, node);
  }

  files(): string[] {
    return [...this.names.keys()].sort();
  }

  create(path: string): number {
    this.#op("create", path);
    if (this.names.has(path)) throw systemError("EEXIST");
    const node = { data: new Uint8Array(0), synced: new Uint8Array(0) };
    this.names.set(path, node);
    return this.#open(path, node);
  }

  open(path: string): number {
    return this.#open(path, this.#node(path));
  }

  read(fd: number, into: Uint8Array, position: number): number {
    const bytes = this.#fds.get(fd)!.data.subarray(position, position + into.length);
    into.set(bytes);
    return bytes.length;
  }

  write(fd: number, bytes: Uint8Array, position: number): number {
    const node = this.#fds.get(fd)!;
    const put = (n: number) => {
      const size = Math.max(node.data.length, position + n);
      let buffer = node.data.buffer;
      if (buffer.byteLength < size) {
        buffer = new ArrayBuffer(size * 2);
        new Uint8Array(buffer).set(node.data);
      }
      node.data = new Uint8Array(buffer, 0, size);
      node.data.set(bytes.subarray(0, n), position);
    };
    try {
      this.#op("write", this.#paths.get(fd)!);
    } catch (error) {
      put(bytes.length >> 1); // whatever stops a write, a part of it may have arrived
      throw error;
    }
    const n = this.shortWrite(bytes.length);
    put(n);
    return n;
  }

  sync(fd: number): void {
    this.#op("sync", this.#paths.get(fd)!);
    const node = this.#fds.get(fd)!;
    node.synced = node.data.slice();
  }

  truncate(fd: number, size: number): void {
    this.#op("truncate", this.#paths.get(fd)!);
    const node = this.#fds.get(fd)!;
    const data = new Uint8Array(size);
    data.set(node.data.subarray(0, size));
    node.data = data;
  }

  size(fd: number): number {
    return this.#fds.get(fd)!.data.length;
  }

  close(fd: number): void {
    if (!this.#fds.delete(fd)) throw systemError("EBADF");
  }

  rename(from: string, to: string): void {
    this.#op("rename", from);
    this.names.set(to, this.#node(from));
    this.names.delete(from);
  }

  remove(path: string): void {
    this.#op("remove", path);
    this.#node(path);
    this.names.delete(path);
  }

  exists(path: string): boolean {
    return this.names.has(path) || [...this.names.keys()].some((name) => dirname(name) === path);
  }

  list(dir: string): string[] {
    return [...this.names.keys()].filter((path) => dirname(path) === dir)
      .map((path) => path.slice(dir.length + 1));
  }

  syncDir(dir: string): void {
    this.#op("syncDir", dir);
    for (const path of this.durableNames.keys()) {
      if (dirname(path) === dir && !this.names.has(path)) this.durableNames.delete(path);
    }
    for (const [path, node] of this.names) {
      if (dirname(path) === dir) this.durableNames.set(path, node);
    }
  }

  makeDir(): void {}

  update(path: string, change: (old: string) => string): void {
    this.#op("update", path);
    const old = this.names.get(path);
    const next = change(new TextDecoder().decode(old?.data ?? new Uint8Array(0)));
    const data = new TextEncoder().encode(next);
    const node = old ?? { data, synced: data };
    node.data = data;
    node.synced = data;
    this.names.set(path, node);
    this.durableNames.set(path, node);
  }

  get openFiles(): number {
    return this.#fds.size;
  }

  #open(path: string, node: Node): number {
    this.#fds.set(this.#next, node);
    this.#paths.set(this.#next, path);
    return this.#next++;
  }

  #node(path: string): Node {
    const node = this.names.get(path);
    if (node === undefined) throw systemError("ENOENT");
    return node;
  }

  #op(op: string, path: string): void {
    this.ops++;
    this.before(op, path);
  }
}

/** Path in the folder that the tests write in. */
export function at(name: string): string {
  return join("/w", name);
}
