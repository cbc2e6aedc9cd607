/**
 * Rows from what a fetch came to.
 *
 * @module
 */

import type { Truncation } from "../net/types.ts";
import type { NewCaptureRow } from "./codec.ts";
import type { RowPosition } from "./ranges.ts";
import type { CaptureErrorClass } from "./schema.ts";

/** Header fields in the order served or sent; names in any case, Latin-1 decoded. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** What is known of a fetch however it ended. */
export interface FetchFacts {
  /** URL asked for. */
  readonly url: string;
  /** Its host name, where it is at hand; taken from the URL otherwise. */
  readonly host?: string;
  /** Unix milliseconds when the request went out. */
  readonly fetchedAt: number;
  /** Milliseconds of the whole fetch. */
  readonly durationMs: number;
  /** Address that was connected to, if any. */
  readonly ip?: string;
  /** Header fields sent. */
  readonly requestHeaders?: HeaderList;
  /** The redirects followed: status and target of each. */
  readonly redirects?: readonly { readonly status: number; readonly url: string }[];
  /** Place in the work list. */
  readonly position?: RowPosition;
}

/** A fetch that was answered. */
export interface AnsweredFetch extends FetchFacts {
  /** HTTP status. */
  readonly status: number;
  /** Header fields of the answer. */
  readonly headers: HeaderList;
  /** The body as it is to be stored. */
  readonly body: Uint8Array;
  /** Base32 SHA-1 of the decoded body. */
  readonly digest: string;
  /** Milliseconds from the request to the first byte. */
  readonly ttfbMs: number;
  /** Where redirects led; the same as `url` counts as none. */
  readonly finalUrl?: string;
  /** Why the body is shorter than the server meant it to be. */
  readonly truncated?: Truncation;
  /** Bytes of the decoded body, where there was a content coding to undo. */
  readonly decodedLength?: number;
  /** WARC payload digest, with its `sha1:`. */
  readonly payloadDigest?: string;
  /** Directives of robots meta elements and X-Robots-Tag. */
  readonly robotsMeta?: readonly string[];
  /** Where the answer lies in a WARC file. */
  readonly warc?: { readonly file: string; readonly offset: number; readonly length: number };
  /** What the page renders to, where it was rendered. */
  readonly rendered?: RenderedColumns;
  /** On a 304: the row it refers to. */
  readonly refersTo?: {
    readonly digest: string;
    readonly etag: string;
    readonly lastModified: string;
  };
  /** Words for what else there is to say, such as why a page was not rendered. */
  readonly reason?: string;
}

/** What rendering adds to a row. */
export interface RenderedColumns {
  /** Text of the first `<title>`. */
  readonly title: string;
  /** The main content as Markdown. */
  readonly markdown: string;
  /** The same as plain text. */
  readonly text: string;
  /** Words of `text`. */
  readonly wordCount: number;
  /** ISO 639-3, or empty. */
  readonly language: string;
  /** 0 to 1. */
  readonly languageConfidence: number;
  /** Fingerprint of `markdown`. */
  readonly simhash: bigint;
  /** `name@version`. */
  readonly extractor: string;
}

/** A fetch that was not answered. */
export interface FailedFetch extends FetchFacts {
  /** Class of the failure. */
  readonly error: Exclude<CaptureErrorClass, "">;
  /** What the network, or we, said. */
  readonly errorDetail: string;
  /** Why we refused by ourselves, such as `robots`. */
  readonly reason?: string;
}

/** Most characters of a detail that are kept. */
const MAX_DETAIL = 2000;
/** Most redirects, directives and the like that are kept. */
const MAX_LIST = 32;

/** The row of a fetch that was answered, 304 included. */
export function captureRow(fetch: AnsweredFetch): NewCaptureRow {
  const unchanged = fetch.status === 304;
  const codings = all(fetch.headers, "content-encoding");
  const meta = new JsonObject();
  if (fetch.truncated !== undefined) meta.string("truncated", fetch.truncated);
  if (codings !== "") meta.string("content_encoding", codings);
  if (fetch.decodedLength !== undefined) meta.number("decoded_length", fetch.decodedLength);
  if (fetch.payloadDigest !== undefined) meta.string("payload_digest", fetch.payloadDigest);
  addFacts(meta, fetch);
  if (fetch.robotsMeta !== undefined && fetch.robotsMeta.length > 0) {
    meta.value("robots_meta", fetch.robotsMeta.slice(0, MAX_LIST));
  }
  const { rendered, warc, refersTo } = fetch;
  return {
    ...base(fetch),
    status: fetch.status,
    content_type: first(fetch.headers, "content-type"),
    digest: unchanged ? refersTo?.digest ?? "" : fetch.digest,
    unchanged,
    etag: unchanged && refersTo ? refersTo.etag : first(fetch.headers, "etag"),
    last_modified: unchanged && refersTo
      ? refersTo.lastModified
      : first(fetch.headers, "last-modified"),
    warc_file: warc?.file ?? "",
    warc_offset: warc?.offset ?? 0,
    warc_length: warc?.length ?? 0,
    error: "",
    meta_json: meta.toString(),
    ttfb_ms: milliseconds(fetch.ttfbMs),
    final_url: fetch.finalUrl === undefined || fetch.finalUrl === fetch.url ? "" : fetch.finalUrl,
    resp_headers: headersJson(fetch.headers),
    body: unchanged ? NOTHING : fetch.body,
    ...(rendered === undefined ? {} : renderedColumns(rendered)),
  };
}

