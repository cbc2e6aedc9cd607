/**
 * Gzip members found in a stream, with their exact lengths.
 *
 * @module
 */

import { crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import type { Buffer } from "node:buffer";
import { concat, NONE, plain } from "./_bytes.ts";
import { type Inflated, inflateWhole } from "./_inflate.ts";
import { ByteQueue } from "./_queue.ts";

/** A member is inflated in one go when it lies in this many bytes and holds no more than ... */
const WINDOW = 1 << 20;
/** ... this many. */
const WHOLE = 8 << 20;
/** Bytes given to the engine at a time otherwise; a fault loses what a piece would have given. */
const PIECE = 4096;
/** Raw bytes kept to look for the next record in, should the member be broken. */
const KEPT = 1 << 20;
const MAX_HEADER = 1 << 16;

const CUT = "the file ends in a gzip member";

/** Why a member is no whole one. */
export interface MemberFault {
  readonly reason: string;
  /**
   * `cut`: the file ends inside the member. `sum`: its end was reached, but what it held is not
   * what went in. `broken`: nobody knows where it ends.
   */
  readonly kind: "cut" | "sum" | "broken";
}

/** A member being read. */
export interface Member {
  /** What it holds; ends early when the member is broken. */
  readonly content: ByteQueue;
  /** Bytes of the whole member, once `content` has ended without a fault. */
  readonly length: number | undefined;
  /** What is wrong with it, once `content` has ended. */
  readonly fault: MemberFault | undefined;
  /** Raw bytes last read from the source, for looking again after a fault. */
  readonly kept: () => Uint8Array;
  /** Lets go of the engine. */
  readonly close: () => void;
}

/** Whether a gzip member may begin here: ID, deflate, no reserved flag. RFC 1952 section 2.3.1. */
export function isMagic(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x1f && bytes[at + 1] === 0x8b && bytes[at + 2] === 8 &&
    (bytes[at + 3]! & 0xe0) === 0;
}

/** Opens the member that begins at the source's position. */
export async function openMember(source: ByteQueue): Promise<Member> {
  // A window well larger than most members wastes little on the one that does not fit in it.
  if (source.size < WINDOW / 16) await source.fill(WINDOW / 4);
  for (;;) {
    const header = headerLength(source.view);
    if (header < 0) return broken("a gzip header that makes no sense", "broken");
    if (header > 0) {
      const whole = inflateWhole(source.view.subarray(header), WHOLE);
      if (whole !== undefined) return await finishWhole(source, header, whole);
    }
    if (source.ended || source.size >= WINDOW) break;
    await source.fill(Math.min(WINDOW, source.size * 2));
  }
  const header = headerLength(source.view);
  if (header === 0) return broken("the file ends in a gzip header", "cut");
  return new StreamedMember(source, header);
}

/**
 * Whether inflating what lies here gives a record's first bytes.
 *
 * @param bytes At a possible member.
 */
export function holdsRecord(bytes: Uint8Array): boolean {
  const header = headerLength(bytes);
  if (header <= 0) return false;
  try {
    // With Z_SYNC_FLUSH (2) the end of the piece is no error.
    const start = inflateRawSync(bytes.subarray(header, header + 512), {
      finishFlush: 2,
      maxOutputLength: 1 << 20,
    });
    return start.length >= 5 && start.subarray(0, 5).toString("latin1") === "WARC/";
  } catch {
    return false; // no deflate data: the question was whether it is
  }
}

/** Length of the member's header; 0 if more bytes are needed to know, -1 if it is none. */
function headerLength(bytes: Uint8Array): number {
  if (bytes.length < 10) return 0;
  if (!isMagic(bytes, 0)) return -1;
  const flags = bytes[3]!;
  let at = 10;
  if (flags & 4) {
    if (at + 2 > bytes.length) return 0;
    at += 2 + bytes[at]! + bytes[at + 1]! * 256;
  }
  for (const flag of [8, 16]) { // name, comment
    if ((flags & flag) === 0) continue;
    const zero = bytes.indexOf(0, at);
    if (zero < 0) return bytes.length - at > MAX_HEADER ? -1 : 0;
    at = zero + 1;
  }
  if (flags & 2) at += 2;
  return at > bytes.length ? 0 : at;
}

async function finishWhole(source: ByteQueue, header: number, whole: Inflated): Promise<Member> {
  const content = ByteQueue.of(whole.bytes);
  const length = header + whole.consumed + 8;
  const there = await source.fill(length);
  const raw = source.take(there ? length : source.size);
  const reason = there
    ? trailerFault(raw.subarray(length - 8), crc32(whole.bytes as Buffer), whole.bytes.length)
    : CUT;
  const fault: MemberFault | undefined = reason === undefined
    ? undefined
    : { reason, kind: there ? "sum" : "cut" };
  return {
    content,
    length: fault === undefined ? length : undefined,
    fault,
    kept: () => raw,
    close: () => {},
  };
}

function trailerFault(trailer: Uint8Array, crc: number, size: number): string | undefined {
  const view = new DataView(trailer.buffer, trailer.byteOffset, 8);
  if (view.getUint32(0, true) !== crc >>> 0) return "the gzip checksum is wrong";
  return view.getUint32(4, true) !== size % 2 ** 32 ? "the gzip length is wrong" : undefined;
}

function broken(reason: string, kind: MemberFault["kind"]): Member {
  return {
    content: ByteQueue.of(NONE),
    length: undefined,
    fault: { reason, kind },
    kept: () => NONE,
    close: () => {},
  };
}

/** A member that is large, cut or broken. */
class StreamedMember implements Member {
  readonly content: ByteQueue;
  length: number | undefined;
  fault: MemberFault | undefined;
  readonly #source: ByteQueue;
  readonly #stream = createInflateRaw();
  readonly #begin: number;
  #ended = false;
  #failed: Error | undefined;
  #out: Uint8Array[] = [];
  #crc = 0;
  #size = 0;
  #kept: Uint8Array[] = [];
  #keptBytes = 0;

  constructor(source: ByteQueue, header: number) {
    this.#source = source;
    this.#begin = source.offset;
    this.#take(header);
    this.#stream.on("data", (bytes: Uint8Array) => this.#out.push(plain(bytes)));
    this.#stream.on("end", () => this.#ended = true);
    this.#stream.on("error", (error: Error) => this.#failed ??= error);
    this.content = new ByteQueue(() => this.#pull());
  }

  readonly kept = (): Uint8Array => concat([NONE, ...this.#kept]);
  readonly close = (): void => void this.#stream.destroy();

  async #pull(): Promise<Uint8Array | undefined> {
    if (this.fault !== undefined || this.length !== undefined) return undefined;
    const source = this.#source;
    while (this.#out.length === 0) {
      if (this.#failed !== undefined) return this.#end(`gzip: ${this.#failed.message}`, "broken");
      if (this.#ended) return await this.#finish();
      if (!await source.fill(1)) return this.#end(CUT, "cut");
      await this.#feed(source.view.subarray(0, PIECE));
    }
    const bytes = concat(this.#out);
    this.#out = [];
    this.#crc = crc32(bytes as Buffer, this.#crc);
    this.#size += bytes.length;
    return bytes;
  }

  /** Gives a piece to the engine and takes from the source what it used of it. */
  async #feed(piece: Uint8Array): Promise<void> {
    const before = this.#stream.bytesWritten;
    await new Promise<void>((resolve) => {
      const settle = (error?: Error | null): void => {
        if (error) this.#failed ??= error;
        this.#stream.off("error", settle);
        resolve();
      };
      this.#stream.once("error", settle);
      this.#stream.write(piece, settle);
    });
    const used = this.#stream.bytesWritten - before;
    if (used < piece.length && this.#failed === undefined) {
      // The engine left bytes: its end is on the way, behind what it still has to give.
      if (!this.#ended) {
        await new Promise<void>((resolve) => {
          for (const event of ["end", "error", "close"]) this.#stream.once(event, () => resolve());
        });
      }
    }
    this.#take(this.#failed === undefined ? used : piece.length);
  }

  async #finish(): Promise<undefined> {
    if (!await this.#source.fill(8)) return this.#end(CUT, "cut");
    const fault = trailerFault(this.#source.view.subarray(0, 8), this.#crc, this.#size);
    this.#take(8);
    if (fault !== undefined) return this.#end(fault, "sum");
    this.length = this.#source.offset - this.#begin;
    this.close();
    return undefined;
  }

  #end(reason: string, kind: MemberFault["kind"]): undefined {
    this.fault = { reason, kind };
    this.close();
    return undefined;
  }

  #take(n: number): void {
    const bytes = this.#source.take(n);
    this.#kept.push(bytes);
    this.#keptBytes += n;
    while (this.#keptBytes - this.#kept[0]!.length >= KEPT) {
      this.#keptBytes -= this.#kept.shift()!.length;
    }
  }
}
