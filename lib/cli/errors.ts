/**
 * Exit codes and the errors that carry them.
 *
 * @module
 */

/** What the process says to its caller when it ends. See docs/exit-codes.md. */
export const ExitCode = {
  /** Done, a work list that had ended already too; also a run that was stopped by a signal. */
  done: 0,
  /** An error. */
  error: 1,
  /** Unknown command, option, format or a bad value. Nothing was written. */
  usage: 2,
  /** Ran and found nothing. */
  nothing: 3,
  /** A credential is missing; found out before any work. */
  credential: 4,
  /** The network did not carry the bytes. */
  network: 8,
  /** Temporary: run it again. */
  temporary: 75,
} as const;

/** The command line is wrong. Thrown before anything is read or written. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** A second line for the reader: the near miss, or where to look. */
  readonly hint: string | undefined;
  readonly exitCode: number = ExitCode.usage;

  constructor(message: string, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}

/** A command cannot go on, and knows the exit code that says why. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: number;
  readonly hint: string | undefined;

  constructor(message: string, exitCode: number, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

/** The reader of stdout has gone (`| head`). The command ends quietly, exit 0. */
export class PipeClosedError extends Error {
  override readonly name = "PipeClosedError";
  readonly exitCode: number = ExitCode.done;

  constructor(options?: ErrorOptions) {
    super("Cannot write to stdout: its reader has gone", options);
  }
}

/** `-n` records have been written. The command stops as at any stop, exit 0. */
export class LimitReachedError extends Error {
  override readonly name = "LimitReachedError";
  readonly exitCode: number = ExitCode.done;

  constructor(limit: number) {
    super(`Stopping after ${limit} ${limit === 1 ? "record" : "records"}, as --limit asked`);
  }
}

/** SIGINT or SIGTERM asked for a clean stop. */
export class StopRequestedError extends Error {
  override readonly name = "StopRequestedError";
  readonly exitCode: number = ExitCode.done;

  constructor(signal: string) {
    super(`Stopping: ${signal} was received`);
  }
}

/**
 * Errors of other rooms that mean something to the caller of the process, by class name: those rooms
 * know nothing of exit codes. Anything not listed, and without an `exitCode` of its own, is 1.
 */
const EXIT_CODE_BY_NAME: ReadonlyMap<string, number> = new Map([
  ["FetchError", ExitCode.network],
  ["ScopePatternError", ExitCode.usage],
]);

/** The exit code that `error` stands for: its own `exitCode`, then its class, then 1. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof Error)) return ExitCode.error;
  const own = (error as { exitCode?: unknown }).exitCode;
  if (typeof own === "number" && Number.isInteger(own) && own >= 0 && own <= 255) return own;
  // What we would not ask for did not fail on the network.
  if ((error as { kind?: unknown }).kind === "skip") return ExitCode.error;
  return EXIT_CODE_BY_NAME.get(error.name) ?? ExitCode.error;
}

/**
 * The lines that tell a person about `error`: one that says what failed, the hint where there is one,
 * and with `verbose` the stacks of the error and its causes.
 */
export function describeError(error: unknown, verbose: boolean): string[] {
  if (!(error instanceof Error)) return [`ccrawl: ${oneLine(String(error))}`];
  // A class we did not raise on purpose (TypeError, …) names itself, so that a report of it is of use.
  const known = (error as { exitCode?: unknown }).exitCode !== undefined ||
    EXIT_CODE_BY_NAME.has(error.name) || error.message.startsWith("Cannot ");
  const text = oneLine(error.message) || error.name;
  const lines = [known ? `ccrawl: ${text}` : `ccrawl: ${error.name}: ${text}`];
  const hint = (error as { hint?: unknown }).hint;
  if (typeof hint === "string" && hint !== "") lines.push(`  ${oneLine(hint)}`);
  // Where in our code a command line was refused is of no use to who wrote it.
  if (!verbose || error instanceof UsageError) return lines;
  let cause: unknown = error;
  for (let depth = 0; cause instanceof Error && depth < 8; depth++) {
    const stack = cause.stack ?? `${cause.name}: ${cause.message}`;
    lines.push(...(depth === 0 ? stack : `caused by: ${stack}`).split("\n"));
    cause = cause.cause;
  }
  return lines;
}

function oneLine(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.trim().replace(/[\x00-\x1f\x7f-\x9f]+/g, " ");
}
