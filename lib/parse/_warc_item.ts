/**
 * Records of WARC, WAT and WET files.
 *
 * @module
 */

import { type HttpBlock, parseHttp, type WarcRecord } from "../warc/mod.ts";
import { blockFields, fieldMap } from "./_fields.ts";
import type { Item, Known } from "./_item.ts";
import { httpPayload, type Payload, typeOf } from "./_payload.ts";
import { readWat, type WatFacts } from "./_wat.ts";

/** A record as an item. */
export function warcItem(record: WarcRecord): Item {
  const { type, headers, content } = record;
  const declared = headers.get("Content-Type") ?? "";
  const http = isHttp(type, declared) ? parseHttp(content) : undefined;
  const answer = http !== undefined && type !== "request" ? http : undefined;
  const wat = type === "metadata" && typeOf(declared) === "application/json"
    ? readWat(content)
    : undefined;
  const mime = wat?.mime ??
    (http === undefined ? typeOf(declared) : typeOf(http.get("Content-Type") ?? "") ||
      (answer && typeOf(headers.get("WARC-Identified-Payload-Type") ?? "")));
  return {
    record: {
      type,
      url: record.url,
      status: wat?.status ?? answer?.status ?? 0,
      mime: mime ?? "",
      date: record.date,
      record_id: record.id,
      payload_digest: headers.get("WARC-Payload-Digest") ?? wat?.payloadDigest ?? "",
      content_length: record.contentLength,
      offset: record.offset,
    },
    meta: () => ({
      warc_headers: fieldMap(headers, false),
      http_headers: http === undefined ? wat?.headers ?? null : fieldMap(http.headers, true),
      metadata: wat?.rest ??
        (typeOf(declared) === "application/warc-fields" ? blockFields(content) : null),
    }),
    payload: () => payloadOf(record, declared, http),
    known: knownOf(record, wat),
  };
}

/** Whether the block is an HTTP message; a `response` may also be of FTP or DNS. */
function isHttp(type: string, declared: string): boolean {
  if (type !== "response" && type !== "request" && type !== "revisit") return false;
  return declared === "" || typeOf(declared) === "application/http";
}

function payloadOf(
  { type, url, content }: WarcRecord,
  contentType: string,
  http: HttpBlock | undefined,
): Payload | undefined {
  // A revisit says whose payload is elsewhere.
  if (type === "revisit") return undefined;
  if (http !== undefined) return httpPayload(http, url);
  return { url, contentType, contentEncoding: "", body: content };
}

function knownOf({ type, headers, content }: WarcRecord, wat: WatFacts | undefined): Known {
  if (wat !== undefined) return { title: wat.title, base: wat.base, links: wat.links };
  if (type !== "conversion") return {};
  // A WET record is the text; its languages come with the surest one first.
  const text = new TextDecoder().decode(content);
  const language = headers.get("WARC-Identified-Content-Language")?.split(",", 1)[0]?.trim();
  const lineEnd = text.indexOf("\n");
  return {
    title: text.slice(0, lineEnd < 0 ? text.length : lineEnd).trim().slice(0, 1000),
    text,
    markdown: text,
    ...(language === undefined ? {} : { language, confidence: 0 }),
  };
}
