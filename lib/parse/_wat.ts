/**
 * WAT: metadata records whose block is JSON about another record, as Common Crawl publishes them.
 *
 * @module
 */

import { jsonOr } from "./_fields.ts";
import { typeOf } from "./_payload.ts";
import type { FieldMap } from "./types.ts";

/** What a WAT record says of the record it is about. */
export interface WatFacts {
  /** HTTP status of the answer; 0 where it is about none. */
  readonly status: number;
  /** Its type as served. */
  readonly mime: string;
  /** Its payload's digest. */
  readonly payloadDigest: string;
  /** The page's title. */
  readonly title: string;
  /** Where the page's `<base>` points; undefined where it has none. */
  readonly base: string | undefined;
  /** Links to other pages as the page has them. */
  readonly links: readonly string[];
  /** Header fields of the answer. */
  readonly headers: FieldMap | null;
  /** Everything but the links and the headers. */
  readonly rest: unknown;
}

/** What makes a link to another page, as WAT names the places of links. */
const PAGE_LINK = /^(?:a|area)@\/href$|^i?frame@\/src$/i;
/** Links kept of one page. */
const MOST_LINKS = 10_000;

type Json = Readonly<Record<string, unknown>>;

/** Reads a block; nothing where it is no WAT. */
export function readWat(block: Uint8Array): WatFacts | undefined {
  const whole = jsonOr(new TextDecoder().decode(block));
  const envelope = object(whole, "Envelope");
  if (envelope === undefined) return undefined;
  const payload = object(envelope, "Payload-Metadata");
  const response = object(payload, "HTTP-Response-Metadata");
  const message = object(response, "Response-Message");
  const headers = object(response, "Headers");
  const html = object(response, "HTML-Metadata");
  const head = object(html, "Head");
  const status = Number(message?.Status);
  return {
    status: Number.isInteger(status) && status > 0 && status < 1000 ? status : 0,
    mime: typeOf(header(headers, "content-type")),
    payloadDigest: string(object(envelope, "WARC-Header-Metadata")?.["WARC-Payload-Digest"]) ||
      string(response?.["Entity-Digest"]),
    title: string(head?.Title),
    base: typeof head?.Base === "string" ? head.Base : undefined,
    links: links(html?.Links),
    headers: headers === undefined ? null : Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), values(value)]),
    ),
    rest: {
      container: object(whole, "Container") ?? null,
      warc_headers: object(envelope, "WARC-Header-Metadata") ?? null,
      metas: Array.isArray(head?.Metas) ? head.Metas : [],
      warcinfo: object(payload, "WARC-Info-Metadata") ?? null,
      metadata: object(payload, "WARC-Metadata-Metadata") ?? null,
    },
  };
}

function links(list: unknown): string[] {
  const out: string[] = [];
  for (const one of Array.isArray(list) ? list : []) {
    const { path, url } = (one ?? {}) as Json;
    if (typeof path !== "string" || typeof url !== "string" || !PAGE_LINK.test(path)) continue;
    if (out.push(url) === MOST_LINKS) break;
  }
  return out;
}

function object(from: unknown, name: string): Json | undefined {
  const value = typeof from === "object" && from !== null ? (from as Json)[name] : undefined;
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Json
    : undefined;
}

function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A header's first value, its name in any case. */
function header(headers: Json | undefined, name: string): string {
  const found = Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
  return string(Array.isArray(found) ? found[0] : found);
}

function values(value: unknown): string | string[] {
  return Array.isArray(value) ? value.map((one) => String(one)) : String(value);
}