/** The row of a fetch that was not answered. */
export function failureRow(fetch: FailedFetch): NewCaptureRow {
  const meta = new JsonObject();
  meta.string("error_detail", fetch.errorDetail.slice(0, MAX_DETAIL));
  addFacts(meta, fetch);
  return { ...base(fetch), error: fetch.error, meta_json: meta.toString() };
}

/** The columns that rendering fills. */
export function renderedColumns(page: RenderedColumns): Pick<
  NewCaptureRow,
  | "title"
  | "markdown"
  | "text"
  | "word_count"
  | "language"
  | "language_confidence"
  | "simhash"
  | "extractor"
> {
  return {
    title: page.title,
    markdown: page.markdown,
    text: page.text,
    word_count: page.wordCount,
    language: page.language,
    language_confidence: page.languageConfidence,
    simhash: page.simhash,
    extractor: page.extractor,
  };
}

/**
 * Header fields as a JSON object: lower-cased names in the order served, an array of its values
 * where a name repeats.
 */
export function headersJson(headers: HeaderList): string {
  if (headers.length === 0) return "{}";
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, value] of headers) {
    const key = quote(name.toLowerCase());
    const before = values.get(key);
    if (before === undefined) {
      values.set(key, quote(value));
    } else {
      values.set(key, `${before},${quote(value)}`);
      repeated.add(key);
    }
  }
  let out = "";
  for (const [key, value] of values) {
    out += `${out === "" ? "{" : ","}${key}:${repeated.has(key) ? `[${value}]` : value}`;
  }
  return `${out}}`;
}

const NOTHING = new Uint8Array(0);

/** The columns that every row has, the others empty. */
function base(fetch: FetchFacts): NewCaptureRow {
  return {
    url: fetch.url,
    host: fetch.host ?? URL.parse(fetch.url)?.hostname ?? "",
    status: 0,
    fetched_at: milliseconds(fetch.fetchedAt),
    content_type: "",
    digest: "",
    unchanged: false,
    etag: "",
    last_modified: "",
    warc_file: "",
    warc_offset: 0,
    warc_length: 0,
    error: "",
    meta_json: "{}",
    markdown: "",
    ttfb_ms: 0,
    fetch_duration_ms: milliseconds(fetch.durationMs),
    final_url: "",
    ip_address: fetch.ip ?? "",
    resp_headers: "{}",
    req_headers: headersJson(fetch.requestHeaders ?? []),
    body: NOTHING,
    title: "",
    text: "",
    word_count: 0,
    language: "",
    language_confidence: 0,
    simhash: 0n,
    extractor: "",
    ...(fetch.position === undefined ? {} : { position: fetch.position }),
  };
}

function addFacts(meta: JsonObject, fetch: FetchFacts & { readonly reason?: string }): void {
  if (fetch.redirects !== undefined && fetch.redirects.length > 0) {
    meta.value("redirects", fetch.redirects.slice(0, MAX_LIST));
  }
  if (fetch.reason !== undefined) meta.string("reason", fetch.reason.slice(0, MAX_DETAIL));
}

/** A clock's reading as whole milliseconds, never below zero. */
function milliseconds(value: number): number {
  return Math.max(0, Math.round(value));
}

/** The first field of a (lower-cased) name. */
function first(headers: HeaderList, name: string): string {
  for (const [field, value] of headers) {
    if (field.length === name.length && field.toLowerCase() === name) return value;
  }
  return "";
}

/** All fields of a name, joined as RFC 9110 section 5.3 has it. */
function all(headers: HeaderList, name: string): string {
  let out = "";
  for (const [field, value] of headers) {
    if (field.length === name.length && field.toLowerCase() === name) {
      out += out === "" ? value : `, ${value}`;
    }
  }
  return out;
}

/** JSON put together key by key, so that the order is kept whatever the keys are. */
class JsonObject {
  #text = "";

  string(key: string, value: string): void {
    this.#add(key, quote(value));
  }

  number(key: string, value: number): void {
    this.#add(key, String(value));
  }

  value(key: string, value: unknown): void {
    this.#add(key, JSON.stringify(value));
  }

  toString(): string {
    return `${this.#text === "" ? "{" : this.#text}}`;
  }

  #add(key: string, json: string): void {
    this.#text += `${this.#text === "" ? "{" : ","}${quote(key)}:${json}`;
  }
}

/** A JSON string. Latin-1 and all else stays as it is; a lone surrogate is escaped. */
function quote(value: string): string {
  return JSON.stringify(value);
}
