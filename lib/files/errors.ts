/**
 * The errors of locks.
 *
 * @module
 */

/** A path cannot be locked, as when the lock file cannot be made; `cause` holds what stood behind it. */
export class LockError extends Error {
  /** Name of the class. */
  override readonly name: string = "LockError";
}

/** Another process holds the lock. */
export class StateLockedError extends LockError {
  /** Always `"StateLockedError"`. */
  override readonly name = "StateLockedError";
  /** What is locked. */
  readonly path: string;
  /** The holder's process id; undefined when the lock file does not say. */
  readonly pid: number | undefined;

  /** Writes the message from what is locked and by whom. */
  constructor(path: string, pid: number | undefined) {
    super(
      `Cannot use "${path}": ${pid === undefined ? "another process" : `process ${pid}`} ` +
        `is using it. Wait for it to end, or stop it.`,
    );
    this.path = path;
    this.pid = pid;
  }
}
