/** The pool cannot go on: its workers do not start or do not live. Says why. */
export class RenderPoolError extends Error {
  /** Tells this class of error from others, also across copies of the module. */
  override readonly name = "RenderPoolError";
}
