/**
 * The hashes of parts, each taken once: they are remembered beside the state, so that neither a
 * restart nor `--keep` reads parts again.
 */

import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";

/** A part as it lies on disk. */
export interface LocalFile {
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

const CHUNK = 1 << 20;
/** Lines of a name and a hash; a folder of a million parts is none. */
const MAX_BYTES = 256 << 20;

/** Hashes by name, of parts that have not changed since. */
export class PartHashes {
  readonly #path: string;
  readonly #known = new Map<string, { look: string; sha256: string }>();

  private constructor(path: string) {
    this.#path = path;
  }

  /** Opens what is remembered at `path` of the parts that `isThere` says are there. */
  static open(path: string, isThere: (name: string) => boolean): PartHashes {
    const hashes = new PartHashes(path);
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    for (const line of text.length > MAX_BYTES ? [] : text.split("\n")) {
      const [name, look, sha256] = entryOf(line);
      if (name !== undefined && isThere(name)) hashes.#known.set(name, { look, sha256 });
    }
    if (text === "") return hashes;
    const kept = [...hashes.#known].map(([name, { look, sha256 }]) => line(name, look, sha256));
    unlessFull(() => {
      writeFileSync(`${path}.tmp`, kept.join(""));
      renameSync(`${path}.tmp`, path);
    });
    return hashes;
  }

  /** The hash, where it is known. */
  known(file: LocalFile): string | undefined {
    const entry = this.#known.get(file.name);
    return entry?.look === lookOf(file) ? entry.sha256 : undefined;
  }

  /** The hash; reads the file where it is not known. */
  async of(file: LocalFile, signal: AbortSignal | undefined): Promise<string> {
    const known = this.known(file);
    if (known !== undefined) return known;
    const sha256 = await sha256Of(file.path, signal);
    const look = lookOf(file);
    this.#known.set(file.name, { look, sha256 });
    unlessFull(() => appendFileSync(this.#path, line(file.name, look, sha256)));
    return sha256;
  }

  /** The part is gone. */
  forget(name: string): void {
    this.#known.delete(name);
  }
}

/** Publishing is what makes room on a full disk: it goes on without being remembered. */
function unlessFull(write: () => void): void {
  try {
    write();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code !== "ENOSPC" && code !== "EDQUOT") throw error;
  }
}

function lookOf({ size, mtimeMs }: LocalFile): string {
  return `${size} ${mtimeMs}`;
}

function line(name: string, look: string, sha256: string): string {
  return `${JSON.stringify([name, look, sha256])}\n`;
}

/** A kill may have cut the last line, and what was appended to it. */
function entryOf(line: string): [string, string, string] | [undefined] {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return [undefined];
  }
  if (!Array.isArray(entry) || entry.length !== 3) return [undefined];
  const [name, look, sha256] = entry as unknown[];
  if (typeof name !== "string" || typeof look !== "string") return [undefined];
  if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256)) return [undefined];
  return [name, look, sha256];
}

async function sha256Of(path: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash("sha256");
  const buffer = new Uint8Array(CHUNK);
  const file = await open(path, "r");
  try {
    for (let at = 0;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, CHUNK, at);
      if (bytesRead === 0) return hash.digest("hex");
      hash.update(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}
