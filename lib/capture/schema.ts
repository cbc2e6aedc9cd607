/**
 * The columns of a capture file: their order, types, and what each value is evidence of.
 *
 * @module
 */

/** Why a fetch gave no answer; empty where it did. */
export type CaptureErrorClass = "" | "dns" | "timeout" | "refused" | "tls" | "skip" | "other";

/** One attempt to fetch one URL, as read back. Property names are the column names. */
export interface CaptureRow {
  /** URL that was asked for. */
  readonly url: string;
  /** Its host name. */
  readonly host: string;
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** Unix milliseconds. */
  readonly fetched_at: number;
  /** Content-Type as served. */
  readonly content_type: string;
  /** Bytes of `body` as it is stored. */
  readonly body_length: number;
  /** Base32 SHA-1 of the body with its content coding undone. */
  readonly digest: string;
  /** Whether the answer was 304 Not Modified. */
  readonly unchanged: boolean;
  /** ETag as served. */
  readonly etag: string;
  /** Last-Modified as served. */
  readonly last_modified: string;
  /** WARC file that holds the answer. */
  readonly warc_file: string;
  /** Byte offset of the record in it. */
  readonly warc_offset: number;
  /** Bytes of the record. */
  readonly warc_length: number;
  /** Class of the failure. */
  readonly error: CaptureErrorClass;
  /** A JSON object of whatever else there is to say. */
  readonly meta_json: string;
  /** The page's content as Markdown. */
  readonly markdown: string;
  /** Bytes of `markdown` in UTF-8. */
  readonly markdown_length: number;
  /** Milliseconds from the request to the first byte. */
  readonly ttfb_ms: number;
  /** Milliseconds of the whole fetch. */
  readonly fetch_duration_ms: number;
  /** Where redirects led; empty where there were none. */
  readonly final_url: string;
  /** Address that was connected to. */
  readonly ip_address: string;
  /** Header fields of the answer, as a JSON object. */
  readonly resp_headers: string;
  /** Header fields of the request, as a JSON object. */
  readonly req_headers: string;
  /** The body as served. */
  readonly body: Uint8Array;
  /** Text of the first `<title>`. */
  readonly title: string;
  /** The page's content as plain text. */
  readonly text: string;
  /** Bytes of `text` in UTF-8. */
  readonly text_length: number;
  /** Words of `text`. */
  readonly word_count: number;
  /** ISO 639-3 code, or empty. */
  readonly language: string;
  /** 0 to 1. */
  readonly language_confidence: number;
  /** 64 bits, unsigned; 0n where nothing was rendered. */
  readonly simhash: bigint;
  /** `name@version` of what rendered the page; empty where nothing did. */
  readonly extractor: string;
}

/** Name of a column. */
export type CaptureColumnName = keyof CaptureRow;

/** How a column is stored. */
export type CaptureColumnType =
  | "string"
  | "bytes"
  | "int32"
  | "int64"
  | "uint64"
  | "double"
  | "boolean";

/**
 * Where a value comes from: the site's own answer, this program's opinion over the bytes, our clock
 * on our network, or what was sent.
 */
export type Provenance = "served" | "computed" | "measured" | "asked";

/** One column of the schema. */
export interface CaptureColumn {
  /** Its name. */
  readonly name: CaptureColumnName;
  /** How it is stored; every column is REQUIRED. */
  readonly type: CaptureColumnType;
  /** What its value is evidence of. */
  readonly from: Provenance;
  /** What it holds, for people. */
  readonly about: string;
}

