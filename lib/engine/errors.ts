/**
 * Failures of a run as a whole (a page's failure is a `FetchError` and ends up in a record).
 *
 * @module
 */

/** Exit codes of the command line that the engine's errors map to. */
export type RunExitCode = 1 | 2 | 3 | 4 | 8 | 75;

/**
 * A run could not go on. What was durable stays so and the state can be resumed; `exitCode` says
 * whether running it again as it is may help (75) or not (1).
 */
export class RunError extends Error {
  /** Always `"RunError"`. */
  override readonly name = "RunError";
  /** What a program that ends with this error is to exit with. */
  readonly exitCode: RunExitCode;

  /** Made where a run cannot go on. `exitCode` is 1 where none is given. */
  constructor(message: string, options: { exitCode?: RunExitCode; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? 1;
  }
}

/** Whether `error`, or anything it was caused by, says that a disk is full or a quota used up. */
export function isDiskFull(error: unknown): boolean {
  for (let e = error, depth = 0; e !== undefined && e !== null && depth < 8; depth++) {
    const { code, message, cause } = e as { code?: unknown; message?: unknown; cause?: unknown };
    if (code === "ENOSPC" || code === "EDQUOT") return true;
    if (
      typeof message === "string" &&
      /ENOSPC|EDQUOT|No space left|os error 28|os error 122|database or disk is full/i.test(message)
    ) return true;
    e = cause;
  }
  return false;
}

/** The error with the exit code that it stands for: a full disk is a matter of room and time. */
export function asRunError(error: unknown): Error {
  if (!(error instanceof Error)) return new RunError(String(error));
  if (error instanceof RunError || !isDiskFull(error)) return error;
  let first = error; // that an earlier error ended something tells nobody what to do
  while (first.cause instanceof Error && first.cause.message.startsWith("Cannot ")) {
    first = first.cause;
  }
  const message = /free some space/.test(first.message)
    ? first.message
    : `${first.message.replace(/\.$/, "")}; free some space and run again`;
  return new RunError(message, { exitCode: 75, cause: error });
}

/** What could not be written, `doing` says how ("write x"), and why in words. */
export function cannotWrite(doing: string, cause: unknown): RunError {
  const full = isDiskFull(cause);
  const why = full ? "the disk is full; free some space and run again" : (cause as Error).message;
  return new RunError(`Cannot ${doing}: ${why}`, { exitCode: full ? 75 : 1, cause });
}
