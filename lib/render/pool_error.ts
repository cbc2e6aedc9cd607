/** The pool cannot go on: its workers do not start or do not live. Says why. */
export class RenderPoolError extends Error {
  /** Tells this class of error from others, also across copies of the module. */
  override readonly name = "RenderPoolError";
  /** Whether a new process may get further: what broke this one's threads is remembered. */
  readonly restart: boolean;

  /** Made where a pool cannot go on. `restart` is false where it is not given. */
  constructor(message: string, options: { restart?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.restart = options.restart ?? false;
  }
}
