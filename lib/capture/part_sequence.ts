/**
 * The parts that one writer writes, one after the other.
 *
 * @module
 */

import { join } from "node:path";
import { codeOf, diskFs, type WritingFs } from "../files/mod.ts";
import {
  checkPrefix,
  highestNumber,
  isPart,
  noteNumber,
  OPEN,
  partName,
  SEALED,
  stemOf,
} from "./_names.ts";
import { CaptureWriteError } from "./errors.ts";
import type { NewCaptureRow } from "./codec.ts";
import { CaptureWriter, type CaptureWriterOptions, type WrittenCaptures } from "./writer.ts";

/** Prefix of the names of parts where none is given. */
export const DEFAULT_PREFIX = "ccrawl-recrawl";
/** Most writers of one folder. */
export const MAX_WRITERS = 16;

/** Options of {@linkcode PartSequence}. */
export interface PartSequenceOptions extends CaptureWriterOptions {
  /** Folder of the parts; made if missing. */
  readonly dir: string;
  /** What their names begin with. @default "ccrawl-recrawl" */
  readonly prefix?: string;
  /** Which of the folder's writers this is, from 0. @default 0 */
  readonly writer?: number;
  /** How many there are; with more than one the names say which. @default 1 */
  readonly writers?: number;
  /** Bytes before compression from which on a part is full. @default 512 MiB */
  readonly shardSize?: number;
  /** A part number that is known to be used; the next is higher. @default -1 */
  readonly after?: number;
}

/** A part that is whole, has its name, and will not change. */
export interface SealedPart extends WrittenCaptures {
  /** Name of the file, without its folder. */
  readonly file: string;
  /** The number in it. */
  readonly number: number;
}

/**
 * Writes rows into numbered parts. A part has a temporary name until its footer is written and
 * forced to the disk, so that every `*.parquet` of the folder can be read at any moment; its number
 * is never used again, whatever becomes of the file.
 *
 * The first write error ends it: the part that was open is removed, and whatever is called
 * afterwards throws that error. Parts sealed before are untouched.
 */
export class PartSequence {
  readonly #options: PartSequenceOptions;
  readonly #fs: WritingFs;
  readonly #stem: string;
  readonly #shardSize: number;
  #number: number;
  #writer: CaptureWriter | undefined;
  #failed: { readonly error: unknown } | undefined;

  /**
   * Makes the folder; the first part is opened with the first row.
   *
   * @throws {CaptureWriteError} If the disk refuses.
   * @throws {TypeError} If the prefix cannot stand in a name.
   */
  constructor(options: PartSequenceOptions) {
    const { dir, prefix = DEFAULT_PREFIX, writer = 0, writers = 1 } = options;
    checkPrefix(prefix);
    this.#options = options;
    this.#fs = options.fs ?? diskFs;
    this.#stem = stemOf(prefix, writer, writers);
    this.#shardSize = options.shardSize ?? 512 << 20;
    try {
      this.#fs.makeDir(dir);
      this.#number = Math.max(options.after ?? -1, highestNumber(this.#fs, dir, this.#stem));
    } catch (cause) {
      throw new CaptureWriteError(dir, "open", cause);
    }
  }

  /** Whether the open part has reached its size and is to be sealed. */
  get full(): boolean {
    return this.payload >= this.#shardSize;
  }

  /** Rows in the open part. */
  get rows(): number {
    return this.#writer?.rows ?? 0;
  }

  /** Bytes in the open part before compression. */
  get payload(): number {
    return this.#writer?.payload ?? 0;
  }

  /** Bytes of memory held. */
  get bufferedBytes(): number {
    return this.#writer?.bufferedBytes ?? 0;
  }

  /** The highest number used, or -1. */
  get highest(): number {
    return this.#number;
  }

  /**
   * Adds one row to the open part.
   *
   * @throws {CaptureWriteError} If the disk refuses, now or before.
   */
  add(row: NewCaptureRow): void {
    this.#guard(() => this.#open().add(row));
  }

  /**
   * Adds the rows of a batch to the open part.
   *
   * @returns Count of rows.
   * @throws {CaptureWriteError} If the disk refuses, now or before.
   * @throws {RangeError} If the bytes are no batch.
   */
  addPacked(batch: Uint8Array): number {
    return this.#guard(() => this.#open().addPacked(batch));
  }

  /**
   * Makes the open part whole and gives it its name.
   *
   * @returns The part; nothing where no row came since the last one.
   * @throws {CaptureWriteError} If the disk refuses, now or before.
   */
  seal(): SealedPart | undefined {
    return this.#guard(() => {
      const writer = this.#writer;
      if (writer === undefined) return undefined;
      const { dir } = this.#options;
      const file = partName(this.#stem, this.#number) + SEALED, path = join(dir, file);
      const written = writer.finish();
      try {
        if (this.#fs.exists(path)) throw new Error("there is a file of that name already");
        this.#fs.rename(writer.path, path);
        this.#fs.syncDir(dir);
      } catch (cause) {
        throw new CaptureWriteError(path, "seal", cause);
      }
      this.#writer = undefined;
      return { file, number: this.#number, ...written };
    });
  }

  /** Gives up the open part. */
  abandon(): void {
    this.#writer?.abandon();
    this.#writer = undefined;
  }

  #open(): CaptureWriter {
    if (this.#writer !== undefined) return this.#writer;
    const { dir } = this.#options, number = this.#number + 1;
    const path = join(dir, partName(this.#stem, number) + OPEN);
    try {
      noteNumber(this.#fs, dir, this.#stem, number);
    } catch (cause) {
      throw new CaptureWriteError(path, "create", cause);
    }
    this.#number = number;
    return this.#writer = new CaptureWriter(path, this.#options);
  }

  #guard<T>(work: () => T): T {
    if (this.#failed !== undefined) throw this.#failed.error;
    try {
      return work();
    } catch (error) {
      // A row that was refused by itself does no harm to the others.
      if (error instanceof CaptureWriteError || this.#writer?.failed) {
        this.#failed = { error };
        this.abandon();
      }
      throw error;
    }
  }
}

/**
 * Removes the parts that a killed run left unfinished: their rows are in no checkpoint and will be
 * fetched again. Only for the one process that holds the folder.
 *
 * @returns Names of the files removed.
 * @throws {CaptureWriteError} If the disk refuses.
 */
export function removeUnfinished(
  dir: string,
  prefix: string = DEFAULT_PREFIX,
  fs: WritingFs = diskFs,
): string[] {
  let names: string[];
  try {
    names = fs.list(dir).filter((name) => isPart(name, prefix, OPEN)).sort();
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return [];
    throw new CaptureWriteError(dir, "list", cause);
  }
  for (const name of names) {
    try {
      fs.remove(join(dir, name));
    } catch (cause) {
      throw new CaptureWriteError(join(dir, name), "remove", cause);
    }
  }
  return names;
}

/** Names of the whole parts under a prefix, however many writers wrote them, in order. */
export function listParts(
  dir: string,
  prefix: string = DEFAULT_PREFIX,
  fs: WritingFs = diskFs,
): string[] {
  return fs.list(dir).filter((name) => isPart(name, prefix, SEALED)).sort();
}
