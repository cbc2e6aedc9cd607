/**
 * What can go wrong with parsing as a whole.
 *
 * @module
 */

/** There is nothing that can be read, or it cannot be told which records are wanted. */
export class ParseError extends Error {
  /** Always `"ParseError"`. */
  override readonly name = "ParseError";
  /** Path of the file; empty where it is not about one. */
  readonly file: string;

  /**
   * Keeps the path beside the message.
   *
   * @param message The whole message.
   * @param file Path of the file, or empty.
   * @param options The cause, where there is one.
   */
  constructor(message: string, file: string, options?: ErrorOptions) {
    super(message, options);
    this.file = file;
  }
}
