/**
 * Many rows in one statement: the call costs more than the row, so that sixty-four at once take a
 * quarter of the time.
 *
 * @module
 */

import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** Rows a statement takes: as many as possible, then the rest. */
const SIZES = [64, 8, 1] as const;

/** Collects rows of one table. What it holds is not in the table before {@linkcode BulkInsert.run}. */
export class BulkInsert {
  readonly #statements: readonly StatementSync[];
  readonly #columns: number;
  #values: SQLInputValue[] = [];

  /** `into` is the statement up to its values, as `insert into t`. */
  constructor(db: DatabaseSync, into: string, columns: number) {
    this.#columns = columns;
    const row = `(${Array(columns).fill("?").join(",")})`;
    this.#statements = SIZES.map((size) =>
      db.prepare(`${into} values${Array(size).fill(row).join(",")}`)
    );
  }

  /** Adds the values of a row, in the order of the columns. */
  add(...row: SQLInputValue[]): void {
    this.#values.push(...row);
  }

  /** Writes the rows. */
  run(): void {
    const values = this.#values;
    if (values.length === 0) return;
    this.#values = [];
    let at = 0;
    SIZES.forEach((size, which) => {
      const count = size * this.#columns;
      for (; values.length - at >= count; at += count) {
        this.#statements[which]!.run(...values.slice(at, at + count));
      }
    });
  }
}
