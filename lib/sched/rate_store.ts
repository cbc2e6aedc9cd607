/**
 * Change rates by host, on disk: lists of them are as long as the web has hosts.
 *
 * @module
 */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { RatesError } from "./errors.ts";
import type { HostRate } from "./rates_file.ts";

const CACHE_KB = 16_384;

/** A look-up of change rates that holds a bounded part of them in memory. */
export class RateStore implements Disposable {
  readonly #db: DatabaseSync;
  readonly #get: StatementSync;
  /** Hosts in it. */
  readonly hosts: number;

  private constructor(db: DatabaseSync) {
    this.#db = db;
    this.#get = db.prepare("SELECT rate FROM rates WHERE host = ?");
    this.hosts = (db.prepare("SELECT count(*) AS n FROM rates").get() as { n: number }).n;
  }

  /**
   * Takes a list in. It is put on disk as it comes and sorted there, so that the tree is written from
   * left to right however long the list is. Of a host's rates the last counts.
   *
   * @param name What messages call the list.
   * @throws {RatesError} If the list cannot be read, or the disk does not take it.
   */
  static async load(name: string, rates: AsyncIterable<HostRate>): Promise<RateStore> {
    // An empty name is a private temporary database (https://sqlite.org/inmemorydb.html).
    const db = new DatabaseSync("");
    try {
      db.exec(
        `PRAGMA journal_mode = OFF; PRAGMA cache_size = -${CACHE_KB}; PRAGMA temp_store = FILE;
         CREATE TABLE taken (host TEXT NOT NULL, rate REAL NOT NULL);
         CREATE TABLE rates (host TEXT PRIMARY KEY, rate REAL NOT NULL) WITHOUT ROWID;
         BEGIN`,
      );
      const take = db.prepare("INSERT INTO taken VALUES (?, ?)");
      for await (const { host, rate } of rates) take.run(host, rate);
      db.exec(
        `INSERT OR REPLACE INTO rates SELECT host, rate FROM taken ORDER BY host, rowid;
         DROP TABLE taken; COMMIT`,
      );
      return new RateStore(db);
    } catch (cause) {
      db.close();
      if ((cause as { code?: unknown }).code !== "ERR_SQLITE_ERROR") throw cause;
      throw new RatesError(
        name,
        `they cannot be put on disk: ${(cause as Error).message}. Is the folder for temporary ` +
          `files full? SQLITE_TMPDIR names another.`,
        { cause },
      );
    }
  }

  /** The measured rate of a host; `undefined` where none is known. */
  rateOf(host: string): number | undefined {
    return (this.#get.get(host) as { rate: number } | undefined)?.rate;
  }

  /** Closes and so removes it. */
  [Symbol.dispose](): void {
    this.#db.close();
  }
}
