/**
 * What the WARC writer is given and gives back.
 *
 * @module
 */

import type { Truncation } from "../net/types.ts";

/** One exchange to archive. */
export interface ArchivedExchange {
  /** Absolute URL asked for, as it goes into WARC-Target-URI. */
  readonly url: string;
  /** Unix ms when the request went out. */
  readonly date: number;
  readonly ip: string;
  /** Exact request bytes sent. */
  readonly request: Uint8Array;
  readonly status: number;
  /** Status line and header lines as served through the blank line; empty for HTTP/0.9. */
  readonly head: Uint8Array;
  /** Body with transfer coding removed, content coding kept. */
  readonly body: Uint8Array;
  /** Wire bytes of the answer; needed with `http: "raw"`. */
  readonly wire?: Uint8Array;
  readonly truncated?: Truncation;
  /** MIME type for the CDXJ line, as sent (parameters dropped), or empty. */
  readonly mime: string;
  /** For a 304: the earlier record it refers to, where it is known and durable. */
  readonly refersTo?: { readonly recordId: string; readonly url: string; readonly date: string };
}

/** Where an exchange went. */
export interface WrittenExchange {
  /** Final name of the file (without `.open`), no folder. */
  readonly file: string;
  /** Byte offset and length of the response or revisit record's gzip member. */
  readonly offset: number;
  readonly length: number;
  readonly type: "response" | "revisit";
  readonly recordId: string;
  /** `sha1:` and base32. */
  readonly payloadDigest: string;
}
