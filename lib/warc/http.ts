/**
 * The HTTP message inside a record.
 *
 * @module
 */

import { concat, headEnd, NONE, startsWith } from "./_bytes.ts";

/** A head longer than this is taken as far as it goes. */
const MAX_HEAD = 1 << 20;
const MAX_FIELDS = 10_000;
const latin1 = new TextDecoder("latin1");

/** An HTTP message taken apart. Bytes are views of the block, not copies. */
export interface HttpBlock {
  /** First line as served, without its end; empty for an answer with no head (HTTP/0.9). */
  readonly startLine: string;
  /** Status code of a response; 200 with no head or no number in its first line, 0 for a request or where it cannot be read. */
  readonly status: number;
  /** Fields in the order served; names as served, folded lines unfolded, Latin-1 decoded. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** First value of a field, by its name in any case. */
  get(name: string): string | undefined;
  /** Start line and fields through the blank line. */
  readonly head: Uint8Array;
  /** What follows the head, as stored. */
  readonly payload: Uint8Array;
}

/**
 * Takes an HTTP request or response apart as leniently as browsers do: LF or CRLF, any status
 * line, lines that are no field left out. A block that begins like no HTTP message at all is the
 * payload of an answer without a head (HTTP/0.9).
 *
 * @param block Block of a `request`, `response` or `revisit` record; may be cut.
 */
export function parseHttp(block: Uint8Array): HttpBlock {
  if (!hasHead(block)) return message("", 200, [], NONE, block);
  const found = headEnd(block, 0, Math.min(block.length, MAX_HEAD));
  const end = found < 0 ? Math.min(block.length, MAX_HEAD) : found;
  const head = block.subarray(0, end);
  const lines = latin1.decode(head).split("\n");
  const startLine = trimCr(lines[0]!);
  const headers: [string, string][] = [];
  for (let i = 1; i < lines.length && headers.length < MAX_FIELDS; i++) {
    const line = trimCr(lines[i]!);
    const last = headers.at(-1);
    if (line.startsWith(" ") || line.startsWith("\t")) {
      if (last !== undefined) last[1] = `${last[1]} ${line.trim()}`.trim();
      continue;
    }
    const colon = line.indexOf(":");
    if (colon > 0) headers.push([line.slice(0, colon).trimEnd(), line.slice(colon + 1).trim()]);
  }
  const status = isResponse(block) ? statusOf(startLine) : 0;
  return message(startLine, status, headers, head, block.subarray(end));
}

/**
 * Removes chunked transfer coding (RFC 9112 section 7.1), as far as the bytes go.
 *
 * @returns The content, and whether the last chunk was there.
 */
export function dechunk(payload: Uint8Array): { content: Uint8Array; complete: boolean } {
  const parts: Uint8Array[] = [];
  for (let at = 0;;) {
    const lf = payload.subarray(at, at + 4096).indexOf(10);
    const size = lf < 0 ? undefined : chunkSize(payload.subarray(at, at + lf));
    if (size === undefined) return { content: concat([NONE, ...parts]), complete: false };
    at += lf + 1;
    if (size === 0) return { content: concat([NONE, ...parts]), complete: true };
    parts.push(payload.subarray(at, at + size));
    at += size;
    if (at >= payload.length) return { content: concat(parts), complete: false };
    if (payload[at] === 13) at++;
    if (payload[at] === 10) at++;
  }
}

function chunkSize(line: Uint8Array): number | undefined {
  const hex = /^\s*([0-9a-fA-F]{1,12})\s*(?:;|$)/.exec(latin1.decode(line.subarray(0, 100)));
  return hex === null ? undefined : parseInt(hex[1]!, 16);
}

/** A status line without a number is a page all the same: browsers take it for 200. */
function statusOf(line: string): number {
  const [, digits = ""] = /^[^ \t]*[ \t]*(\d{0,4})/.exec(line)!;
  if (digits === "") return 200;
  return digits.length === 3 ? Number(digits) : 0;
}

function isResponse(block: Uint8Array): boolean {
  return startsWith(block, "HTTP") || startsWith(block, "http") || startsWith(block, "ICY");
}

/** Whether the first line is a status line, or a request line: a method, a blank. */
function hasHead(block: Uint8Array): boolean {
  if (isResponse(block)) return true;
  for (let i = 0; i < Math.min(block.length, 20); i++) {
    const byte = block[i]!;
    if (byte === 32) {
      return i > 2 && /^[^\n]* HTTP\/\d/.test(latin1.decode(block.subarray(0, 65536)));
    }
    if (byte < 65 || byte > 90) return false;
  }
  return false;
}

function trimCr(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function message(
  startLine: string,
  status: number,
  headers: [string, string][],
  head: Uint8Array,
  payload: Uint8Array,
): HttpBlock {
  return {
    startLine,
    status,
    headers,
    get(name) {
      const wanted = name.toLowerCase();
      return headers.find(([n]) => n.toLowerCase() === wanted)?.[1];
    },
    head,
    payload,
  };
}
