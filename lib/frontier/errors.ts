/**
 * The errors of the frontier, one class a concept.
 *
 * @module
 */

/** A verb of the frontier could not be carried out; `cause` holds what stood behind it. */
export class FrontierError extends Error {
  /** Name of the class. */
  override readonly name: string = "FrontierError";
}

/** The file is no crawl state, is damaged, or was written by a newer version. */
export class FrontierStateError extends FrontierError {
  /** Always `"FrontierStateError"`. */
  override readonly name = "FrontierStateError";
  /** Path of the state. */
  readonly path: string;

  /** Names the state beside the message. */
  constructor(path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.path = path;
  }
}

/** The state belongs to another crawl: a value that must stay the same differs. */
export class FrontierIdentityError extends FrontierError {
  /** Always `"FrontierIdentityError"`. */
  override readonly name = "FrontierIdentityError";
  /** Which value differs. */
  readonly key: string;
  /** What the state holds. */
  readonly stored: string;
  /** What was asked for now. */
  readonly given: string;

  /** Writes the message from what differs. */
  constructor(path: string, key: string, stored: string, given: string) {
    super(
      `Cannot continue the state "${path}": its ${key} is "${stored}", this run's is "${given}". ` +
        `Run it with the same ${key}, or start a new state.`,
    );
    this.key = key;
    this.stored = stored;
    this.given = given;
  }
}

/** How an error crosses from the Worker to the caller. */
export interface WireError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly fields: Readonly<Record<string, string | undefined>>;
  readonly cause?: WireError;
}

/** Flattens an error for `postMessage`, causes included (at most eight deep). */
export function packError(error: unknown, depth = 0): WireError {
  if (!(error instanceof Error)) {
    return { name: "Error", message: String(error), fields: {} };
  }
  return {
    name: error.name,
    message: error.message,
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    fields: error instanceof FrontierIdentityError
      ? { key: error.key, stored: error.stored, given: error.given }
      : error instanceof FrontierStateError
      ? { path: error.path }
      : {},
    ...(error.cause === undefined || depth > 8 ? {} : { cause: packError(error.cause, depth + 1) }),
  };
}

/** The typed error that {@linkcode packError} flattened; an unknown kind becomes a {@linkcode FrontierError}. */
export function unpackError(wire: WireError, path: string): FrontierError {
  const cause = wire.cause === undefined ? undefined : unpackCause(wire.cause);
  const options: ErrorOptions = cause === undefined ? {} : { cause };
  switch (wire.name) {
    case "FrontierIdentityError":
      return new FrontierIdentityError(
        path,
        wire.fields.key ?? "",
        wire.fields.stored ?? "",
        wire.fields.given ?? "",
      );
    case "FrontierStateError":
      return new FrontierStateError(wire.fields.path ?? path, wire.message, options);
    case "FrontierError":
      return new FrontierError(wire.message, options);
    default:
      return new FrontierError(`Cannot use the frontier "${path}": ${wire.message}`, {
        cause: unpackCause(wire),
      });
  }
}

function unpackCause(wire: WireError): Error {
  const error = new Error(
    wire.message,
    wire.cause === undefined ? {} : { cause: unpackCause(wire.cause) },
  );
  error.name = wire.name;
  if (wire.stack !== undefined) error.stack = wire.stack;
  return error;
}
