/**
 * A temporary database for what a check must remember and memory should not hold.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";

/** A database that lies in memory while it is small, and in an unnamed file beyond. */
export class ScratchDb {
  readonly #db: DatabaseSync;
  #pending = 0;

  /** @param schema Statements that make the tables. */
  constructor(schema: string) {
    // An empty name is a private temporary database (https://sqlite.org/inmemorydb.html).
    this.#db = new DatabaseSync("");
    this.#db.exec("PRAGMA journal_mode = OFF; PRAGMA cache_size = -16384;" + schema);
    this.#db.exec("BEGIN");
  }

  /** Runs a statement without parameters. */
  run(sql: string): void {
    this.#db.exec(sql);
  }

  /** A statement that changes rows; changes are committed by the thousand. */
  changer(sql: string): (...values: (string | number)[]) => void {
    const statement = this.#db.prepare(sql);
    return (...values) => {
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

  /** Closes and so removes the database. */
  [Symbol.dispose](): void {
    this.#db.close();
  }
}
