/**
 * What a run over a work list keeps on disk, to go on from after any end.
 *
 * @module
 */

import { basename, dirname, resolve } from "node:path";
import { formatRanges, parseRanges, type RowRange } from "../capture/mod.ts";
import { diskFs, type FileLock, type FileSystem, lockFile, writeAll } from "../files/mod.ts";
import { suffixListHash } from "../url/mod.ts";
import { CheckpointError, CheckpointMismatchError, SuffixListError } from "./errors.ts";
import { checkRanges, normalRanges } from "./ranges.ts";
import type { ReadPosition } from "./types.ts";

/** Version of the format that is written; older ones are read, newer ones refused. */
export const CHECKPOINT_VERSION = 1;

/** What makes a run the one it is. */
export interface RunIdentity {
  /** What is read: {@linkcode WorkList.source}. */
  readonly source: string;
  /** The release of it. */
  readonly release: string;
  /** This machine's shard. */
  readonly shard: number;
  /** Number of shards. */
  readonly shards: number;
}

/** A run, as far as it is durable. */
export interface Checkpoint extends RunIdentity, ReadPosition {
  /** Id of the run, made when its state is: every part it writes names it. */
  readonly run: string;
  /** Name of the part that `part` counts to; empty at the end of the list. */
  readonly partName: string;
  /** At the end of the list the name of its last part; empty where it is not known. */
  readonly lastPart?: string;
  /** Rows before `part` and `row` that are not durable. */
  readonly pending: readonly RowRange[];
  /** Names of sealed parts, those that were published and deleted left out. */
  readonly sealed: readonly string[];
  /** Highest number that a part ever had; -1 before the first. */
  readonly highestPart: number;
  /** Whether the list has been worked off. */
  readonly done: boolean;
  /** Pages fetched, over all runs. */
  readonly fetched: number;
  /** Rows retired, over all runs. */
  readonly rows: number;
  /** Public suffix list that decided what was this shard's. */
  readonly suffixList: string;
}

/** Options of {@linkcode CheckpointFile.open}. */
export interface OpenCheckpointOptions {
  /** Goes on although the public suffix list is another. @default false */
  readonly acceptSuffixList?: boolean;
  /** Hash of the public suffix list in use. @default {@linkcode suffixListHash} */
  readonly suffixList?: string;
  /** File operations. @default the real ones */
  readonly fs?: FileSystem;
}

const MAX_BYTES = 256 << 20;

/**
 * The checkpoint of a run, locked for as long as it is open. It is written beside its name, synced,
 * renamed and the folder synced, so that after any end one whole checkpoint is there: the last that
 * {@linkcode save} returned from, or the one it was writing.
 */
export class CheckpointFile implements Disposable {
  /** Path of the file. */
  readonly path: string;
  readonly #fs: FileSystem;
  readonly #lock: FileLock;
  #state: Checkpoint;
  #fresh: boolean;

  private constructor(
    path: string,
    fs: FileSystem,
    lock: FileLock,
    state: Checkpoint,
    fresh: boolean,
  ) {
    this.path = path;
    this.#fs = fs;
    this.#lock = lock;
    this.#state = state;
    this.#fresh = fresh;
  }

