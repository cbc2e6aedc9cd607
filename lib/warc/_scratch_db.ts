/**
 * A temporary database for what a check must remember and memory should not hold.
 *
 * @module
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** A database in a temporary folder; gone when disposed of. */
export class ScratchDb {
  readonly #dir: string;
  readonly #db: DatabaseSync;
  #pending = 0;

  /** @param schema Statements that make the tables. */
  constructor(schema: string) {
    this.#dir = mkdtempSync(join(tmpdir(), "warc-check-"));
    this.#db = new DatabaseSync(join(this.#dir, "scratch.db"));
    this.#db.exec(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384;" + schema,
    );
    this.#db.exec("BEGIN");
  }

  /** Runs a statement without parameters. */
  run(sql: string): void {
    this.#db.exec(sql);
  }

  /** A statement that adds a row; rows are committed by the thousand. */
  adder(sql: string): (...values: (string | number | Uint8Array)[]) => void {
    const statement = this.#db.prepare(sql);
    return (...values) => {
      // Named parameters are what a first argument that is an object would mean: none is.
      statement.run(...values);
      if (++this.#pending >= 10_000) {
        this.#db.exec("COMMIT; BEGIN");
        this.#pending = 0;
      }
    };
  }

  /** A query for one row. */
  getter<Row>(sql: string): (...values: (string | number)[]) => Row | undefined {
    const statement = this.#db.prepare(sql);
    return (...values) => statement.get(...values) as Row | undefined;
  }

  /** Rows by ascending `key`, page by page; the query ends with `> ? ORDER BY … LIMIT 1000`. */
  *rows<Row extends { key: number }>(sql: string): Generator<Row, void, unknown> {
    const statement = this.#db.prepare(sql);
    for (let after = -1;;) {
      const rows = statement.all(after) as unknown as Row[];
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.key;
    }
  }

  /** Closes and removes the database. */
  [Symbol.dispose](): void {
    this.#db.close();
    rmSync(this.#dir, { recursive: true });
  }
}
