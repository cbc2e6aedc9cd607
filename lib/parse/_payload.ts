/**
 * What a record holds, taken out of its envelope.
 *
 * @module
 */

import { decodeBody, decodeText, loadDetector, MAX_DECODED } from "../net/mod.ts";
import { dechunk, type HttpBlock, mimeOf } from "../warc/mod.ts";

/** A payload with what its reader must know. */
export interface Payload {
  /** Absolute URL it was served from. */
  readonly url: string;
  /** Content-Type as served; empty where there is none. */
  readonly contentType: string;
  /** Content-Encoding as served; empty where there is none. */
  readonly contentEncoding: string;
  /** The bytes, transfer coding removed. */
  readonly body: Uint8Array;
}

/** The payload of an HTTP answer. */
export function httpPayload(http: HttpBlock, url: string): Payload {
  return {
    url,
    contentType: http.get("Content-Type") ?? "",
    contentEncoding: http.headers.filter(([name]) => name.toLowerCase() === "content-encoding")
      .map(([, value]) => value).join(", "),
    body: transferred(http),
  };
}

/**
 * The payload without its transfer coding. Many writers undo the coding and leave the field, so that
 * only what begins with a chunk is taken for chunks.
 */
function transferred(http: HttpBlock): Uint8Array {
  const { payload } = http;
  if (!/\bchunked\b/i.test(http.get("Transfer-Encoding") ?? "")) return payload;
  const start = new TextDecoder("latin1").decode(payload.subarray(0, 100));
  return /^[0-9a-f]{1,8}[ \t]*(?:;[^\n]{0,80})?\r?\n/i.test(start)
    ? dechunk(payload).content
    : payload;
}

/** The payload's bytes, content coding undone as far as that goes. */
export function decodedBytes({ body, contentEncoding }: Payload): Uint8Array {
  if (contentEncoding === "" || body.length === 0) return body;
  return decodeBody(body, contentEncoding, MAX_DECODED).bytes;
}

/** Bytes as text, by what they declare or look like. */
export async function textOf(
  bytes: Uint8Array,
  contentType: string,
  html: boolean,
): Promise<string> {
  const { text, source } = decodeText(bytes, contentType, { html });
  if (source !== "fallback") return text;
  await loadDetector();
  return decodeText(bytes, contentType, { html }).text;
}

/** The type of a Content-Type value, lower-cased, parameters dropped. */
export function typeOf(contentType: string): string {
  return mimeOf(contentType).toLowerCase();
}
