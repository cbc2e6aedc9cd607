/**
 * What parsing is told, and what it gives.
 *
 * @module
 */

/** One record of an archive, or one row of a capture file. Property names are the field names. */
export interface ParsedRecord {
  /** WARC-Type; for a capture `response`, `revisit` (a 304) or `failure`. */
  readonly type: string;
  /** Target URI; empty where there is none. */
  readonly url: string;
  /** HTTP status, of a WAT record that of the answer it describes; 0 where there is none. */
  readonly status: number;
  /** Type of the payload as served, parameters dropped; empty where there is none. */
  readonly mime: string;
  /** WARC-Date as it stands; of a capture when it was fetched. */
  readonly date: string;
  /** Without its brackets; empty for a capture. */
  readonly record_id: string;
  /** Algorithm and value, as the record has it; empty where it has none. */
  readonly payload_digest: string;
  /** Bytes of the block; of a capture, of the stored body. */
  readonly content_length: number;
  /** Byte offset of the record (its gzip member) in the file; of a capture its row. */
  readonly offset: number;
  /** Path of the file, where several are read, or a folder. */
  readonly file?: string;
  /** Distinct absolute links of a page, in its order. */
  readonly links?: readonly string[];
  /** How many. */
  readonly link_count?: number;
  /** Text of the first `<title>`. */
  readonly title?: string;
  /** Main content as plain text; of what is plain text, all of it. */
  readonly text?: string;
  /** Main content as Markdown. */
  readonly markdown?: string;
  /** Words of the text. */
  readonly word_count?: number;
  /** ISO 639-3; empty where it cannot be told. */
  readonly language?: string;
  /** 0 to 1; 0 where the archive says the language but not how sure that is. */
  readonly language_confidence?: number;
  /** Named fields of the WARC record. */
  readonly warc_headers?: FieldMap | null;
  /** Header fields of the HTTP message, names in lower case. */
  readonly http_headers?: FieldMap | null;
  /** What the block of a warcinfo or metadata record says; `meta_json` of a capture. */
  readonly metadata?: unknown;
}

/** Names and values; an array where a name repeats. */
export type FieldMap = Readonly<Record<string, string | readonly string[]>>;

/** A record with the bytes it is about. */
export interface Parsed {
  /** What it says. */
  readonly record: ParsedRecord;
  /** Its payload with transfer and content coding undone, where that was asked for. */
  readonly payload: Uint8Array | undefined;
}

/** Statuses from `first` to `last`. */
export interface StatusRange {
  /** The least. */
  readonly first: number;
  /** The greatest. */
  readonly last: number;
}

/** Which records are given: those of which all that is named here is so. Empty lists name nothing. */
export interface ParseFilter {
  /** WARC types. */
  readonly types?: readonly string[];
  /** Statuses. */
  readonly statuses?: readonly StatusRange[];
  /** MIME types; `text/*` for all that begin so. */
  readonly mimes?: readonly string[];
  /** ISO 639-3 codes. */
  readonly languages?: readonly string[];
  /**
   * URLs (`http…`, a `*` stands for anything), or patterns as a crawl's scope takes them: SURT prefixes
   * and regular expressions.
   */
  readonly urls?: readonly string[];
}

/** A fault in a file, after which reading went on. */
export interface ParseDamage {
  /** Path of the file. */
  readonly file: string;
  /** Byte offset of the damaged record. */
  readonly offset: number;
  /** What is wrong. */
  readonly reason: string;
}

/** Options of `parse`. */
export interface ParseOptions extends ParseFilter {
  /** Find the links of pages. @default false */
  readonly links?: boolean;
  /** Render pages into text. @default false */
  readonly text?: boolean;
  /** Render pages into Markdown. @default false */
  readonly markdown?: boolean;
  /** Give the headers and what metadata records say. @default false */
  readonly meta?: boolean;
  /** Give the payload. @default false */
  readonly payload?: boolean;
  /** Threads that render. @default the machine's cores */
  readonly workers?: number;
  /** Told of each damaged record. */
  readonly onDamage?: (damage: ParseDamage) => void;
  /** What the path `-` reads. */
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** Ends the reading; what was read before is given. */
  readonly signal?: AbortSignal;
}
