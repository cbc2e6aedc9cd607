/**
 * What can go wrong with an index of documents.
 *
 * @module
 */

/** An index cannot be opened, written or asked. */
export class IndexError extends Error {
  /** Always `"IndexError"`. */
  override readonly name = "IndexError";
  /** What a program that ends with this error is to exit with: 75 where running it again may help. */
  readonly exitCode: 1 | 2 | 75;

  /**
   * Makes an error.
   *
   * @param message The whole message.
   * @param options The exit code, 1 where none is given, and the cause.
   */
  constructor(message: string, options: { exitCode?: 1 | 2 | 75; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? 1;
  }
}

/** What SQLite said, with the exit code that it stands for. */
export function indexError(doing: string, cause: unknown): IndexError {
  if (cause instanceof IndexError) return cause;
  const { message } = cause as Error;
  if (/disk is full|disk I\/O error|ENOSPC/i.test(message)) {
    const hint = "free some space and run the same command again: what was committed is kept";
    return new IndexError(`Cannot ${doing}: ${message}; ${hint}`, { exitCode: 75, cause });
  }
  if (/malformed|not a database/i.test(message)) {
    const hint = "delete the folder and build it again";
    return new IndexError(`Cannot ${doing}: ${message}; ${hint}`, { cause });
  }
  return new IndexError(`Cannot ${doing}: ${message}`, { cause });
}