/** All columns, in their order. New ones are appended, so that older readers go on working. */
export const CAPTURE_COLUMNS: readonly CaptureColumn[] = [
  column("url", "string", "asked", "the URL asked for, as the work list has it"),
  column("host", "string", "computed", "host name of that URL"),
  column("status", "int32", "served", "HTTP status, 0 where there was no answer"),
  column("fetched_at", "int64", "measured", "when the request went out, unix milliseconds"),
  column("content_type", "string", "served", "the Content-Type field"),
  column("body_length", "int64", "computed", "bytes of `body` as it is stored"),
  column(
    "digest",
    "string",
    "computed",
    "base32 SHA-1 of the body with its content coding undone (as it is, where that fails); on an unchanged row that of the body it refers to",
  ),
  column("unchanged", "boolean", "served", "whether the server answered 304 Not Modified"),
  column(
    "etag",
    "string",
    "served",
    "the ETag field, empty where there was none; on an unchanged row the one that was asked about",
  ),
  column("last_modified", "string", "served", "the Last-Modified field, likewise"),
  column(
    "warc_file",
    "string",
    "computed",
    "WARC file that holds the answer, where one is written",
  ),
  column("warc_offset", "int64", "computed", "byte offset of its record in that file"),
  column("warc_length", "int64", "computed", "bytes of its record in that file"),
  column(
    "error",
    "string",
    "computed",
    "why there was no answer: dns, timeout, refused, tls, skip, other; empty where there was one",
  ),
  column(
    "meta_json",
    "string",
    "computed",
    "a JSON object with what else applies: truncated, content_encoding, decoded_length, payload_digest, error_detail, redirects, reason, robots_meta",
  ),
  column("markdown", "string", "computed", "the main content as Markdown"),
  column("markdown_length", "int64", "computed", "bytes of `markdown`"),
  column("ttfb_ms", "int64", "measured", "milliseconds from the request to the first byte"),
  column("fetch_duration_ms", "int64", "measured", "milliseconds of the whole fetch"),
  column("final_url", "string", "served", "where redirects led, empty where there were none"),
  column(
    "ip_address",
    "string",
    "measured",
    "address that was connected to; with a content network its nearest edge",
  ),
  column(
    "resp_headers",
    "string",
    "served",
    "header fields of the answer: a JSON object of lower-cased names in the order served, an array where a name repeats",
  ),
  column("req_headers", "string", "asked", "header fields of the request, in the same form"),
  column(
    "body",
    "bytes",
    "served",
    "the body as served: transfer coding removed, content coding kept",
  ),
  column("title", "string", "computed", "text of the first `<title>`"),
  column("text", "string", "computed", "the main content as plain text"),
  column("text_length", "int64", "computed", "bytes of `text`"),
  column("word_count", "int64", "computed", "words of `text` by Unicode segmentation"),
  column(
    "language",
    "string",
    "computed",
    "language of the content, ISO 639-3, detected and not declared; empty where there is too little of it",
  ),
  column("language_confidence", "double", "computed", "how sure the detector is, 0 to 1"),
  column(
    "simhash",
    "uint64",
    "computed",
    "64-bit fingerprint of the Markdown, for finding near duplicates",
  ),
  column(
    "extractor",
    "string",
    "computed",
    "name@version of what rendered the page, empty where it was not rendered",
  ),
];

const DUCKDB_TYPES: Readonly<Record<CaptureColumnType, string>> = {
  string: "VARCHAR",
  bytes: "BLOB",
  int32: "INTEGER",
  int64: "BIGINT",
  uint64: "UBIGINT",
  double: "DOUBLE",
  boolean: "BOOLEAN",
};

/** The name by which DuckDB, and the dataset's card, know the type of a column. */
export function sqlType(type: CaptureColumnType): string {
  return DUCKDB_TYPES[type];
}

/** Footer key of the run that a part belongs to. */
export const RUN_KEY = "ccrawl.run";
/** Footer key of the work-list rows that a part holds; see `formatRanges`. */
export const ROWS_KEY = "ccrawl.rows";
/** Footer key of how bodies are stored: `served` (also where it is missing), `decoded`, `none`. */
export const STORE_BODY_KEY = "ccrawl.store-body";

function column(
  name: CaptureColumnName,
  type: CaptureColumnType,
  from: Provenance,
  about: string,
): CaptureColumn {
  return { name, type, from, about };
}

/** `reason` in the meta_json of a row whose page asked not to be kept: its body is left out. */
export const NO_ARCHIVE = "noarchive";
