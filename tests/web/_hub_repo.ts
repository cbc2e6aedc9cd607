/** A repo of the local hub: its files, and the commits that they came by. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { HubFile } from "./hub.ts";

/** A large file as the repo knows it. */
export interface LargeFile {
  /** Hex SHA-256. */
  readonly oid: string;
  readonly size: number;
}

/** A commit. */
export interface HubCommit {
  readonly oid: string;
  readonly parent: string;
  readonly summary: string;
  /** Paths that it added or replaced, in the order of the request. */
  readonly paths: readonly string[];
}

interface Revision {
  readonly files: Map<string, HubFile>;
  readonly large: Map<string, LargeFile>;
}

/** A repo. */
export class HubRepoState {
  /** Listed, and not there. */
  readonly missing = new Set<string>();
  readonly commits: HubCommit[] = [];
  private: boolean;
  readonly #revisions = new Map<string, Revision>();
  #head: string;

  constructor(hidden: boolean) {
    this.private = hidden;
    this.#head = sha1(crypto.randomUUID());
    this.#revisions.set(this.#head, { files: new Map(), large: new Map() });
  }

  /** The commit that main stands at. */
  get head(): string {
    return this.#head;
  }

  /** Files of the head. Tests fill it without a commit. */
  get files(): Map<string, HubFile> {
    return this.#revisions.get(this.#head)!.files;
  }

  /** Files of a commit, or of `main`. */
  filesOf(revision: string): Map<string, HubFile> | undefined {
    return this.#revisions.get(revision === "main" ? this.#head : revision)?.files;
  }

  /** A file as listings tell of it. */
  entry(revision: string, path: string): Record<string, unknown> | undefined {
    const at = this.#revisions.get(revision === "main" ? this.#head : revision);
    const file = at?.files.get(path);
    if (at === undefined || file === undefined) return undefined;
    let large = at.large.get(path);
    if (large === undefined && path.endsWith(".parquet")) {
      const bytes = bytesOf(file);
      large = { oid: createHash("sha256").update(bytes).digest("hex"), size: bytes.length };
      at.large.set(path, large);
    }
    if (large === undefined) {
      const bytes = bytesOf(file);
      return { type: "file", path, size: bytes.length, oid: blobId(bytes) };
    }
    const pointer = new TextEncoder().encode(
      `version https://git-lfs.github.com/spec/v1\noid sha256:${large.oid}\nsize ${large.size}\n`,
    );
    return {
      type: "file",
      path,
      size: large.size,
      oid: blobId(pointer),
      lfs: { ...large, pointerSize: pointer.length },
    };
  }

  /** Makes a commit on the head. */
  commit(
    summary: string,
    added: ReadonlyMap<string, { file: HubFile; large?: LargeFile }>,
  ): HubCommit {
    const before = this.#revisions.get(this.#head)!;
    const next: Revision = { files: new Map(before.files), large: new Map(before.large) };
    for (const [path, { file, large }] of added) {
      next.files.set(path, file);
      if (large === undefined) next.large.delete(path);
      else next.large.set(path, large);
    }
    const parent = this.#head;
    const oid = sha1(`${parent} ${summary} ${crypto.randomUUID()}`);
    const commit = { oid, parent, summary, paths: [...added.keys()] };
    this.#revisions.set(oid, next);
    this.#head = oid;
    this.commits.push(commit);
    return commit;
  }
}

function sha1(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}

/** Git's name of a blob. */
function blobId(bytes: Uint8Array): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

function bytesOf(file: HubFile): Uint8Array {
  return typeof file === "string" ? readFileSync(file) : file;
}
