import { Buffer } from "node:buffer";
import { FetchError } from "./errors.ts";

/** How the end of an answer's body is found (RFC 9112 section 6.3). */
export type Framing = "none" | "length" | "chunked" | "close";

/** A status line and header lines, read. */
export interface Head {
  readonly status: number;
  readonly version: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly framing: Framing;
  /**
   * The announced lengths, one if the server was of one mind, none if it named no usable one. Lengths past
   * what a number holds exactly are `Infinity`.
   */
  readonly lengths: readonly number[];
  /** Whether the connection may carry another exchange when the body ends where it should. */
  readonly keepAlive: boolean;
}

export const LF = 10;
export const CR = 13;
export const SP = 32;
export const HT = 9;

const latin1Slice = Buffer.prototype.latin1Slice as (
  this: Uint8Array,
  start: number,
  end: number,
) => string;

function blank(code: number): boolean {
  return code === SP || code === HT;
}

/** `text.slice(start, end)` without blanks at either end. */
function trimmed(text: string, start: number, end: number): string {
  while (start < end && blank(text.charCodeAt(start))) start++;
  while (end > start && blank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Where the line that starts at `start` ends, its CRs and LF left out. */
function lineEnd(text: string, start: number, lf: number): number {
  let end = lf;
  while (end > start && text.charCodeAt(end - 1) === CR) end--;
  return end;
}

function statusOf(text: string, end: number): { version: string; status: number } {
  let i = 0;
  while (i < end && !blank(text.charCodeAt(i))) i++;
  const version = text.slice(0, Math.min(i, 16)).toUpperCase();
  while (i < end && blank(text.charCodeAt(i))) i++;
  const from = i;
  let status = 0;
  for (; i < end && i - from < 10; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) break;
    status = status * 10 + digit;
  }
  // A status line without a number is a page all the same: browsers take it for 200.
  if (i === from) return { version, status: 200 };
  if (status < 100 || status > 999) {
    throw new FetchError(
      "other",
      `Cannot read the answer: its status ${status} is not of three digits`,
      { reason: "bad-status" },
    );
  }
  return { version, status };
}

/** Splits header lines: folded ones are unfolded, those without a name are left to the raw head. */
function fieldsOf(text: string, from: number): [string, string][] {
  const fields: [string, string][] = [];
  let current: [string, string] | undefined;
  for (let start = from; start < text.length;) {
    let lf = text.indexOf("\n", start);
    if (lf < 0) lf = text.length;
    const end = lineEnd(text, start, lf);
    if (blank(text.charCodeAt(start)) && end > start) {
      if (current !== undefined) {
        const more = trimmed(text, start, end);
        if (more !== "") current[1] = current[1] === "" ? more : `${current[1]} ${more}`;
      }
    } else {
      current = undefined;
      const colon = text.indexOf(":", start);
      if (colon > start && colon < end) {
        const name = trimmed(text, start, colon);
        current = [name, trimmed(text, colon + 1, end)];
        fields.push(current);
      }
    }
    start = lf + 1;
  }
  return fields;
}

/** The values of a Content-Length field, -1 for one that is no length. */
function lengthsOf(value: string, into: number[]): void {
  for (const part of value.split(",")) {
    const text = part.trim();
    let digits = text.length > 0;
    for (let i = 0; i < text.length && digits; i++) {
      const code = text.charCodeAt(i);
      digits = code >= 48 && code <= 57;
    }
    const length = !digits ? -1 : Number(text);
    const exact = length > Number.MAX_SAFE_INTEGER ? Infinity : length;
    if (!into.includes(exact)) into.push(exact);
    // Nobody has a use for the tenth opinion, and a head has room for a hundred thousand.
    if (into.length >= 8) return;
  }
}

/** Whether a comma-separated field value holds a token, letter case aside. */
function hasToken(value: string, token: string): boolean {
  if (value.length === token.length) return value.toLowerCase() === token;
  if (value.length < token.length) return false;
  for (const part of value.split(",")) {
    const semicolon = part.indexOf(";");
    const word = semicolon < 0 ? part : part.slice(0, semicolon);
    if (word.trim().toLowerCase() === token) return true;
  }
  return false;
}

/**
 * Reads a head, from the first byte of the status line through the blank line. Lines end in LF, CRLF, or
 * any CRs and LF.
 *
 * @throws {FetchError} Of kind `other` if the status is a number, and not of three digits.
 */
export function readHead(bytes: Uint8Array): Head {
  const text = latin1Slice.call(bytes, 0, bytes.length);
  let lf = text.indexOf("\n");
  if (lf < 0) lf = text.length;
  const { version, status } = statusOf(text, lineEnd(text, 0, lf));
  const headers = fieldsOf(text, lf + 1);

  let chunked = false;
  let coded = false;
  let close = false;
  let alive = false;
  const seen: number[] = [];
  for (const [name, value] of headers) {
    // Most names are told apart by their length alone.
    switch (name.length) {
      case 10:
        if (name.toLowerCase() === "connection") {
          close ||= hasToken(value, "close");
          alive ||= hasToken(value, "keep-alive");
        }
        break;
      case 14:
        if (name.toLowerCase() === "content-length") lengthsOf(value, seen);
        break;
      case 17:
        if (name.toLowerCase() === "transfer-encoding") {
          if (hasToken(value, "chunked")) chunked = true;
          else if (value !== "" && !hasToken(value, "identity")) coded = true;
        }
        break;
    }
  }
  const lengths = seen.filter((length) => length >= 0);
  const persistent = version === "HTTP/1.1" ? !close : version === "HTTP/1.0" && alive && !close;
  // Two lengths, a length that is none, a length and chunks: whichever is right, the other is a lie.
  const oneMind = seen.length === lengths.length && seen.length <= 1 &&
    !(chunked && seen.length > 0) && !coded;

  let framing: Framing;
  let keepAlive = persistent && oneMind;
  if (status < 200 || status === 204 || status === 304) {
    framing = "none";
    // A 304 may name the length that a 200 would have; a 204 has none to name (RFC 9110 section 8.6).
    if (chunked || status === 101 || (status === 204 && lengths.some((n) => n > 0))) {
      keepAlive = false;
    }
  } else if (chunked) {
    framing = "chunked";
    if (version !== "HTTP/1.1") keepAlive = false;
  } else if (lengths.length === 1 && seen.length === 1 && !coded) {
    framing = "length";
  } else {
    framing = "close";
    keepAlive = false;
  }
  return { status, version, headers, framing, lengths, keepAlive };
}

/** Whether a line holds nothing but CRs, told from the bytes before its LF. */
export class BlankLine {
  #only = true;

  /** Takes in bytes of the line; false as soon as it is not blank. */
  feed(bytes: Uint8Array, start: number, end: number): boolean {
    for (let i = start; i < end && this.#only; i++) this.#only = bytes[i] === CR;
    return this.#only;
  }

  /** Starts the next line. */
  next(): void {
    this.#only = true;
  }
}
