/**
 * What can go wrong with a work list and its checkpoint, one class a concept.
 *
 * @module
 */

export {
  HubAccessError,
  HubBusyError,
  HubError,
  HubMissingError,
  HubNetworkError,
} from "../hub/mod.ts";

/** A work list cannot be read. */
export class WorkListError extends Error {
  /** Name of the class. */
  override readonly name: string = "WorkListError";
}

/** A part is damaged, or of a shape that cannot be a work list. */
export class PartFormatError extends WorkListError {
  /** Always `"PartFormatError"`. */
  override readonly name = "PartFormatError";
  /** Name of the part. */
  readonly part: string;

  /** Writes the message from the part and the reason. */
  constructor(part: string, reason: string, options?: ErrorOptions) {
    super(`Cannot read the work list part "${part}": ${reason}`, options);
    this.part = part;
  }
}

/** A checkpoint cannot be read or written. */
export class CheckpointError extends Error {
  /** Name of the class. */
  override readonly name: string = "CheckpointError";
  /** Path of the checkpoint. */
  readonly path: string;

  /** Keeps the path beside the message. */
  constructor(path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.path = path;
  }
}

/** The checkpoint is of another run: a value that must stay the same differs. */
export class CheckpointMismatchError extends CheckpointError {
  /** Always `"CheckpointMismatchError"`. */
  override readonly name = "CheckpointMismatchError";
  /** Which value differs. */
  readonly key: string;
  /** What the checkpoint holds. */
  readonly stored: string;
  /** What was asked for now. */
  readonly given: string;

  /** Writes the message from what differs. */
  constructor(path: string, key: string, stored: string, given: string) {
    super(
      path,
      `Cannot continue the state "${path}": its ${key} is ${stored}, this run's is ${given}. ` +
        `Run it with the same ${key}, or begin a new state.`,
    );
    this.key = key;
    this.stored = stored;
    this.given = given;
  }
}

/** The checkpoint was made under another public suffix list, which puts domains into other shards. */
export class SuffixListError extends CheckpointError {
  /** Always `"SuffixListError"`. */
  override readonly name = "SuffixListError";
  /** Hash that the checkpoint holds. */
  readonly stored: string;
  /** Hash of the list in use. */
  readonly given: string;

  /** Writes the message from both hashes. */
  constructor(path: string, stored: string, given: string) {
    super(
      path,
      `Cannot continue the state "${path}": it was made under the public suffix list ` +
        `${stored.slice(0, 12)}, this program has ${
          given.slice(0, 12)
        }, which puts some domains into ` +
        `other shards. Use the program it was begun with, or accept that a few domains are fetched ` +
        `twice or not at all with --accept-suffix-list.`,
    );
    this.stored = stored;
    this.given = given;
  }
}
