/**
 * Names of the ways and dialects that a comparison can have.
 *
 * @module
 */

/** How two snapshots are compared. */
export const DIFF_WAYS = ["auto", "merge", "sort", "duckdb"] as const;

/**
 * `merge` takes sorted snapshots in one pass; `sort` sorts them on disk first; `duckdb` leaves it to the
 * program of that name; `auto` merges what is sorted, and else takes DuckDB where it is on the path.
 */
export type DiffWay = typeof DIFF_WAYS[number];

/** Whose SQL a statement is. */
export const SQL_DIALECTS = ["duckdb", "athena", "spark"] as const;

/** One of {@linkcode SQL_DIALECTS}. */
export type SqlDialect = typeof SQL_DIALECTS[number];
