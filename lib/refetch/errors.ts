/**
 * What keeps a refetch from going on.
 *
 * @module
 */

/** A shard cannot be refetched as it was asked for. */
export class RefetchError extends Error {
  /** Always `"RefetchError"`. */
  override readonly name = "RefetchError";
  /** What a program that ends with this error is to exit with: 2 where the options do not go together. */
  readonly exitCode: 1 | 2;

  /**
   * Makes an error.
   *
   * @param message The whole message.
   * @param options The exit code, 1 where none is given, and the cause.
   */
  constructor(message: string, options: { exitCode?: 1 | 2; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? 1;
  }
}
