/**
 * Content coding undone, as servers really send it.
 *
 * @module
 */
import { type End, type Format, undo, type Undone } from "./_coding.ts";

/** Most bytes that a page's body is decoded to: bombs stop here. */
export const MAX_DECODED = 64 * 2 ** 20;

/** A body with its content coding undone, as far as that went. */
export interface DecodedBody {
  /** The decoded bytes; the body as it came where it could not be decoded at all. */
  readonly bytes: Uint8Array;
  /** Whether the whole chain of codings was undone, to the stream's own end. True where there was none. */
  readonly decoded: boolean;
  /** Whether decoding stopped at the bound. */
  readonly truncated: boolean;
  /** What was wrong, in a few words; absent where nothing was. */
  readonly error?: string;
}

/** Most codings one upon another; nobody sends more than two in earnest. */
const MAX_CODINGS = 5;

/** Formats by the name of the coding (RFC 9110 section 8.4.1, RFC 7932, RFC 8878). */
const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "zlib"],
  ["br", "br"],
  ["zstd", "zstd"],
]);

/** Words that stand for no coding; charsets and `none` are met where a coding belongs. */
const NO_CODING: ReadonlySet<string> = new Set(["", "identity", "none", "utf-8", "utf8"]);

/**
 * Undoes a body's content coding, synchronously and in bounded memory.
 *
 * What decodes is kept whatever follows: a stream that was cut or damaged gives its beginning, with
 * `decoded` false; bytes after the end of one are left out. A body that is not in the coding it claims, or
 * claims one that is unknown, is given as it came, with `decoded` false.
 *
 * @param body The body as served, transfer coding removed.
 * @param contentEncoding The Content-Encoding field's value, fields joined by commas; `""` for none.
 * @param maxBytes Most bytes of output; also the bound of every coding in between.
 *
 * @example
 * ```ts
 * import { decodeBody } from "@ccrawl/cli/fetch";
 * import { gzipSync } from "node:zlib";
 *
 * const { bytes, decoded } = decodeBody(gzipSync("<p>Hello"), "gzip", 1 << 20);
 * ```
 */
export function decodeBody(
  body: Uint8Array,
  contentEncoding: string,
  maxBytes: number,
): DecodedBody {
  const codings = splitCodings(contentEncoding);
  const formats: Format[] = [];
  for (const coding of codings) {
    const format = FORMATS.get(coding);
    if (format === undefined) {
      return asItIs(body, maxBytes, `unknown content coding ${quote(coding)}`);
    }
    formats.push(format);
  }
  if (formats.length > MAX_CODINGS) {
    return asItIs(body, maxBytes, `more than ${MAX_CODINGS} content codings`);
  }
  // Servers name a coding on answers without a body too.
  if (formats.length === 0 || body.length === 0) {
    return { ...bounded(body, maxBytes), decoded: true };
  }
  let bytes = body;
  for (let i = formats.length - 1; i >= 0; i--) {
    const one = undoOne(formats[i]!, bytes, maxBytes);
    if (one.end === "clean") {
      bytes = one.bytes;
      continue;
    }
    const nothing = one.end === "damaged" && one.bytes.length === 0;
    if (nothing || (one.end !== "full" && looksPlain(bytes))) {
      return asItIs(bytes, maxBytes, `the body is not ${codings[i]}`);
    }
    const outer = i > 0 ? undoRest(formats.slice(0, i), one.bytes, maxBytes) : one.bytes;
    return {
      bytes: outer,
      decoded: false,
      truncated: one.end === "full",
      error: WORDS[one.end](codings[i]!, maxBytes),
    };
  }
  return { bytes, decoded: true, truncated: false };
}

const WORDS: Record<Exclude<End, "clean">, (coding: string, maxBytes: number) => string> = {
  cut: (coding) => `the ${coding} stream is cut short`,
  damaged: (coding) => `the ${coding} stream is damaged`,
  full: (coding, maxBytes) => `the ${coding} stream decodes to more than ${maxBytes} bytes`,
};

/** Undoes one coding; `deflate` is zlib by the standard and raw by some servers. */
function undoOne(format: Format, bytes: Uint8Array, maxBytes: number): Undone {
  const one = undo(format, bytes, maxBytes);
  if (format !== "zlib" || one.end !== "damaged" || one.bytes.length > 0) return one;
  const raw = undo("deflate-raw", bytes, maxBytes);
  // Text taken for raw deflate yields rubbish before it fails.
  return raw.end === "damaged" ? one : raw;
}

/** Undoes the inner codings of a stream whose outer one ended early, as far as they go. */
function undoRest(formats: readonly Format[], bytes: Uint8Array, maxBytes: number): Uint8Array {
  let rest = bytes;
  for (let i = formats.length - 1; i >= 0; i--) rest = undoOne(formats[i]!, rest, maxBytes).bytes;
  return rest;
}

function asItIs(body: Uint8Array, maxBytes: number, error: string): DecodedBody {
  return { ...bounded(body, maxBytes), decoded: false, error };
}

function bounded(body: Uint8Array, maxBytes: number): { bytes: Uint8Array; truncated: boolean } {
  const truncated = body.length > maxBytes;
  return { bytes: truncated ? body.subarray(0, maxBytes) : body, truncated };
}

/** The codings in the order they were applied, lower-cased, without those that are none. */
function splitCodings(value: string): string[] {
  if (value === "") return [];
  return value.slice(0, 1000).toLowerCase().split(",").map((w) => w.trim())
    .filter((w) => !NO_CODING.has(w));
}

/** Whether the first bytes are all printable ASCII, which no compressed stream's are. */
function looksPlain(bytes: Uint8Array): boolean {
  const n = Math.min(bytes.length, 32);
  for (let i = 0; i < n; i++) {
    const c = bytes[i]!;
    if (!(c >= 0x20 && c < 0x7f) && c !== 0x09 && c !== 0x0a && c !== 0x0d) return false;
  }
  return true;
}

/** A word off the wire, fit for a message. */
function quote(word: string): string {
  return JSON.stringify(word.slice(0, 40));
}
