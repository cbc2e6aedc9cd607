/**
 * Reading archives, whoever wrote them.
 *
 * @module
 */

import { diskFs, fileBytes, type FileSystem } from "../files/mod.ts";
import { plain, startsWith } from "./_bytes.ts";
import { isMagic, type Member, type MemberFault, openMember } from "./_member.ts";
import { ByteQueue } from "./_queue.ts";
import { type RawRecord, readRecord } from "./_record.ts";
import { findRecord, nextRecordIn } from "./_resync.ts";
import type { WarcHeaders } from "./headers.ts";
import { WarcFormatError } from "./errors.ts";

/** A record. */
export interface WarcRecord extends WarcRecordHead {
  /**
   * Byte length in the file of the gzip member (or of the plain record with the blank lines after
   * it), so that `offset` and `length` fetch the record; nothing when the member holds others too.
   */
  readonly length: number | undefined;
  /** The block, or its first `maxContent` bytes; a view that lives as long as it is referred to. */
  readonly content: Uint8Array;
}

/** What stands before a record's block. */
export interface WarcRecordHead {
  /** `1.0`, `1.1`, `0.18`, ... */
  readonly version: string;
  /** `warcinfo`, `request`, `response`, `revisit`, `resource`, `metadata`, ... */
  readonly type: string;
  /** Record id without its brackets. */
  readonly id: string;
  /** WARC-Date as it stands; empty where there is none. */
  readonly date: string;
  /** Target URI, without brackets that old writers put around it; empty where there is none. */
  readonly url: string;
  /** The record's named fields. */
  readonly headers: WarcHeaders;
  /** Byte offset in the file at which the gzip member, or the plain record, begins. */
  readonly offset: number;
  /** Byte offset of the record in what the member inflates to; 0 for the first, and for plain. */
  readonly inner: number;
  /** Length of the block. */
  readonly contentLength: number;
}

/** A fault in a file, after which reading went on. */
export interface WarcDamage {
  /** What is wrong. */
  readonly reason: string;
  /** The file ends inside the record, as after a killed writer or a cut download. */
  readonly truncated: boolean;
  /** Byte offset of the damaged record (or of stray bytes) in the file. */
  readonly offset: number;
}

/** Options of {@linkcode readWarc}. */
export interface ReadWarcOptions {
  /**
   * Told of each damaged record; reading then goes on with the next whole one. Without it damage
   * is an error.
   */
  readonly onDamage?: (damage: WarcDamage) => void;
  /** Most bytes of a block held in `content`. @default 32 MiB */
  readonly maxContent?: number;
  /**
   * Asked for each record whose block is longer than `maxContent`; what it gives back is handed
   * the whole block in pieces, before the record is yielded.
   */
  readonly onLarge?: (head: WarcRecordHead) => ((piece: Uint8Array) => void) | undefined;
  /** Offset in the file of the source's first byte. @default 0 */
  readonly offset?: number;
}

/** Bytes that may be looked at again after damage, beyond eight times what was read. */
const SECOND_LOOKS = 64 << 20;

/**
 * Reads the records of a WARC file: one gzip member a record, one member over many, or plain;
 * versions 0.17 to 1.1; with the liberties that other writers took (LF line ends, names in any
 * case, missing blank lines after a block, blanks in a URI, a URI in brackets).
 *
 * Memory is bounded: a block is held up to `maxContent`.
 *
 * @param source Bytes of the file, as of `Deno.FsFile.readable`.
 * @throws {WarcFormatError} If the file is an ARC file, or is damaged and there is no `onDamage`.
 *
 * @example List what a file holds
 * ```ts ignore
 * const file = await Deno.open("x.warc.gz");
 * for await (const record of readWarc(file.readable)) console.log(record.type, record.url);
 * ```
 */
