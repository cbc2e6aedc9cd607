import { ByteSink } from "./_byte_sink.ts";
import { BlankLine, CR, type Head, HT, LF, readHead, SP } from "./_head.ts";
import { FetchError } from "./errors.ts";
import type { Truncation } from "./types.ts";

/** Bounds of an {@linkcode AnswerParser}. */
export interface AnswerLimits {
  /** Most body bytes, transfer coding removed. */
  readonly bodyCap: number;
  /** Most bytes of status line and headers, interim answers included. */
  readonly headCap: number;
  /** Keep the final answer's bytes as they came. */
  readonly keepWire: boolean;
}

/** The parser's own account of an answer. */
export interface Answer {
  readonly status: number;
  readonly version: string;
  readonly head: Uint8Array;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  readonly wire?: Uint8Array;
  readonly truncated?: Truncation;
}

/** Most 1xx answers before the one that counts; their bytes count against the head's bound too. */
const MAX_INTERIM = 64;
/** Longest chunk-size line, extensions included. */
const MAX_SIZE_LINE = 4096;
/** Most bytes of trailers. */
const MAX_TRAILERS = 64 * 1024;
/** Chunk framing allowed beyond as many bytes as the body may have. */
const SPARE_FRAMING = 64 * 1024;
/** Blank lines forgiven before a status line, in bytes. */
const MAX_LEAD = 8;

/** What an answer may open with: a status line, an ICY one, a TLS alert record. */
const OPENINGS = ["HTTP/", "ICY ", "\x15\x03"] as const;
const TLS_ALERT = 2;

const enum State {
  Opening,
  Head,
  Length,
  Close,
  Size,
  Data,
  DataEnd,
  Trailer,
  Done,
}

/** Where in a chunk-size line the parser stands. */
const enum SizeLine {
  Lead,
  Digits,
  Blank,
  Extension,
  End,
}

const EMPTY = new Uint8Array(0);

/** Thrown where a reused connection brings bytes that open no answer. */
export class StrayBytes extends Error {
  override readonly name = "StrayBytes";
}

function hexOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/**
 * An HTTP/1.x answer read from bytes as they come, in whatever pieces: the result is the same however they
 * are split. It knows nothing of sockets. What strict readers refuse, and servers send, is read as a
 * browser would; where an answer contradicts itself, what is certain is kept and the connection is not.
 *
 * Feed it with {@linkcode AnswerParser.feed} until {@linkcode AnswerParser.done}; tell it of the
 * connection's end with {@linkcode AnswerParser.end} and of the deadline with {@linkcode AnswerParser.cut}.
 */
export class AnswerParser {
  readonly #limits: AnswerLimits;
  readonly #allowBare: boolean;
  #state: State = State.Opening;
  #reusable = false;
  #truncated: Truncation | undefined;

  #lead = 0;
  #opening = "";
  readonly #blank = new BlankLine();
  readonly #headBytes = new ByteSink();
  #headTotal = 0;
  #interim = 0;
  #rawHead: Uint8Array = EMPTY;
  #head: Head | undefined;

  readonly #body = new ByteSink();
  readonly #wire = new ByteSink();
  /** Bytes of the body still to come in `Length`, of the chunk in `Data`. */
  #left = 0;
  /** Most bytes read in `Close`: the longest length announced. */
  #longest = Infinity;

  #sizeLine: SizeLine = SizeLine.Lead;
  #sizeLength = 0;
  #size = 0;
  #chunks = 0;
  #framing = 0;
  #trailers = 0;
  #sawCr = false;

  /**
   * A parser for one answer.
   *
   * @param allowBare Whether an answer without a status line is taken for HTTP/0.9. Not on a connection that
   * has carried an answer before: what comes there without one is the rest of that answer.
   */
  constructor(limits: AnswerLimits, allowBare: boolean) {
    this.#limits = limits;
    this.#allowBare = allowBare;
  }

  /** Whether the answer is over. */
  get done(): boolean {
    return this.#state === State.Done;
  }

  /** Whether any byte has come that is not a blank line. */
  get begun(): boolean {
    return this.#state !== State.Opening || this.#opening !== "" || this.#interim > 0;
  }

  /** Whether the final answer's head is whole, so that the end of the connection leaves a result. */
  get hasHead(): boolean {
    return this.#head !== undefined;
  }

  /** Whether the connection can carry another exchange: nothing lied, nothing is left over. */
  get reusable(): boolean {
    return this.#state === State.Done && this.#reusable;
  }

