/**
 * Fetching the pages of WARC files again, live: `refetch.ts` is what does it, on the recrawl of the
 * engine; this is what it tells.
 *
 * @module
 */

export * from "./errors.ts";
export type { LedgerEntry } from "./ledger.ts";
