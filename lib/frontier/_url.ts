/**
 * Looking at URLs as bytes, where most of what is offered is known already and never becomes a string.
 *
 * @module
 */

import { FrontierError } from "./errors.ts";

const COLON = 58,
  SLASH = 47,
  AT = 64,
  QUESTION = 63,
  HASH = 35,
  OPEN = 91,
  CLOSE = 93,
  NEWLINE = 10;

/** Calls `visit` with the range of every line that is not empty. */
export function eachLine(bytes: Uint8Array, visit: (start: number, end: number) => void): void {
  for (let start = 0; start < bytes.length;) {
    let end = bytes.indexOf(NEWLINE, start);
    if (end < 0) end = bytes.length;
    if (end > start) visit(start, end);
    start = end + 1;
  }
}

/** Where the host of an absolute URL begins; -1 when it has none. */
export function hostStart(bytes: Uint8Array, start: number, end: number): number {
  // The longest scheme of a page is "https".
  let at = start;
  while (at < end && at < start + 8 && bytes[at] !== COLON) at++;
  if (bytes[at] !== COLON || bytes[at + 1] !== SLASH || bytes[at + 2] !== SLASH) return -1;
  const from = at + 3;
  for (let i = from; i < end; i++) {
    const byte = bytes[i];
    if (byte === AT) return i + 1;
    if (byte === SLASH || byte === QUESTION || byte === HASH) break;
  }
  return from;
}

/** Where the host that begins at `from` ends: before the port, the path, the query. */
export function hostEnd(bytes: Uint8Array, from: number, end: number): number {
  if (bytes[from] === OPEN) {
    const close = bytes.indexOf(CLOSE, from);
    return close < 0 || close >= end ? from : close + 1;
  }
  for (let i = from; i < end; i++) {
    const byte = bytes[i];
    if (byte === SLASH || byte === COLON || byte === QUESTION || byte === HASH) return i;
  }
  return end;
}

/** Whether all of the bytes are ASCII. */
export function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i]! > 127) return false;
  return true;
}

/** Whether the bytes are this text; text that is not ASCII never is. */
export function sameText(text: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127 || code !== bytes[start + i]) return false;
  }
  return true;
}

/** @throws {FrontierError} when the priority is not a positive finite number. */
export function checkPriority(priority: number): void {
  if (!(priority > 0 && priority < Infinity)) {
    throw new FrontierError(`Cannot use the priority ${priority}: it must be positive and finite.`);
  }
}

/** @throws {FrontierError} when an offer is not one line, or its numbers are out of range. */
export function checkOffer(url: string, priority: number, depth: number): void {
  checkPriority(priority);
  if (!Number.isInteger(depth) || depth < 0 || depth > 0xffffffff) {
    throw new FrontierError(`Cannot use the depth ${depth}: it must be a whole number from 0 up.`);
  }
  if (url === "" || url.includes("\n")) {
    throw new FrontierError(`Cannot put ${JSON.stringify(url)}: it must be one URL.`);
  }
}
