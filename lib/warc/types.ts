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
  /** Address that answered, without brackets. */
  readonly ip: string;
  /** Exact request bytes sent. */
  readonly request: Uint8Array;
  /** HTTP status. */
  readonly status: number;
  /** Status line and header lines as served through the blank line; empty for HTTP/0.9. */
  readonly head: Uint8Array;
  /** Body with transfer coding removed, content coding kept. */
  readonly body: Uint8Array;
  /** Wire bytes of the answer, beginning with `head`; needed with `http: "raw"`. */
  readonly wire?: Uint8Array;
  /** Why the body is shorter than the server meant it to be (WARC-Truncated). */
  readonly truncated?: Truncation;
  /** MIME type for the CDXJ line, as sent (parameters dropped), or empty. */
  readonly mime: string;
  /**
   * An earlier record of the same page, where it is known and durable: what a 304 refers to, and an
   * answer with that very payload, where payloads are compared at all.
   */
  readonly refersTo?: RecordReference & {
    /** `sha1:` and base32 of the payload that has not changed. */
    readonly payloadDigest?: string;
  };
}

/** Where an exchange went. */
export interface WrittenExchange {
  /** Final name of the file (without `.open`), no folder. */
  readonly file: string;
  /** Byte offset and length of the response or revisit record's gzip member. */
  readonly offset: number;
  /** Bytes of that member. */
  readonly length: number;
  /** `revisit` for a 304 and for a payload that is stored already. */
  readonly type: "response" | "revisit";
  /** `urn:uuid:` and the UUID. */
  readonly recordId: string;
  /** WARC-Date of the record. */
  readonly date: string;
  /** `sha1:` and base32; empty for a 304 whose unchanged payload is not known. */
  readonly payloadDigest: string;
  /** The record that holds the payload: this one, or the one it refers to; absent where that is not known. */
  readonly payloadRecord?: RecordReference;
}

/** A record, as others refer to it. */
export interface RecordReference {
  /** `urn:uuid:` and the UUID. */
  readonly recordId: string;
  /** Its WARC-Target-URI. */
  readonly url: string;
  /** Its WARC-Date. */
  readonly date: string;
}

/** A record that is no part of an exchange. */
export interface OtherRecord {
  /** WARC-Type. */
  readonly type: "metadata" | "resource" | "conversion";
  /** WARC-Target-URI. */
  readonly url: string;
  /** Unix ms. */
  readonly date: number;
  /** Content-Type of the block. */
  readonly contentType: string;
  /** What the record holds. */
  readonly block: Uint8Array;
  /** Record that this one is about (WARC-Refers-To; for a resource WARC-Concurrent-To). */
  readonly about?: string;
}

/** Where a record went. */
export interface WrittenRecord {
  /** Final name of the file, without its folder. */
  readonly file: string;
  /** Byte offset of the record's gzip member. */
  readonly offset: number;
  /** Bytes of that member. */
  readonly length: number;
  /** `urn:uuid:` and the UUID. */
  readonly recordId: string;
}
