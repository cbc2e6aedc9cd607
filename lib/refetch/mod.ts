/**
 * Fetching the pages of WARC files again, live: a folder of captures for each file, with a ledger of what
 * is done.
 *
 * @module
 */

export type { Choice } from "./_list.ts";
export * from "./errors.ts";
export type { LedgerEntry } from "./ledger.ts";
export { refetch, type RefetchEvent, type RefetchOptions } from "./refetch.ts";
