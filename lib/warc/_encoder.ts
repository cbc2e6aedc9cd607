/**
 * Records as gzip members.
 *
 * @module
 */

import type { ArchivedExchange, OtherRecord, RecordReference } from "./types.ts";
import { cleanHead } from "./_block.ts";
import { NONE, utf8Bytes } from "./_bytes.ts";
import type { DedupMemory } from "./_dedup.ts";
import { EMPTY_DIGEST, label, sha1 } from "./_digest.ts";
import { memberMaker } from "./_gzip.ts";

const SAME_PAYLOAD = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest";
const NOT_MODIFIED = "http://netpreserve.org/warc/1.0/revisit/server-not-modified";
const END = utf8Bytes("\r\n\r\n");
/** A scratch larger than this is not kept. */
const KEEP = 1 << 20;

/** A request and its answer, compressed. */
export interface EncodedPair {
  /** Members, valid until the next pair is encoded. */
  readonly request: Uint8Array;
  readonly answer: Uint8Array;
  readonly type: "response" | "revisit";
  readonly recordId: string;
  readonly date: string;
  readonly payloadDigest: string;
  /** The record that holds the payload, where that is known. */
  readonly payloadRecord: RecordReference | undefined;
  /** The digest by which later pairs may refer to this one, once it is durable. */
  readonly rememberAs: Uint8Array | undefined;
}

/** Makes records. */
export class RecordEncoder {
  readonly #member: (bytes: Uint8Array) => Uint8Array;
  readonly #http: "clean" | "raw";
  readonly #uuid: () => string;
  readonly #encoder = new TextEncoder();
  #scratch = new Uint8Array(1 << 16);
  #second = NaN;
  #date = "";

  constructor(gzipLevel: number, http: "clean" | "raw", uuid: () => string) {
    this.#member = memberMaker(gzipLevel);
    this.#http = http;
    this.#uuid = uuid;
  }

