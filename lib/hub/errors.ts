/**
 * What can go wrong with the hub, one class a concept.
 *
 * @module
 */

/** The hub did not do what was asked of it. */
export class HubError extends Error {
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

/** What was set for the hub's address is none. */
export class HubAddressError extends HubError {
  /** Always `"HubAddressError"`. */
  override readonly name = "HubAddressError";
  /** What a program that ends with this error is to exit with: a setting is wrong. */
  readonly exitCode = 2;
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

/** What was to be changed has been changed by someone else meanwhile: 409 or 412. */
export class HubConflictError extends HubError {
  /** Always `"HubConflictError"`. */
  override readonly name = "HubConflictError";
}

/** The account or the organization has no storage left. */
export class HubQuotaError extends HubError {
  /** Always `"HubQuotaError"`. */
  override readonly name = "HubQuotaError";
  /** What a program that ends with this error is to exit with: run it again later. */
  readonly exitCode = 75;
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
