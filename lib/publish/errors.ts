/**
 * What can go wrong with publishing beside the hub, one class a concept.
 *
 * @module
 */

/** Parts cannot be published. They stay where they are. */
export class PublishError extends Error {
  /** Name of the class. */
  override readonly name: string = "PublishError";
}

/** What was asked for and what the run's state says do not go together. */
export class PublishMismatchError extends PublishError {
  /** Always `"PublishMismatchError"`. */
  override readonly name = "PublishMismatchError";
}

/** A ledger is none, or is damaged. */
export class LedgerError extends PublishError {
  /** Always `"LedgerError"`. */
  override readonly name = "LedgerError";
}

/** A part is not what it was, or is not what the hub has under its name. */
export class PartChangedError extends PublishError {
  /** Always `"PartChangedError"`. */
  override readonly name = "PartChangedError";
}

/** No token was given, or one that cannot be one. */
export class TokenMissingError extends PublishError {
  /** Always `"TokenMissingError"`. */
  override readonly name = "TokenMissingError";
  /** What a program that ends with this error is to exit with: a credential is missing. */
  readonly exitCode = 4;

  /** Writes the message. */
  constructor(repo: string) {
    super(
      `Cannot publish to ${repo}: HF_TOKEN is not set. Set it to a token that may write to that repo.`,
    );
  }
}