  /** The record that opens a file. */
  warcinfo(
    filename: string,
    about: {
      readonly software: string;
      readonly command: string;
      readonly isPartOf?: string;
      readonly userAgent?: string;
    },
    now: number,
  ): { bytes: Uint8Array; recordId: string } {
    const recordId = `urn:uuid:${this.#uuid()}`;
    let fields = `software: ${oneLine(about.software)}\r\n` +
      "format: WARC File Format 1.0\r\n" +
      "conformsTo: http://bibnum.bnf.fr/WARC/WARC_ISO_28500_version1_latestdraft.pdf\r\n" +
      `command: ${oneLine(about.command)}\r\n`;
    if (about.isPartOf !== undefined) fields += `isPartOf: ${oneLine(about.isPartOf)}\r\n`;
    if (about.userAgent !== undefined) {
      fields += `http-header-user-agent: ${oneLine(about.userAgent)}\r\n`;
    }
    const block = utf8Bytes(fields);
    const header = `WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <${recordId}>\r\n` +
      `WARC-Date: ${this.#dateOf(now)}\r\nWARC-Filename: ${filename}\r\n` +
      `WARC-Block-Digest: ${label(sha1(block))}\r\n` +
      `Content-Type: application/warc-fields\r\nContent-Length: ${block.length}\r\n\r\n`;
    return { bytes: this.#record(header, block, NONE), recordId };
  }

  /** A record that stands alone. */
  other(
    record: OtherRecord,
    warcinfoId: string,
  ): { bytes: Uint8Array; recordId: string; digest: string; date: string } {
    const recordId = `urn:uuid:${this.#uuid()}`;
    const digest = label(sha1(record.block));
    const date = this.#dateOf(record.date);
    const relation = record.type === "resource" ? "WARC-Concurrent-To" : "WARC-Refers-To";
    const header = `WARC/1.0\r\nWARC-Type: ${record.type}\r\nWARC-Record-ID: <${recordId}>\r\n` +
      `WARC-Date: ${date}\r\nWARC-Target-URI: ${oneLine(record.url)}\r\n` +
      `WARC-Warcinfo-ID: <${warcinfoId}>\r\n` +
      (record.about === undefined ? "" : `${relation}: ${bracketed(record.about)}\r\n`) +
      `WARC-Block-Digest: ${digest}\r\n` +
      (record.type === "resource" ? `WARC-Payload-Digest: ${digest}\r\n` : "") +
      `Content-Type: ${oneLine(record.contentType)}\r\n` +
      `Content-Length: ${record.block.length}\r\n\r\n`;
    return { bytes: this.#record(header, record.block, NONE), recordId, digest, date };
  }

  /**
   * A request and its answer, which refer to one another.
   *
   * The payload is what follows the stored head: with wire bytes that includes transfer coding.
   *
   * @param warcinfoId Record id of the file's warcinfo.
   * @param dedup Durable payloads; none when payloads are not to be compared.
   */
  pair(x: ArchivedExchange, warcinfoId: string, dedup: DedupMemory | undefined): EncodedPair {
    const requestId = `urn:uuid:${this.#uuid()}`;
    const recordId = `urn:uuid:${this.#uuid()}`;
    const date = this.#dateOf(x.date);
    const common = `WARC-Date: ${date}\r\nWARC-Target-URI: ${oneLine(x.url)}\r\n` +
      (x.ip === "" ? "" : `WARC-IP-Address: ${x.ip}\r\n`) +
      `WARC-Warcinfo-ID: <${warcinfoId}>\r\n`;

    const payload = this.#http === "clean" ? x.body : afterHead(x);
    const digest = payload.length === 0 ? undefined : sha1(payload);
    const notModified = x.status === 304 && payload.length === 0;
    const whole = digest !== undefined && x.truncated === undefined && !notModified;
    const earlier = whole && dedup !== undefined ? sameBefore(x, digest, dedup) : undefined;
    const revisit = notModified || earlier !== undefined;
    const head = this.#http === "clean" ? cleanHead(x.head, x.status, x.body.length) : x.head;
    const stored = revisit ? NONE : payload;
    let payloadDigest = digest === undefined ? EMPTY_DIGEST : label(digest);
    if (notModified) payloadDigest = x.refersTo?.payloadDigest ?? "";

    let header = `WARC/1.0\r\nWARC-Type: ${revisit ? "revisit" : "response"}\r\n` +
      `WARC-Record-ID: <${recordId}>\r\n${common}WARC-Concurrent-To: <${requestId}>\r\n`;
    if (notModified) {
      header += `WARC-Profile: ${NOT_MODIFIED}\r\n`;
      if (x.refersTo !== undefined) {
        header += refersTo(x.refersTo.recordId, x.refersTo.url, x.refersTo.date);
      }
    } else if (earlier !== undefined) {
      header += `WARC-Profile: ${SAME_PAYLOAD}\r\n` +
        refersTo(earlier.recordId, earlier.url, earlier.date);
    }
    if (x.truncated !== undefined) header += `WARC-Truncated: ${x.truncated}\r\n`;
    header += `WARC-Block-Digest: ${label(sha1(head, stored))}\r\n` +
      (payloadDigest === "" ? "" : `WARC-Payload-Digest: ${payloadDigest}\r\n`) +
      "Content-Type: application/http; msgtype=response\r\n" +
      `Content-Length: ${head.length + stored.length}\r\n\r\n`;
    const asked = `WARC/1.0\r\nWARC-Type: request\r\nWARC-Record-ID: <${requestId}>\r\n${common}` +
      `WARC-Concurrent-To: <${recordId}>\r\nWARC-Block-Digest: ${label(sha1(x.request))}\r\n` +
      "Content-Type: application/http; msgtype=request\r\n" +
      `Content-Length: ${x.request.length}\r\n\r\n`;
    return {
      request: this.#record(asked, x.request, NONE),
      answer: this.#record(header, head, stored),
      type: revisit ? "revisit" : "response",
      recordId,
      date,
      payloadDigest,
      payloadRecord: revisit ? earlier ?? x.refersTo : { recordId, url: x.url, date },
      rememberAs: whole && earlier === undefined ? digest : undefined,
    };
  }

  #record(header: string, first: Uint8Array, second: Uint8Array): Uint8Array {
    const most = header.length * 3 + first.length + second.length + END.length;
    let scratch = this.#scratch;
    if (scratch.length < most) {
      scratch = new Uint8Array(most + (most >> 2));
      if (scratch.length <= KEEP) this.#scratch = scratch;
    }
    let at = this.#encoder.encodeInto(header, scratch).written;
    scratch.set(first, at);
    at += first.length;
    scratch.set(second, at);
    at += second.length;
    scratch.set(END, at);
    return this.#member(scratch.subarray(0, at + END.length));
  }

  #dateOf(ms: number): string {
    const second = Math.floor(ms / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = isoSecond(ms);
    }
    return this.#date;
  }
}

/** The record that holds a payload already: the page's own before, or any that is remembered. */
function sameBefore(
  { refersTo }: ArchivedExchange,
  digest: Uint8Array,
  dedup: DedupMemory,
): RecordReference | undefined {
  if (refersTo?.payloadDigest === label(digest)) return refersTo;
  const found = dedup.find(digest);
  return found && { ...found, date: isoSecond(found.date) };
}

/** WARC/1.0 dates have whole seconds. */
function isoSecond(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19) + "Z";
}

function refersTo(recordId: string, url: string, date: string): string {
  return `WARC-Refers-To: ${bracketed(recordId)}\r\nWARC-Refers-To-Target-URI: ${
    oneLine(url)
  }\r\n` +
    `WARC-Refers-To-Date: ${oneLine(date)}\r\n`;
}

function bracketed(id: string): string {
  return id.startsWith("<") ? oneLine(id) : `<${oneLine(id)}>`;
}

/** What follows the head in the wire bytes. */
function afterHead(x: ArchivedExchange): Uint8Array {
  if (x.wire === undefined) {
    throw new TypeError(`Cannot store the wire bytes of ${x.url}: the exchange has none`);
  }
  return x.wire.subarray(x.head.length);
}

/** A field's value must not end its line; control characters are written as escapes. */
function oneLine(value: string): string {
  // deno-lint-ignore no-control-regex -- control characters are what is looked for
  return /[\x00-\x1f\x7f]/.test(value) ? JSON.stringify(value).slice(1, -1) : value;
}
