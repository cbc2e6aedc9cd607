/**
 * One content coding undone, synchronously, in one pass, into bounded memory.
 *
 * node:zlib's whole-buffer calls cannot say where a stream ended, give nothing of one that is too long or
 * has bytes after it, and do not notice a cut brotli or zstd stream. The stream objects' own handle can do
 * all of that, and takes half the time.
 *
 * @module
 */
import zlib from "node:zlib";

/** A coding by the format of its bytes. */
export type Format = "gzip" | "zlib" | "deflate-raw" | "br" | "zstd";

/** How the bytes of a stream ended. */
export type End =
  /** At the stream's own end, possibly with bytes after it that belong to nothing. */
  | "clean"
  /** Before it. */
  | "cut"
  /** At bytes that cannot be. */
  | "damaged"
  /** Where the bound was reached. */
  | "full";

/** What came out. */
export interface Undone {
  readonly bytes: Uint8Array;
  readonly end: End;
}

/** The part of node's zlib binding that is used: one step from input to output, state in two numbers. */
interface Handle {
  onerror: (message: string, errno: number, code: string) => void;
  writeSync(
    flush: number,
    input: Uint8Array,
    inputOffset: number,
    inputLength: number,
    output: Uint8Array,
    outputOffset: number,
    outputLength: number,
  ): void;
  close(): void;
}

interface Stream {
  readonly _handle?: Handle;
  readonly _writeState?: ArrayLike<number>;
}

/** RFC 9659 section 3: no window over 8 MB; a larger one is memory that a page has no claim to. */
const ZSTD_WINDOW_LOG = 23;
/** Z_FINISH makes zlib say when the input ends early; the others have no such sign. */
const Z_FINISH = 4;

function open(format: Format): Stream {
  switch (format) {
    case "gzip":
      return zlib.createGunzip() as unknown as Stream;
    case "zlib":
      return zlib.createInflate() as unknown as Stream;
    case "deflate-raw":
      return zlib.createInflateRaw() as unknown as Stream;
    case "br":
      return zlib.createBrotliDecompress() as unknown as Stream;
    case "zstd":
      return zlib.createZstdDecompress({
        params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
      }) as unknown as Stream;
  }
}

/** Output goes here first: the work is synchronous, so one buffer a thread is enough. */
const SCRATCH = new Uint8Array(256 << 10);
const PROBE = new Uint8Array([0x55, 0x55, 0x55, 0x55]);

/**
 * Undoes a coding. What decodes before the end, the damage or the bound is kept.
 *
 * @param maxBytes Most bytes that come out.
 * @throws {Error} If the runtime's node:zlib does not have the handle this needs.
 */
export function undo(format: Format, body: Uint8Array, maxBytes: number): Undone {
  const stream = open(format);
  const handle = stream._handle;
  const state = stream._writeState;
  if (typeof handle?.writeSync !== "function" || state === undefined) {
    throw new Error(
      "Cannot undo a content coding: this runtime's node:zlib has no synchronous stream handle; " +
        "run it with Deno 2.9 or newer",
    );
  }
  try {
    return new Run(format, handle, state, body, maxBytes).undo();
  } finally {
    handle.close();
  }
}

class Run {
  readonly #chunks: Uint8Array[] = [];
  #total = 0;
  #at = 0;
  #error = "";

  constructor(
    readonly format: Format,
    readonly handle: Handle,
    readonly state: ArrayLike<number>,
    readonly body: Uint8Array,
    readonly maxBytes: number,
  ) {
    handle.onerror = (message) => this.#error = message;
  }

  /** Moves as much as fits; gives the bytes that came out. */
  #step(input: Uint8Array, at: number, room: number): number {
    const flush = this.format === "br" || this.format === "zstd" ? 0 : Z_FINISH;
    try {
      this.handle.writeSync(flush, input, at, input.length - at, SCRATCH, 0, room);
    } catch (e) {
      // zstd throws where the others call back; nothing of this step is to be had then.
      this.#error = e instanceof Error ? e.message : String(e);
      return 0;
    }
    return room - this.state[0]!;
  }

  undo(): Undone {
    for (;;) {
      const left = this.maxBytes - this.#total;
      const room = Math.min(Math.max(left, 1), SCRATCH.length);
      const before = this.#at;
      const out = this.#step(this.body, this.#at, room);
      if (this.#error === "" || this.format !== "zstd") {
        this.#at = this.body.length - this.state[1]!;
      }
      // With no room left one byte was asked for, only to see whether there is more.
      if (left <= 0 && out > 0) return this.#end("full");
      if (out > 0) this.#chunks.push(SCRATCH.slice(0, out));
      this.#total += out;
      if (this.#error !== "") return this.#end(this.#failed());
      const stuck = out === 0 && this.#at === before;
      if (out < room && (this.#at === this.body.length || stuck || this.format !== "zstd")) break;
    }
    return this.#end(this.#finish());
  }

  /** What an error means. */
  #failed(): End {
    if (this.#error === "unexpected end of file") return "cut";
    // Bytes after a whole gzip member or zstd frame that begin no other: servers append line ends and worse.
    const after = this.format === "gzip"
      ? this.#at > 18 && this.#error === "incorrect header check"
      : this.format === "zstd" && this.#at > 0 && isFrameError(this.#error);
    return after ? "clean" : "damaged";
  }

  /** Whether a stream that gives no more had come to its own end. */
  #finish(): End {
    if (this.format === "gzip" || this.format === "zlib" || this.format === "deflate-raw") {
      return "clean";
    }
    // A brotli decoder stops taking input at its end and at damage alike, and does not say which.
    if (this.#at < this.body.length) return "damaged";
    this.#step(PROBE, 0, SCRATCH.length);
    if (this.format === "br") {
      if (this.state[1] !== PROBE.length) return "cut";
      // The shortest way to write nothing takes a few bytes.
      return this.#total === 0 && this.body.length > 16 ? "damaged" : "clean";
    }
    return isFrameError(this.#error) && this.body.length > 4 ? "clean" : "cut";
  }

  #end(end: End): Undone {
    if (this.#chunks.length === 1) return { bytes: this.#chunks[0]!, end };
    const bytes = new Uint8Array(this.#total);
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return { bytes, end };
  }
}

/** Whether a zstd decoder, standing between frames, met what begins none. */
function isFrameError(message: string): boolean {
  return message.toLowerCase().includes("frame descriptor");
}
