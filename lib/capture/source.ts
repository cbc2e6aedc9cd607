/**
 * Files that are read here and there.
 *
 * @module
 */

import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CaptureReadError } from "./errors.ts";

/** A file of which any piece can be read, local or not. */
export interface CaptureSource {
  /** Its name, for messages. */
  readonly name: string;
  /** Its size. */
  readonly byteLength: number;
  /** Reads the bytes from `start` to before `end`. */
  slice(start: number, end?: number): Promise<ArrayBuffer> | ArrayBuffer;
  /** Lets go of it. */
  close?(): Promise<void>;
}

/**
 * Opens a local file.
 *
 * @throws {CaptureReadError} When the disk does not give it.
 */
export async function openSource(path: string): Promise<CaptureSource> {
  const refused = (cause: unknown) => Promise.reject(new CaptureReadError(path, cause));
  const handle = await open(path, "r").catch(refused);
  let byteLength: number;
  try {
    byteLength = (await handle.stat()).size;
  } catch (error) {
    await handle.close();
    return refused(error);
  }
  return {
    name: path,
    byteLength,
    async slice(start, end = byteLength) {
      const bytes = new Uint8Array(Math.max(0, Math.min(end, byteLength) - start));
      for (let at = 0; at < bytes.length;) {
        const { bytesRead } = await handle.read(bytes, at, bytes.length - at, start + at)
          .catch(refused);
        if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`);
        at += bytesRead;
      }
      return bytes.buffer;
    },
    close: () => handle.close(),
  };
}

/** A path as the file system takes it. */
export function localPath(path: string | URL): string {
  return path instanceof URL ? fileURLToPath(path) : path;
}

/**
 * The `*.parquet` files of a folder by name, or the file itself.
 *
 * @throws {CaptureReadError} When the disk does not give them.
 */
export async function* captureFiles(path: string | URL): AsyncGenerator<string, void, undefined> {
  const local = localPath(path);
  const refused = (cause: unknown) => Promise.reject(new CaptureReadError(local, cause));
  if (!(await stat(local).catch(refused)).isDirectory()) {
    yield local;
    return;
  }
  const names = await readdir(local).catch(refused);
  for (const name of names.sort()) if (name.endsWith(".parquet")) yield join(local, name);
}