export async function* readWarc(
  source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
  options: ReadWarcOptions = {},
): AsyncGenerator<WarcRecord, void, unknown> {
  const pieces = (source as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  let read = 0;
  const queue = new ByteQueue(async () => {
    const { done, value } = await pieces.next();
    if (done) return undefined;
    read += value.length;
    return plain(value);
  }, options.offset ?? 0);
  const reader = new Reader(queue, options, () => 8 * read + SECOND_LOOKS);
  try {
    while (await queue.fill(1)) {
      if (queue.size < 10) await queue.fill(10);
      const byte = queue.buf[queue.start];
      if (byte === 13 || byte === 10) queue.skip(1);
      else if (isMagic(queue.buf, queue.start)) yield* reader.member();
      else if (startsWith(queue.buf, "WARC/", queue.start)) yield* reader.plain();
      else if (queue.size < 5 && isBeginning(queue.view)) {
        reader.damage("the file ends where a record begins", queue.offset, true);
        queue.skip(queue.size);
      } else {
        refuseArc(queue, queue.offset);
        reader.damage("no record begins here", queue.offset);
        await findRecord(queue, true);
      }
    }
  } finally {
    await pieces.return?.();
  }
}

/** The first record of a file at or after which no byte is needed from before `offset`. */
export async function readRecordAt(
  path: string,
  offset: number,
  options: Omit<ReadWarcOptions, "offset" | "onDamage"> & { readonly fs?: FileSystem } = {},
): Promise<WarcRecord> {
  const source = fileBytes(path, options.fs ?? diskFs, offset, 1 << 16);
  for await (const record of readWarc(source, { ...options, offset })) {
    if (record.offset !== offset) break;
    return record;
  }
  throw new WarcFormatError(`Cannot read ${path}: no record begins at byte ${offset}`, offset);
}

/** The records of a file on disk; as {@linkcode readWarc}. */
export function readWarcFile(
  path: string,
  options: ReadWarcOptions & { readonly fs?: FileSystem } = {},
): AsyncGenerator<WarcRecord, void, unknown> {
  return readWarc(fileBytes(path, options.fs ?? diskFs, options.offset ?? 0), options);
}

/** Bytes behind a block of a wrong length that are inflated to learn whether its member is whole. */
const NONSENSE = 1 << 16;

class Reader {
  readonly #source: ByteQueue;
  readonly #options: ReadWarcOptions;
  readonly #allowance: () => number;
  #secondLooks = 0;

  constructor(source: ByteQueue, options: ReadWarcOptions, allowance: () => number) {
    this.#source = source;
    this.#options = options;
    this.#allowance = allowance;
  }

  damage(reason: string, offset: number, truncated = false): void {
    if (this.#options.onDamage === undefined) {
      throw new WarcFormatError(`Cannot read a record at byte ${offset}: ${reason}`, offset);
    }
    this.#options.onDamage({ reason, truncated, offset });
  }

  /** Reads the gzip member at hand. */
  async *member(): AsyncGenerator<WarcRecord, void, unknown> {
    const source = this.#source, offset = source.offset;
    const member = await openMember(source);
    try {
      yield* this.#records(member, offset);
    } finally {
      member.close();
    }
    if (member.fault !== undefined) await this.#lookAgain(member.fault, member.kept(), offset);
  }

  async *#records(member: Member, offset: number): AsyncGenerator<WarcRecord, void, unknown> {
    const { content } = member;
    let told = false;
    while (await content.fill(1)) {
      const byte = content.buf[content.start];
      if (byte === 13 || byte === 10) {
        content.skip(1);
        continue;
      }
      await content.fill(10);
      if (member.fault !== undefined && content.size < 5 && isBeginning(content.view)) break;
      if (!startsWith(content.view, "WARC/")) {
        refuseArc(content, offset);
        this.damage("what the gzip member holds is no record", offset);
        told = true;
        await findRecord(content, false);
        continue;
      }
      const inner = content.offset;
      const raw = await readRecord(content, { offset, inner }, this.#options);
      if (raw.fault === undefined && await this.#endsWell(content, raw, member)) {
        const alone = inner === 0 && content.ended && content.size === 0;
        yield record(raw, alone ? member.length : undefined);
        continue;
      }
      told = true;
      // A member whose end was lost in damage goes on with a few bytes of nonsense and only then fails.
      await content.fill(NONSENSE);
      if (raw.fault === undefined && member.fault === undefined) {
        if (!nextRecordIn(content, raw)) {
          yield record(raw, undefined);
          this.damage("the block is longer or shorter than its Content-Length says", offset);
          await findRecord(content, false);
        } else this.damage("the Content-Length reaches into another record", offset);
        continue;
      }
      const { fault } = member;
      this.damage(fault?.reason ?? raw.fault ?? "", offset, fault?.kind === "cut");
      if (fault === undefined && nextRecordIn(content, raw)) continue;
      if (!raw.short) await findRecord(content, false);
    }
    if (member.fault !== undefined && !told) {
      this.damage(member.fault.reason, offset, member.fault.kind === "cut");
    }
  }

  /** Reads the plain record at hand. */
  async *plain(): AsyncGenerator<WarcRecord, void, unknown> {
    const source = this.#source, offset = source.offset;
    const raw = await readRecord(source, { offset, inner: 0 }, this.#options);
    if (raw.fault !== undefined) {
      this.damage(raw.fault, offset, source.ended && source.size === 0);
      if (!this.#mayLookAgain(raw.content.length) || !nextRecordIn(source, raw)) {
        await findRecord(source, true);
      }
      return;
    }
    if (await atBoundary(source, true)) {
      yield record(raw, source.offset - offset);
      return;
    }
    if (this.#mayLookAgain(raw.content.length) && nextRecordIn(source, raw)) {
      this.damage("the Content-Length reaches into another record", offset);
      return;
    }
    yield record(raw, source.offset - offset);
    this.damage("the block is longer or shorter than its Content-Length says", offset);
    await findRecord(source, true);
  }

  /** Whether a record in a member is followed by the member's end or by another record. */
  async #endsWell(content: ByteQueue, raw: RawRecord, member: Member): Promise<boolean> {
    const well = await atBoundary(content, false);
    // Only the member's end tells whether its checksum holds for a record that fills it.
    if (content.size === 0 && member.fault !== undefined) return false;
    return well || raw.short;
  }

  /** Goes on behind a broken member: at the next record that can be found in it or after it. */
  async #lookAgain(fault: MemberFault, kept: Uint8Array, offset: number): Promise<void> {
    const source = this.#source;
    await source.fill(10);
    // A file that ends inside a member ends there: what lies in it is part of its record.
    if (fault.kind === "cut") return source.skip(source.size);
    const follows = source.size === 0 || isMagic(source.buf, source.start);
    if ((fault.kind === "sum" && follows) || !this.#mayLookAgain(kept.length)) return;
    source.unread(kept);
    if (source.offset <= offset) source.skip(Math.min(source.size, offset + 1 - source.offset));
    await findRecord(source, true);
  }

  /** Keeps a file made to be looked at over and over from taking more than linear time. */
  #mayLookAgain(bytes: number): boolean {
    this.#secondLooks += bytes;
    return this.#secondLooks <= this.#allowance();
  }
}