  /**
   * Opens the state of a run at `path`, or begins one there. Nothing is written until the first
   * {@linkcode save} but the lock.
   *
   * @throws {StateLockedError} If another process has it open.
   * @throws {CheckpointMismatchError} If it is of another source, release, shard or number of shards.
   * @throws {SuffixListError} If it was made under another public suffix list.
   * @throws {CheckpointError} If it is damaged, was written by a newer version, or cannot be read.
   */
  static open(
    path: string,
    identity: RunIdentity,
    options: OpenCheckpointOptions = {},
  ): CheckpointFile {
    const fs = options.fs ?? diskFs;
    const full = resolve(path);
    const suffixList = options.suffixList ?? suffixListHash();
    attempt(full, "make the folder of", () => fs.makeDir(dirname(full)));
    const lock = lockFile(full);
    try {
      const stored = load(full, fs);
      if (stored === undefined) {
        const { source, release, shard, shards } = identity;
        const state: Checkpoint = {
          source,
          release,
          shard,
          shards,
          run: crypto.randomUUID(),
          part: 0,
          partName: "",
          row: 0,
          pending: [],
          sealed: [],
          highestPart: -1,
          done: false,
          fetched: 0,
          rows: 0,
          suffixList,
        };
        return new CheckpointFile(full, fs, lock, state, true);
      }
      for (const key of ["source", "release", "shard", "shards"] as const) {
        if (stored[key] !== identity[key]) {
          throw new CheckpointMismatchError(full, key, quoted(stored[key]), quoted(identity[key]));
        }
      }
      if (stored.suffixList !== suffixList && options.acceptSuffixList !== true) {
        throw new SuffixListError(full, stored.suffixList, suffixList);
      }
      return new CheckpointFile(full, fs, lock, { ...stored, suffixList }, false);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** What was saved last, or what a new run begins with. */
  get state(): Checkpoint {
    return this.#state;
  }

  /** Whether the run begins with this: nothing has been saved. */
  get fresh(): boolean {
    return this.#fresh;
  }

  /**
   * Replaces what differs from what was saved last, durably when it returns.
   *
   * @throws {CheckpointError} If it cannot be written: what was saved last is still there.
   */
  save(change: Partial<Omit<Checkpoint, keyof RunIdentity | "run" | "suffixList">>): void {
    const state = { ...this.#state, ...change };
    const bytes = new TextEncoder().encode(format(state));
    const fs = this.#fs;
    const temporary = `${this.path}.tmp`;
    attempt(this.path, "write", () => {
      if (fs.exists(temporary)) fs.remove(temporary);
      const fd = fs.create(temporary);
      try {
        writeAll(fs, fd, bytes, 0);
        fs.sync(fd);
      } finally {
        fs.close(fd);
      }
      fs.rename(temporary, this.path);
      fs.syncDir(dirname(this.path));
    });
    this.#state = state;
    this.#fresh = false;
  }

  /** Gives the lock back. Nothing is saved. */
  [Symbol.dispose](): void {
    this.#lock.release();
  }
}

/**
 * Reads a checkpoint without locking it, as status and publisher do beside a run.
 *
 * @returns `undefined` when there is none.
 * @throws {CheckpointError} If it is damaged, was written by a newer version, or cannot be read.
 */
export function readCheckpoint(
  path: string,
  options: { readonly fs?: FileSystem } = {},
): Checkpoint | undefined {
  return load(resolve(path), options.fs ?? diskFs);
}

function load(path: string, fs: FileSystem): Checkpoint | undefined {
  if (!fs.exists(path)) return undefined;
  const bytes = attempt(path, "read", () => {
    const fd = fs.open(path);
    try {
      const size = fs.size(fd);
      if (size > MAX_BYTES) throw new RangeError(`it is longer than ${MAX_BYTES} bytes`);
      const into = new Uint8Array(size);
      for (let at = 0; at < size;) {
        const count = fs.read(fd, into.subarray(at), at);
        if (count === 0) throw new RangeError("it has become shorter");
        at += count;
      }
      return into;
    } finally {
      fs.close(fd);
    }
  });
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw damaged(path, "it is no JSON", cause);
  }
  return check(path, json);
}

function format(state: Checkpoint): string {
  const { pending, ...rest } = state;
  return JSON.stringify(
    { version: CHECKPOINT_VERSION, ...rest, pending: formatRanges(normalRanges(pending)) },
    null,
    1,
  ) +
    "\n";
}

function check(path: string, json: unknown): Checkpoint {
  if (typeof json !== "object" || json === null) throw damaged(path, "it is no object");
  const fields = json as Record<string, unknown>;
  const version = fields["version"];
  if (typeof version !== "number" || !Number.isInteger(version) || version < 1) {
    throw damaged(path, "it is no checkpoint of a work list");
  }
  if (version > CHECKPOINT_VERSION) {
    throw new CheckpointError(
      path,
      `Cannot continue the state "${path}": it was written by a newer version of this program ` +
        `(format ${version}, this one reads up to ${CHECKPOINT_VERSION}). Use that version.`,
    );
  }
  const text = (key: string): string => {
    const value = fields[key];
    if (typeof value !== "string") throw damaged(path, `its ${key} is no text`);
    return value;
  };
  const count = (key: string, least = 0): number => {
    const value = fields[key];
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least) {
      throw damaged(path, `its ${key} is no count`);
    }
    return value;
  };
  const { sealed, done } = fields;
  if (
    !Array.isArray(sealed) ||
    !sealed.every((name) => typeof name === "string" && name === basename(name))
  ) {
    throw damaged(path, "its sealed parts are no list of names");
  }
  if (typeof done !== "boolean") throw damaged(path, "it does not say whether it is done");
  let pending: RowRange[];
  try {
    pending = [...parseRanges(text("pending"))];
    checkRanges(pending);
  } catch (cause) {
    if (cause instanceof CheckpointError) throw cause;
    throw damaged(path, "its pending rows cannot be read", cause);
  }
  return {
    source: text("source"),
    release: text("release"),
    shard: count("shard"),
    shards: count("shards", 1),
    run: text("run"),
    part: count("part"),
    partName: text("partName"),
    ...(fields["lastPart"] === undefined ? {} : { lastPart: text("lastPart") }),
    row: count("row"),
    pending,
    sealed,
    highestPart: count("highestPart", -1),
    done,
    fetched: count("fetched"),
    rows: count("rows"),
    suffixList: text("suffixList"),
  };
}

function damaged(path: string, why: string, cause?: unknown): CheckpointError {
  return new CheckpointError(
    path,
    `Cannot continue the state "${path}": ${why}. Restore it from a copy, or begin a new state.`,
    cause === undefined ? undefined : { cause },
  );
}

function attempt<T>(path: string, doing: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    const code = (cause as { code?: unknown } | null)?.code;
    const why = code === "ENOSPC" || code === "EDQUOT"
      ? "the disk is full; free some space and run again"
      : cause instanceof Error
      ? cause.message
      : String(cause);
    throw new CheckpointError(path, `Cannot ${doing} the state "${path}": ${why}`, { cause });
  }
}

function quoted(value: string | number): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}
