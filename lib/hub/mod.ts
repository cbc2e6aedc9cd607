/**
 * The dataset hub as a client meets it: requests that are sent again when it is busy, and errors that
 * say what a refusal means. {@linkcode hubOptions} finds the hub and the credential,
 * {@linkcode HubClient} asks.
 *
 * @module
 */

export * from "./client.ts";
export * from "./errors.ts";
export * from "./options.ts";
export { readReason, waitAsked } from "./refusal.ts";
export { Again, type RetryOptions } from "./retry.ts";