/** Passes the blank lines after a record; whether the end or another record follows. */
async function atBoundary(queue: ByteQueue, gzip: boolean): Promise<boolean> {
  for (let blank = 0; blank < 64; blank++) {
    if (!await queue.fill(1)) return true;
    const byte = queue.buf[queue.start];
    if (byte !== 13 && byte !== 10) break;
    queue.skip(1);
  }
  if (queue.size < 5) await queue.fill(5);
  return startsWith(queue.buf, "WARC/", queue.start) ||
    (gzip && isMagic(queue.buf, queue.start));
}

function record(raw: RawRecord, length: number | undefined): WarcRecord {
  const { version, type, id, date, url, headers, offset, inner, contentLength } = raw.head!;
  const content = raw.content;
  return { version, type, id, date, url, headers, offset, inner, contentLength, length, content };
}

/** Whether these few bytes are the first of a member or of a version line. */
function isBeginning(bytes: Uint8Array): boolean {
  return startsWith(bytes, "\x1f\x8b\b".slice(0, bytes.length)) ||
    startsWith(bytes, "WARC/".slice(0, bytes.length));
}

function refuseArc(queue: ByteQueue, offset: number): void {
  if (!startsWith(queue.buf, "filedesc:", queue.start)) return;
  throw new WarcFormatError(
    "Cannot read an ARC file: only WARC is read; convert it first (as with warcio recompress)",
    offset,
  );
}
