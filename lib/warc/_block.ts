/**
 * The answer as it is stored: header lines as served, but none that is not true of the bytes that
 * follow.
 *
 * @module
 */

import { concat, utf8Bytes } from "./_bytes.ts";

const PREFIX = utf8Bytes("X-Crawler-");
const LF = 10, CR = 13, COLON = 58, SPACE = 32, TAB = 9;
const LENGTH = "content-length", CODING = "transfer-encoding";

/**
 * The head to store before a body from which transfer coding was removed. A `Transfer-Encoding`,
 * and a `Content-Length` that is not the body's, is renamed with the prefix `X-Crawler-`, and a
 * true `Content-Length` is added after the last line; nothing else is changed, and a head that
 * needs no change is given back itself. A missing blank line at the end is put there.
 *
 * A 304 speaks of the length that its payload would have (RFC 9110 section 8.6), so its
 * `Content-Length` is left alone and none is added.
 *
 * @param head Status line and header lines; empty for HTTP/0.9, and then so is the result.
 * @param bodyLength Bytes that follow.
 */
export function cleanHead(head: Uint8Array, status: number, bodyLength: number): Uint8Array {
  if (head.length === 0) return head;
  const notModified = status === 304 && bodyLength === 0;
  const rename: number[] = [];
  let blank = -1; // where the blank line begins
  for (let at = 0; at < head.length;) {
    const lf = head.indexOf(LF, at);
    const end = lf < 0 ? head.length : lf + 1;
    if (head[at] === LF || (head[at] === CR && head[at + 1] === LF)) {
      blank = at;
      break;
    }
    const first = head[at]! | 32;
    if (at > 0 && (first === 116 || first === 99)) { // t, c
      if (isName(head, at, end, CODING)) rename.push(at);
      else if (!notModified && isName(head, at, end, LENGTH) && !saysLength(head, at, bodyLength)) {
        rename.push(at);
      }
    }
    at = end;
  }
  if (rename.length === 0 && blank >= 0) return head;
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const at of rename) {
    parts.push(head.subarray(from, at), PREFIX);
    from = at;
  }
  const linesEnd = blank >= 0 ? blank : head.length;
  parts.push(head.subarray(from, linesEnd));
  let added = head[linesEnd - 1] === LF ? "" : "\r\n";
  if (rename.length > 0 && !notModified) added += `Content-Length: ${bodyLength}\r\n`;
  if (blank < 0) added += "\r\n";
  parts.push(utf8Bytes(added));
  if (blank >= 0) parts.push(head.subarray(blank));
  return concat(parts);
}

/** Whether the line at `at` has this name, in any case, perhaps with blanks before the colon. */
function isName(bytes: Uint8Array, at: number, end: number, name: string): boolean {
  if (at + name.length >= end) return false;
  for (let i = 0; i < name.length; i++) {
    const byte = bytes[at + i]!;
    const lower = byte >= 65 && byte <= 90 ? byte | 32 : byte;
    if (lower !== name.charCodeAt(i)) return false;
  }
  let i = at + name.length;
  while (i < end && (bytes[i] === SPACE || bytes[i] === TAB)) i++;
  return bytes[i] === COLON;
}

/**
 * Whether the field at `at` states this length and nothing else. A server may repeat it
 * (`5, 5`, RFC 9110 section 8.6) or fold the line.
 */
function saysLength(bytes: Uint8Array, at: number, length: number): boolean {
  let end = at;
  do {
    const lf = bytes.indexOf(LF, end);
    end = lf < 0 ? bytes.length : lf + 1;
  } while (end < bytes.length && (bytes[end] === SPACE || bytes[end] === TAB));
  const value = latin1(bytes.subarray(bytes.indexOf(COLON, at) + 1, Math.min(end, at + 1000)));
  return value.split(",").every((one) => /^\d{1,16}$/.test(one.trim()) && Number(one) === length);
}

function latin1(bytes: Uint8Array): string {
  let s = "";
  for (const byte of bytes) s += String.fromCharCode(byte);
  return s;
}
