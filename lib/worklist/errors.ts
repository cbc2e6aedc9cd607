/**
 * What can go wrong with a work list and its checkpoint, one class a concept.
 *
 * @module
 */

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

/** The hub did not give what was asked of it. */
export class HubError extends WorkListError {
  /** Name of the class. */
  override readonly name: string = "HubError";
  /** What was asked for, without its query. */
  readonly url: string;
  /** Status of the last answer; 0 when there was none. */
  readonly status: number;

  /** Keeps the address and status beside the message. `url` must carry no query. */
  constructor(message: string, url: string, status: number, options?: ErrorOptions) {
    super(message, options);
    this.url = url;
    this.status = status;
  }
}

/** The hub wants a credential, or another one: 401 or 403. */
export class HubAccessError extends HubError {
  /** Always `"HubAccessError"`. */
  override readonly name = "HubAccessError";
  /** What a program that ends with this error is to exit with: a credential is missing. */
  readonly exitCode = 4;
}

/** What was asked for is not there, though it is listed or was named: 404 or 410. */
export class HubMissingError extends HubError {
  /** Always `"HubMissingError"`. */
  override readonly name = "HubMissingError";
}

/** The hub went on answering 429 or 5xx for as long as it was asked again. */
export class HubBusyError extends HubError {
  /** Always `"HubBusyError"`. */
  override readonly name = "HubBusyError";
  /** What a program that ends with this error is to exit with: run it again later. */
  readonly exitCode = 75;
}

/** No whole answer came: no connection, a cut one, silence. */
export class HubNetworkError extends HubError {
  /** Always `"HubNetworkError"`. */
  override readonly name = "HubNetworkError";
  /** What a program that ends with this error is to exit with: the network did not carry the bytes. */
  readonly exitCode = 8;
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
