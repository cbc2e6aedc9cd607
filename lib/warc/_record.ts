/**
 * One record, read from a queue that stands at its first byte.
 *
 * @module
 */

import { headEnd, NONE, text } from "./_bytes.ts";
import type { ByteQueue } from "./_queue.ts";
import { WarcHeaders } from "./headers.ts";
import type { ReadWarcOptions, WarcRecordHead } from "./reader.ts";

/** Bytes of a header that are looked through for its end. */
const MAX_HEAD = 1 << 18;
const MAX_FIELDS = 1000;
const MAX_CONTENT = 32 << 20;

/** What could be read. */
export interface RawRecord {
  /** Missing where the header could not be read. */
  readonly head: WarcRecordHead | undefined;
  readonly content: Uint8Array;
  /** What is wrong, where something is. */
  readonly fault: string | undefined;
  /** The block ended before its length. */
  readonly short: boolean;
}

/** Reads header and block; the blank lines after it are left. */
export async function readRecord(
  queue: ByteQueue,
  place: { readonly offset: number; readonly inner: number },
  options: ReadWarcOptions,
): Promise<RawRecord> {
  let end = headEnd(queue.view, 0, queue.size);
  while (end < 0 && queue.size < MAX_HEAD && !queue.ended) {
    await queue.fill(Math.min(MAX_HEAD, queue.size * 2));
    end = headEnd(queue.view, 0, queue.size);
  }
  if (end < 0) {
    const cut = queue.size < MAX_HEAD;
    // The next look must not find this very record again.
    if (queue.size > 0) queue.skip(1);
    return bad(cut ? "the file ends in a record's header" : "the record's header has no end");
  }
  const head = parseHead(text(queue.take(end)), place);
  if (typeof head === "string") return bad(head);
  const most = options.maxContent ?? MAX_CONTENT;
  const length = head.contentLength;
  if (length <= most) {
    const whole = await queue.fill(length);
    const content = queue.take(whole ? length : queue.size);
    return whole ? { head, content, fault: undefined, short: false } : cutShort(head, content);
  }
  await queue.fill(most);
  // A copy: the view would keep the pieces that pass by.
  const content = queue.view.slice(0, most);
  const sink = options.onLarge?.(head);
  for (let left = length; left > 0;) {
    if (!await queue.fill(1)) return { ...cutShort(head, NONE), content: NONE };
    const piece = queue.take(Math.min(left, queue.size));
    sink?.(piece);
    left -= piece.length;
  }
  return { head, content, fault: undefined, short: false };
}

function bad(fault: string): RawRecord {
  return { head: undefined, content: NONE, fault, short: false };
}

function cutShort(head: WarcRecordHead, content: Uint8Array): RawRecord {
  const fault = `the file ends in a record: its block should have ${head.contentLength} bytes`;
  return { head, content, fault, short: true };
}

/** The header's fields, or what is wrong with it. */
function parseHead(
  head: string,
  place: { readonly offset: number; readonly inner: number },
): WarcRecordHead | string {
  const lines = head.split("\n");
  const version = /^WARC\/(\d{1,3}\.\d{1,3})\s*$/.exec(lines[0]!)?.[1];
  if (version === undefined) return "the record's version line cannot be read";
  const fields: [string, string][] = [];
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i]!;
    const last = fields.at(-1);
    if (line.startsWith(" ") || line.startsWith("\t")) {
      if (last !== undefined) last[1] = `${last[1]} ${line.trim()}`;
      continue;
    }
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    if (fields.length >= MAX_FIELDS) return "the record's header has too many fields";
    fields.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
  }
  const headers = new WarcHeaders(fields);
  const length = headers.get("Content-Length") ?? "";
  if (!/^\d{1,15}$/.test(length)) return "the record's Content-Length cannot be read";
  return {
    version,
    type: (headers.get("WARC-Type") ?? "").toLowerCase(),
    id: unbracketed(headers.get("WARC-Record-ID") ?? ""),
    date: headers.get("WARC-Date") ?? "",
    url: unbracketed(headers.get("WARC-Target-URI") ?? ""),
    headers,
    ...place,
    contentLength: Number(length),
  };
}

/** The standard puts record ids in brackets; some writers put target URIs in them too. */
export function unbracketed(value: string): string {
  return value.startsWith("<") && value.endsWith(">") ? value.slice(1, -1) : value;
}
