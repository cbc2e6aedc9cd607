/**
 * What was done of each shard, and which pages are known from others.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type FileLock, lockFile, StateLockedError } from "../files/mod.ts";
import { RefetchError } from "./errors.ts";

/** A shard's line of the ledger. */
export interface LedgerEntry {
  /** Its file's name without `.warc.gz`. */
  readonly shard: string;
  /** URLs that are fetched. */
  readonly urls: number;
  /** Pages of it that are not, since they are known already. */
  readonly left_out: number;
  /** URLs that have a row in a finished file. */
  readonly rows: number;
  /** Of them, those that were answered. */
  readonly fetched: number;
  /** And those that were not. */
  readonly failed: number;
  /** Files written, those that are gone left out. */
  readonly files: number;
  /** Their bytes. */
  readonly bytes: number;
  /** Whether all of it was done. */
  readonly done: boolean;
  /** When it was begun, RFC 3339. */
  readonly started: string;
  /** When it was done, or empty. */
  readonly finished: string;
}

const COLUMNS: readonly (keyof LedgerEntry)[] = [
  "shard",
  "urls",
  "left_out",
  "rows",
  "fetched",
  "failed",
  "files",
  "bytes",
  "done",
  "started",
  "finished",
];
const VERSION = 1;
const SCHEMA = `
  CREATE TABLE shard(
    id INTEGER PRIMARY KEY, shard TEXT UNIQUE NOT NULL, choice TEXT NOT NULL, urls INTEGER, left_out INTEGER,
    rows INTEGER, fetched INTEGER, failed INTEGER, files INTEGER, bytes INTEGER, done INTEGER,
    started TEXT, finished TEXT
  );
  CREATE TABLE seen(hash BLOB PRIMARY KEY, shard INTEGER NOT NULL) WITHOUT ROWID;
  PRAGMA user_version = ${VERSION};
`;

/** The ledger of a folder: `refetch.db`, and `ledger.csv` for people and other programs. */
export class Ledger implements Disposable {
  readonly #dir: string;
  readonly #lock: FileLock;
  readonly #db: DatabaseSync;

  /**
   * Opens the ledger of a folder, and makes it where it is missing.
   *
   * @throws {StateLockedError} When another process refetches into the folder.
   * @throws {RefetchError} When it cannot be written, or a newer ccrawl wrote it.
   */
  constructor(dir: string) {
    this.#dir = dir;
    const path = join(dir, "refetch.db");
    try {
      mkdirSync(dir, { recursive: true });
      this.#lock = lockFile(path);
    } catch (cause) {
      if (cause instanceof StateLockedError) throw new StateLockedError(dir, cause.pid);
      throw new RefetchError(`Cannot write into ${dir}: ${(cause as Error).message}`, { cause });
    }
    try {
      this.#db = new DatabaseSync(path);
      this.#db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      const version = Number(this.#db.prepare("PRAGMA user_version").get()!.user_version);
      if (version > VERSION) throw new Error(`it has version ${version}; use a newer ccrawl`);
      if (version === 0) this.#db.exec(`BEGIN; ${SCHEMA} COMMIT`);
    } catch (cause) {
      this.#lock.release();
      throw new RefetchError(`Cannot use ${path}: ${(cause as Error).message}`, { cause });
    }
  }

  /** What is known of a shard. */
  entry(shard: string): LedgerEntry | undefined {
    const row = this.#db.prepare(`SELECT ${COLUMNS.join(", ")} FROM shard WHERE shard = ?`)
      .get(shard) as Omit<LedgerEntry, "done"> & { done: number } | undefined;
    return row === undefined ? undefined : { ...row, done: row.done !== 0 };
  }

  /**
   * Begins a shard, or goes on with it.
   *
   * @param choice What decides which of its pages are fetched, in words.
   * @throws {RefetchError} When it was begun with another choice.
   */
  begin(shard: string, choice: string): void {
    const known = this.#db.prepare("SELECT choice FROM shard WHERE shard = ?").get(shard) as
      | { choice: string }
      | undefined;
    if (known === undefined) {
      this.#db.prepare(
        "INSERT INTO shard VALUES(NULL, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0, ?, '')",
      ).run(shard, choice, new Date().toISOString());
    } else if (known.choice !== choice) {
      throw new RefetchError(
        `Cannot go on with ${shard}: it was begun ${known.choice}, and is now to be done ${choice}; ` +
          "give the same options, or another --out",
        { exitCode: 2 },
      );
    }
  }

  /**
   * Takes the choice of a shard's pages down: `choose` is given a function that says of a page's URL, or
   * of its payload, whether it is new, and returns how many pages it took and left. All of it is kept, or
   * nothing.
   */
  async choose(
    shard: string,
    choose: (isNew: (what: string) => boolean) => Promise<{ urls: number; leftOut: number }>,
  ): Promise<void> {
    const { id } = this.#db.prepare("SELECT id FROM shard WHERE shard = ?").get(shard) as {
      id: number;
    };
    this.#db.exec("BEGIN");
    try {
      // A kill may have come before the list was there.
      this.#db.prepare("DELETE FROM seen WHERE shard = ?").run(id);
      const add = this.#db.prepare("INSERT OR IGNORE INTO seen VALUES(?, ?)");
      const { urls, leftOut } = await choose((what) => {
        const hash = createHash("sha256").update(what).digest().subarray(0, 16);
        return Number(add.run(hash, id).changes) > 0;
      });
      this.#db.prepare("UPDATE shard SET urls = ?, left_out = ? WHERE id = ?").run(
        urls,
        leftOut,
        id,
      );
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  /** Keeps how far a shard is. */
  update(
    shard: string,
    to: Pick<LedgerEntry, "rows" | "fetched" | "files" | "bytes" | "done">,
  ): LedgerEntry {
    const { rows, fetched, files, bytes, done } = to;
    this.#db.prepare(
      "UPDATE shard SET rows = ?, fetched = ?, failed = ?, files = ?, bytes = ?, done = ?, finished = ? " +
        "WHERE shard = ?",
    ).run(
      rows,
      fetched,
      rows - fetched,
      files,
      bytes,
      done ? 1 : 0,
      done ? new Date().toISOString() : "",
      shard,
    );
    this.#export();
    return this.entry(shard)!;
  }

  /** Writes the ledger for people, in place of the last. */
  #export(): void {
    const path = join(this.#dir, "ledger.csv");
    const lines = [COLUMNS.join(",")];
    // A row is short, and a monthly crawl has a hundred thousand shards.
    const all = this.#db.prepare(`SELECT ${COLUMNS.join(", ")} FROM shard ORDER BY shard`).all();
    for (const row of all) {
      lines.push(
        COLUMNS.map((name) => name === "done" ? String(row.done !== 0) : row[name]).join(","),
      );
    }
    writeFileSync(`${path}.tmp`, lines.join("\n") + "\n", { flush: true });
    renameSync(`${path}.tmp`, path);
  }

  /** Closes it. */
  [Symbol.dispose](): void {
    this.#db.close();
    this.#lock.release();
  }
}
