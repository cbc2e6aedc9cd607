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
