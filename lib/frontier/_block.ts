/**
 * A block: queued URLs of one host and class in their order, compressed. It is written whole. Of one
 * that came into memory and was used in part, the rest goes back as it is, under the number of entries
 * to pass over, as long as that is most of it: nothing of it is made an object or compressed again.
 *
 * @module
 */

import { asBuffer, ByteReader, ByteWriter } from "./_bytes.ts";
import { type Entry, EntryCoder, RawEntry } from "./_entry.ts";
import { pack, unpack } from "./_pack.ts";

/** Where a piece's form stands: a number of entries to pass over, and then the piece. */
const REST = 64;
/** Bytes of memory beside those of the block itself, about. */
const OBJECTS = 700;

/** What a block's row has of it. */
export interface BlockBody {
  /** Stands in for the entries' own priority, where set. */
  readonly priority: number | null;
  readonly body: Uint8Array;
}

/** The row of a block that was used in part. */
export interface BlockRest extends BlockBody {
  /** Number of the first entry. */
  readonly seq: number;
  /** Entries. */
  readonly n: number;
}

/** Collects a block. */
export class BlockWriter {
  /** Entries collected. */
  count = 0;
  /** Number of the first. */
  seq = 0;
  readonly #out = new ByteWriter(1 << 16);
  readonly #coder = new EntryCoder();

  add(raw: RawEntry): void {
    if (this.count++ === 0) this.seq = raw.seq;
    this.#coder.write(this.#out, raw);
  }

  /** The block. Starts anew. */
  take(): Uint8Array {
    const block = pack(this.#out.view());
    this.#out.clear();
    this.#coder.reset();
    this.count = 0;
    return block;
  }
}

/** The entries of a block, one after the other. */
export class BlockReader {
  /** The entry that comes next, good until {@linkcode BlockReader.advance}. */
  readonly next = new RawEntry();
  /** Entries that were passed over. */
  passed = 0;
  /** Whether there are no more. */
  done = false;
  /** Bytes of memory that it takes, about. */
  readonly bytes: number;
  readonly #priority: number | null;
  readonly #packed: Uint8Array;
  readonly #from: ByteReader;
  readonly #coder = new EntryCoder();

  constructor({ priority, body }: BlockBody) {
    this.#priority = priority;
    let skip = 0;
    this.#packed = body;
    if (body[0] === REST) {
      const head = new ByteReader(body);
      head.byte();
      skip = head.varint();
      this.#packed = body.subarray(head.at);
    }
    this.#from = new ByteReader(asBuffer(unpack(this.#packed)));
    this.bytes = OBJECTS + body.length + this.#from.buffer.length;
    this.#read();
    while (this.passed < skip) this.advance();
  }

  #read(): void {
    if (this.#from.done) {
      this.done = true;
      return;
    }
    this.#coder.read(this.#from, this.next);
    if (this.#priority !== null) this.next.priority = this.#priority;
  }

  /** Passes over the next entry. */
  advance(): void {
    if (this.done) {
      throw new RangeError("Cannot read the block: it has fewer entries than it should");
    }
    this.passed++;
    this.#read();
  }

  /** What of the block comes behind its first `passed` entries, as it is written. */
  rest(passed: number): BlockBody {
    const head = new ByteWriter(16);
    if (passed > 0) {
      head.byte(REST);
      head.varint(passed);
    }
    const body = new Uint8Array(head.length + this.#packed.length);
    body.set(head.view());
    body.set(this.#packed, head.length);
    return { priority: this.#priority, body };
  }
}

/** Calls `visit` with the entries of a block, one after the other. */
export function eachOfBlock(block: BlockBody, visit: (raw: RawEntry) => void): void {
  for (const reader = new BlockReader(block); !reader.done; reader.advance()) visit(reader.next);
}

/** The entries of a block as objects. */
export function decodeBlock(host: string, block: BlockBody): Entry[] {
  const entries: Entry[] = [];
  eachOfBlock(block, (raw) => entries.push(raw.toEntry(host)));
  return entries;
}

/** A block in memory whose entries are handed out one by one. */
export class LoadedBlock {
  /** Entries that are left. */
  left: number;
  /** Numbers of those that were passed over. */
  readonly #passed: number[] = [];
  readonly #reader: BlockReader;

  /** `count` entries are left of the block. */
  constructor(block: BlockBody, count: number) {
    this.#reader = new BlockReader(block);
    this.left = count;
    this.#check();
  }

  #check(): void {
    if (this.#reader.done === this.left > 0) {
      throw new RangeError(
        "Cannot read the block: it has another number of entries than it should",
      );
    }
  }

  /** Bytes of memory that it takes, about. */
  get bytes(): number {
    return this.#reader.bytes;
  }

  /** The entry that comes next. */
  get next(): RawEntry {
    return this.#reader.next;
  }

  /** Passes over the next entry. */
  advance(): void {
    this.#passed.push(this.#reader.next.seq);
    this.#reader.advance();
    this.left--;
    this.#check();
  }

  /**
   * The rest with the entries of `back` before it, as it is written; undefined when these are not the
   * last ones that were passed over, or the rest is less than half of the block.
   */
  rest(back: readonly Entry[] = []): BlockRest | undefined {
    const seqs = this.#passed, from = seqs.length - back.length;
    if (from < 0 || back.some(({ seq }, at) => seq !== seqs[from + at])) return undefined;
    const passed = this.#reader.passed - back.length, n = this.left + back.length;
    if (n < passed) return undefined;
    return { ...this.#reader.rest(passed), seq: back[0]?.seq ?? this.next.seq, n };
  }
}