  /**
   * Takes in the next bytes. Bytes past the answer's end are not read, and spoil the connection.
   *
   * @throws {FetchError} Of kind `other` for a head past its bound, too many interim answers, a status
   * that is none, or a TLS record.
   */
  feed(bytes: Uint8Array): void {
    const end = bytes.length;
    let at = 0;
    let wireFrom = 0;
    while (at < end && this.#state !== State.Done) {
      switch (this.#state) {
        case State.Opening:
          at = this.#feedOpening(bytes, at);
          break;
        case State.Head: {
          const interim = this.#interim;
          at = this.#feedHead(bytes, at);
          if (this.#interim !== interim) {
            this.#wire.clear();
            wireFrom = at;
          }
          break;
        }
        case State.Length:
          at = this.#feedLength(bytes, at);
          break;
        case State.Close:
          at = this.#feedClose(bytes, at);
          break;
        case State.Size:
          at = this.#feedSize(bytes, at);
          break;
        case State.Data:
          at = this.#feedData(bytes, at);
          break;
        case State.DataEnd:
          at = this.#feedDataEnd(bytes, at);
          break;
        case State.Trailer:
          at = this.#feedTrailer(bytes, at);
          break;
      }
    }
    if (this.#limits.keepWire && at > wireFrom) this.#wire.append(bytes, wireFrom, at);
    if (at < end) this.#reusable = false;
  }

  /**
   * The connection is over: in order (`true`: a close, also one that TLS was not told of) or not (a reset).
   *
   * @throws {FetchError} Of kind `other`, reason `eof`, if no head has come whole.
   */
  end(orderly: boolean): void {
    if (this.#state === State.Done) return;
    this.#reusable = false;
    if (
      this.#state === State.Opening && orderly && this.#opening !== "" && this.#allowBare
    ) {
      this.#bare();
    }
    if (this.#head === undefined) {
      throw new FetchError(
        "other",
        `Cannot read the answer: the connection ended ${
          this.begun ? "inside its head" : "before it began"
        }`,
        { reason: "eof" },
      );
    }
    // Bytes that never grew to a chunk-size line were the body.
    if (this.#state === State.Size && this.#chunks === 0 && this.#headBytes.length > 0) {
      this.#notChunked();
    }
    if (this.#complete() && orderly) this.#finish(undefined);
    else this.#finish(this.#state === State.Trailer ? undefined : "disconnect");
  }

  /**
   * The deadline is over. Leaves what has come as the result, and says whether there is one.
   */
  cut(): boolean {
    if (this.#state === State.Done) return true;
    if (this.#head === undefined) return false;
    this.#reusable = false;
    if (this.#state === State.Size && this.#chunks === 0 && this.#headBytes.length > 0) {
      this.#notChunked();
    }
    const whole = this.#state === State.Trailer ||
      (this.#head.lengths.length > 1 && this.#complete());
    this.#finish(whole ? undefined : "time");
    return true;
  }

  /** The answer, once {@linkcode AnswerParser.done}. To be taken once: the buffers go with it. */
  answer(): Answer {
    const head = this.#head;
    if (head === undefined || this.#state !== State.Done) {
      throw new TypeError("Cannot take the answer: it is not over");
    }
    const answer: { -readonly [K in keyof Answer]: Answer[K] } = {
      status: head.status,
      version: head.version,
      head: this.#rawHead,
      headers: head.headers,
      body: this.#body.take(),
    };
    if (this.#limits.keepWire) {
      const wire = this.#wire.take();
      // Blank lines forgiven before the status line are no part of the head that the bytes begin with.
      answer.wire = head.version === "HTTP/0.9" ? wire : wire.subarray(this.#lead);
    }
    if (this.#truncated !== undefined) answer.truncated = this.#truncated;
    return answer;
  }

  #finish(truncated: Truncation | undefined): void {
    this.#truncated = truncated;
    if (truncated !== undefined) this.#reusable = false;
    this.#state = State.Done;
  }

  /** Whether a body that only the connection's end delimits may end here. */
  #complete(): boolean {
    if (this.#state !== State.Close) return false;
    const lengths = this.#head?.lengths ?? [];
    return lengths.length === 0 || lengths.includes(this.#body.length);
  }

  /** Reads on until it is certain what the answer opens with. */
  #feedOpening(bytes: Uint8Array, start: number): number {
    if (
      this.#opening === "" && this.#lead === 0 && bytes.length - start >= 5 &&
      bytes[start] === 72 && bytes[start + 1] === 84 && bytes[start + 2] === 84 &&
      bytes[start + 3] === 80 && bytes[start + 4] === 47
    ) {
      this.#state = State.Head;
      return start;
    }
    const byte = bytes[start]!;
    if (this.#opening === "" && (byte === CR || byte === LF) && this.#lead < MAX_LEAD) {
      this.#lead++;
      this.#headBytes.push(byte);
      return start + 1;
    }
    const opening = this.#opening + String.fromCharCode(byte).toUpperCase();
    const match = OPENINGS.findIndex((word) => word.startsWith(opening));
    if (match < 0) {
      this.#bare();
      // The byte itself is the body's, and read as such.
      return start;
    }
    this.#opening = opening;
    this.#headBytes.push(byte);
    if (opening !== OPENINGS[match]) return start + 1;
    if (match === TLS_ALERT) {
      throw new FetchError("other", "Cannot read the answer: the port speaks TLS, not http", {
        reason: "tls-port",
      });
    }
    const read = this.#headBytes.take();
    this.#headBytes.append(read, this.#lead, read.length);
    this.#blank.feed(bytes, start, start + 1);
    this.#state = State.Head;
    return start + 1;
  }

  /** No status line: HTTP/0.9, the body from the first byte on. */
  #bare(): void {
    if (!this.#allowBare) {
      throw new StrayBytes("bytes came that open no answer");
    }
    const read = this.#headBytes.take();
    this.#head = {
      status: 200,
      version: "HTTP/0.9",
      headers: [],
      framing: "close",
      lengths: [],
      keepAlive: false,
    };
    this.#state = State.Close;
    this.#feedClose(read, 0);
  }

  #feedHead(bytes: Uint8Array, start: number): number {
    let line = start;
    for (;;) {
      const lf = bytes.indexOf(LF, line);
      if (lf < 0) {
        this.#blank.feed(bytes, line, bytes.length);
        this.#headBytes.append(bytes, start, bytes.length);
        this.#checkHead(this.#headBytes.length);
        return bytes.length;
      }
      const blank = this.#blank.feed(bytes, line, lf);
      this.#blank.next();
      line = lf + 1;
      if (blank) break;
    }
    this.#checkHead(this.#headBytes.length + line - start);
    let raw: Uint8Array;
    if (this.#headBytes.length === 0) {
      raw = bytes.slice(start, line);
    } else {
      this.#headBytes.append(bytes, start, line);
      raw = this.#headBytes.take();
    }
    this.#headTotal += raw.length;
    const head = readHead(raw);
    if (head.status < 200 && head.status !== 101) {
      if (++this.#interim > MAX_INTERIM) {
        throw new FetchError(
          "other",
          `Cannot read the answer: more than ${MAX_INTERIM} interim answers before it`,
          { reason: "interim" },
        );
      }
      this.#opening = "";
      this.#lead = 0;
      this.#state = State.Opening;
      return line;
    }
    this.#rawHead = raw;
    this.#head = head;
    this.#startBody(head);
    return line;
  }

  #checkHead(length: number): void {
    if (this.#headTotal + length <= this.#limits.headCap) return;
    throw new FetchError(
      "other",
      `Cannot read the answer: its head is longer than ${this.#limits.headCap} bytes`,
      { reason: "head-too-long" },
    );
  }

  #startBody(head: Head): void {
    this.#reusable = head.keepAlive && this.#lead === 0;
    switch (head.framing) {
      case "none":
        this.#finish(undefined);
        return;
      case "length": {
        const length = head.lengths[0]!;
        const want = Math.min(length, this.#limits.bodyCap);
        if (want === 0) {
          this.#finish(length > 0 ? "length" : undefined);
          return;
        }
        this.#body.expect(want);
        this.#left = length;
        this.#state = State.Length;
        return;
      }
      case "chunked":
        this.#state = State.Size;
        return;
      case "close":
        this.#startClose(head.lengths);
        return;
    }
  }

  #startClose(lengths: readonly number[]): void {
    if (lengths.length > 0) this.#longest = Math.max(...lengths);
    this.#state = State.Close;
    if (this.#longest === 0) this.#finish(undefined);
  }

  #feedLength(bytes: Uint8Array, start: number): number {
    const room = this.#limits.bodyCap - this.#body.length;
    const end = Math.min(bytes.length, start + Math.min(this.#left, room));
    this.#body.append(bytes, start, end);
    this.#left -= end - start;
    if (this.#left === 0) this.#finish(undefined);
    else if (this.#body.length === this.#limits.bodyCap) this.#finish("length");
    return end;
  }

  #feedClose(bytes: Uint8Array, start: number): number {
    const { bodyCap } = this.#limits;
    const room = Math.min(bodyCap, this.#longest) - this.#body.length;
    const end = Math.min(bytes.length, start + room);
    if (end > start) this.#body.append(bytes, start, end);
    if (this.#body.length === this.#longest) this.#finish(undefined);
    else if (end < bytes.length) this.#finish("length");
    return end;
  }

  #feedSize(bytes: Uint8Array, start: number): number {
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at]!;
      const first = this.#chunks === 0;
      let valid = ++this.#sizeLength <= MAX_SIZE_LINE;
      if (valid && byte === LF) {
        valid = this.#sizeLine !== SizeLine.Lead;
        if (valid) {
          this.#startChunk();
          return at + 1;
        }
      } else if (valid) {
        valid = this.#sizeByte(byte);
      }
      if (!valid) {
        if (!first) {
          this.#finish("disconnect");
          return at;
        }
        this.#notChunked();
        return at;
      }
      if (first) this.#headBytes.push(byte);
    }
    return bytes.length;
  }

  /** Takes in a byte of a chunk-size line, blanks around the digits forgiven; false if it cannot be one. */
  #sizeByte(byte: number): boolean {
    const blank = byte === SP || byte === HT;
    switch (this.#sizeLine) {
      case SizeLine.Lead:
        if (blank) return true;
        this.#sizeLine = SizeLine.Digits;
        this.#size = hexOf(byte);
        return this.#size >= 0;
      case SizeLine.Digits: {
        const digit = hexOf(byte);
        if (digit >= 0) {
          this.#size = this.#size * 16 + digit;
          return this.#size <= Number.MAX_SAFE_INTEGER;
        }
        break;
      }
      case SizeLine.Blank:
        break;
      case SizeLine.Extension:
        return true;
      case SizeLine.End:
        return byte === CR;
    }
    if (blank) this.#sizeLine = SizeLine.Blank;
    else if (byte === CR) this.#sizeLine = SizeLine.End;
    else if (byte === 59) this.#sizeLine = SizeLine.Extension;
    else return false;
    return true;
  }

  #startChunk(): void {
    this.#headBytes.clear();
    this.#chunks++;
    this.#framing += this.#sizeLength + 2;
    this.#sizeLength = 0;
    this.#sizeLine = SizeLine.Lead;
    this.#left = this.#size;
    if (this.#size === 0) {
      this.#blank.next();
      this.#state = State.Trailer;
    } else if (
      this.#body.length === this.#limits.bodyCap ||
      this.#framing > this.#limits.bodyCap + SPARE_FRAMING
    ) {
      this.#finish("length");
    } else {
      this.#state = State.Data;
    }
  }

  /** The head says chunked and the first bytes say otherwise: they are the body. */
  #notChunked(): void {
    this.#reusable = false;
    const read = this.#headBytes.take();
    this.#startClose(this.#head?.lengths.filter((n) => n > 0) ?? []);
    if (this.#state === State.Close && read.length > 0) this.#feedClose(read, 0);
  }

  #feedData(bytes: Uint8Array, start: number): number {
    const room = this.#limits.bodyCap - this.#body.length;
    const end = Math.min(bytes.length, start + Math.min(this.#left, room));
    this.#body.append(bytes, start, end);
    this.#left -= end - start;
    if (this.#left === 0) {
      this.#sawCr = false;
      this.#state = State.DataEnd;
    } else if (this.#body.length === this.#limits.bodyCap) {
      this.#finish("length");
    }
    return end;
  }

  #feedDataEnd(bytes: Uint8Array, start: number): number {
    const byte = bytes[start];
    if (byte === LF) {
      this.#state = State.Size;
      return start + 1;
    }
    if (byte === CR && !this.#sawCr) {
      this.#sawCr = true;
      return start + 1;
    }
    this.#finish("disconnect");
    return start;
  }

  #feedTrailer(bytes: Uint8Array, start: number): number {
    const lf = bytes.indexOf(LF, start);
    const wanted = lf < 0 ? bytes.length : lf + 1;
    const end = Math.min(wanted, start + MAX_TRAILERS - this.#trailers);
    this.#trailers += end - start;
    if (end < wanted) {
      // How far this goes on is nobody's business: the body is whole.
      this.#reusable = false;
      this.#finish(undefined);
      return end;
    }
    const blank = this.#blank.feed(bytes, start, lf < 0 ? end : lf);
    if (lf >= 0) {
      this.#blank.next();
      if (blank) this.#finish(undefined);
    }
    return end;
  }
}
