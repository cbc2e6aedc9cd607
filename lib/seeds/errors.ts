/**
 * What can go wrong with rank tables and releases, one class a concept.
 *
 * @module
 */

/** A rank table cannot be read. */
export class RankTableError extends Error {
  /** Name of the class. */
  override readonly name: string = "RankTableError";
  /** Path or URL of the table. */
  readonly table: string;

  /** Writes the message from the table and the reason. */
  constructor(table: string, reason: string, options?: ErrorOptions) {
    super(`Cannot read the rank table ${table}: ${reason}`, options);
    this.table = table;
  }
}

/** No release of the web graph can be found, or its name is none. */
export class ReleaseError extends Error {
  /** Always `"ReleaseError"`. */
  override readonly name = "ReleaseError";
}
