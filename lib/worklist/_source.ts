/**
 * Bytes of a file that can be read at any place, on disk or on the hub.
 *
 * @module
 */

import { type FileHandle, open } from "node:fs/promises";
import { whyUnread } from "../files/mod.ts";
import { WorkListError } from "./errors.ts";

/** A file of known size. */
export interface ByteSource extends AsyncDisposable {
  /** What messages call it. */
  readonly name: string;
  /** Size in bytes. */
  readonly size: number;
  /** The last bytes, where opening the file brought them along. */
  readonly tail: Uint8Array | undefined;
  /** Fills `into` with what stands at `offset`, wholly, or throws a {@linkcode WorkListError}. */
  read(offset: number, into: Uint8Array): Promise<void>;
}

/** A file on disk. */
export async function openFile(path: string, stats: { bytes: number }): Promise<ByteSource> {
  let file: FileHandle;
  let size: number;
  try {
    file = await open(path, "r");
    size = (await file.stat()).size;
  } catch (cause) {
    throw new WorkListError(`Cannot open the work list "${path}": ${whyUnread(cause)}`, { cause });
  }
  return {
    name: path,
    size,
    tail: undefined,
    async read(offset, into) {
      for (let done = 0; done < into.length;) {
        let count: number;
        try {
          ({ bytesRead: count } = await file.read(into, done, into.length - done, offset + done));
        } catch (cause) {
          throw new WorkListError(`Cannot read the work list "${path}": ${whyUnread(cause)}`, {
            cause,
          });
        }
        if (count === 0) {
          throw new WorkListError(
            `Cannot read the work list "${path}": it has become shorter than ${
              offset + done + 1
            } bytes`,
          );
        }
        done += count;
        stats.bytes += count;
      }
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

/** What the system said, as a part of a sentence. */
export function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
