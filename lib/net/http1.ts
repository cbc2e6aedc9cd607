/**
 * HTTP/1.1 on one connection: the request's bytes, and the conversation that brings the answer.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import type { Connection } from "./_connection.ts";
import { type Answer, type AnswerLimits, AnswerParser, StrayBytes } from "./_parser.ts";
import type { Ended } from "./_job.ts";
import { toFetchError } from "./errors.ts";

/** RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const BEYOND_LATIN1 = /[^\0-\xff]/;

const encoder = new TextEncoder();

const LINE_BREAK = /[\r\n\0]/;

/**
 * What is asked of the server: path and query as they stand in the URL, an empty query's `?` too, neither
 * user, password nor fragment.
 */
function targetOf(url: URL): string {
  const { href } = url;
  const start = href.indexOf("/", href.indexOf("//") + 2);
  const hash = href.indexOf("#", start);
  return hash < 0 ? href.slice(start) : href.slice(start, hash);
}

/**
 * The bytes of a GET: request line, `Host`, and the given header lines in their order. Values go out as
 * Latin-1 where they fit it, else as UTF-8.
 *
 * @throws {TypeError} If a name is no token or a value would break its line: CR, LF, NUL.
 */
export function encodeRequest(
  url: URL,
  headers: readonly (readonly [name: string, value: string])[],
): Uint8Array {
  let text = `GET ${targetOf(url)} HTTP/1.1\r\nHost: ${url.host}\r\n`;
  for (const [name, value] of headers) {
    if (!TOKEN.test(name)) {
      throw new TypeError(`Cannot send the header ${JSON.stringify(name)}: it is no header name`);
    }
    if (LINE_BREAK.test(value)) {
      throw new TypeError(`Cannot send the header ${name}: its value holds a line break or NUL`);
    }
    text += `${name}: ${value}\r\n`;
  }
  text += "\r\n";
  const bytes = encoder.encode(text);
  // Past ASCII, the two differ in length.
  if (bytes.length === text.length || BEYOND_LATIN1.test(text)) return bytes;
  return new Uint8Array(Buffer.from(text, "latin1"));
}

/** Thrown when a kept connection turns out to be over, before an answer began: a fresh one may do. */
export class StaleConnection extends Error {
  override readonly name = "StaleConnection";
}

/** What {@linkcode converse} goes by. */
export interface Conversation {
  readonly limits: AnswerLimits;
  /** The monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Set at every read that brings bytes. */
  readonly progress: { at: number; bytes: number } | undefined;
  /** Told when the request is written. */
  readonly onWritten: ((at: number) => void) | undefined;
  /**
   * Says why the connection was closed under the conversation, if it was: the deadline, or anything else.
   */
  readonly job: { readonly ended: Ended | undefined };
}

/** An answer, and when it came. */
export interface Conversed {
  readonly answer: Answer;
  readonly firstByteAt: number;
  readonly endedAt: number;
  /** Whether the connection is fit for another. */
  readonly reusable: boolean;
}

/**
 * Sends a request and reads the answer to its end, the deadline's or the caps'. Leaves the connection open;
 * it is the caller's to keep or close.
 *
 * @throws {FetchError} If no answer came, or none that can be read.
 * @throws {StaleConnection} If a connection that had carried an answer was over before this one began.
 * @throws The reason of {@linkcode Conversation.job}'s end, if it came before an answer's head was whole,
 * or for anything but the deadline.
 */
export async function converse(
  connection: Connection,
  request: Uint8Array,
  conversation: Conversation,
): Promise<Conversed> {
  const { limits, now, progress, onWritten, job } = conversation;
  const parser = new AnswerParser(limits, connection.carried === 0);
  // Not waited for: an answer may come before the request is through, and most come after.
  let sent = false;
  let sendError: unknown;
  connection.write(request).then(() => {
    sent = true;
    onWritten?.(now());
  }, (e) => {
    sendError = e;
  });
  let firstByteAt = 0;
  while (!parser.done) {
    let n: number | null = null;
    let readError: unknown;
    try {
      n = await connection.read();
    } catch (e) {
      readError = e ?? new Error("the read failed");
    }
    const bytes = connection.taken(n ?? 0);
    if (n !== null) {
      const at = now();
      if (firstByteAt === 0) firstByteAt = at;
      if (progress !== undefined) {
        progress.at = at;
        progress.bytes += bytes.length;
      }
      try {
        parser.feed(bytes);
      } catch (e) {
        if (e instanceof StrayBytes) throw new StaleConnection("it held stray bytes", { cause: e });
        throw e;
      }
    }
    const { ended } = job;
    if (ended !== undefined) {
      if (ended.deadline && parser.cut()) break;
      throw ended.reason;
    }
    if (n !== null) continue;
    // A peer that ends TCP without ending TLS has said all it wanted to: many do.
    const orderly = readError === undefined || readError instanceof Deno.errors.UnexpectedEof;
    if (!parser.begun && connection.carried > 0) {
      throw new StaleConnection("it was over", { cause: readError ?? sendError });
    }
    if (!orderly && !parser.hasHead) {
      throw toFetchError(readError, `read the answer of ${connection.ip}:${connection.port}`);
    }
    parser.end(orderly);
  }
  return {
    answer: parser.answer(),
    firstByteAt,
    endedAt: now(),
    reusable: parser.reusable && sent,
  };
}
