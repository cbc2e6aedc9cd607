/**
 * What can go wrong with a schedule's inputs, one class a concept.
 *
 * @module
 */

/** A file of change rates cannot be read or kept. */
export class RatesError extends Error {
  /** Always `"RatesError"`. */
  override readonly name = "RatesError";
  /** Path of the file. */
  readonly path: string;

  /** Writes the message from the file and the reason. */
  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`Cannot read the change rates ${path}: ${reason}`, options);
    this.path = path;
  }
}

/** A snapshot cannot be compared. */
export class SnapshotError extends Error {
  /** Name of the class. */
  override readonly name: string = "SnapshotError";
}

/** Rows of a snapshot are not in the order that they were taken to be in. */
export class SnapshotOrderError extends SnapshotError {
  /** Always `"SnapshotOrderError"`. */
  override readonly name = "SnapshotOrderError";

  /** Writes the message from the snapshot and the key that comes too late. */
  constructor(which: string, key: string) {
    super(
      `Cannot compare the ${which} snapshot in one pass: its rows are not sorted by url_surtkey, ` +
        `${JSON.stringify(key)} comes too late. Sort it first with --way sort.`,
    );
  }
}
