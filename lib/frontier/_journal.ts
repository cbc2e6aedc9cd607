/**
 * The journal: what changed in memory since it was last written to the tables, one row a commit.
 * Writing rows in order costs the same however many hosts a commit touches; the tables, whose pages
 * lie scattered, are written when a generation of the journal is full. An opening reads the journal
 * and has the memory of the last commit again.
 *
 * @module
 */

import { ByteWriter } from "./_bytes.ts";
import { type Entry, EntryCoder, RawEntry } from "./_entry.ts";
import type { Host } from "./_host.ts";
import { writeNumbers } from "./_host_row.ts";
import { pack } from "./_pack.ts";
import type { BlockRow } from "./_store.ts";

/** What a change begins with. */
export const NEW_HOST = 1,
  NUMBERS = 2,
  ENTRY = 3,
  CARRY = 4,
  LOAD = 5,
  TAKEN = 6,
  CUT = 7,
  FLUSHED = 8,
  RECLASS = 9,
  SEEN = 10;

/** Collects the changes of one commit. */
export class JournalWriter {
  /** Changes written since the last {@linkcode JournalWriter.take}. */
  ops = 0;
  readonly #out = new ByteWriter(1 << 16);
  readonly #gone = new ByteWriter(1 << 10);
  readonly #coder = new EntryCoder();
  readonly #raw = new RawEntry();
  #lastGone = 0;

  /** The collected changes as one row: those in order, and the entries that ended. Starts anew. */
  take(): { body: Uint8Array; gone: Uint8Array } {
    const row = { body: pack(this.#out.view()), gone: pack(this.#gone.view()) };
    this.#out.clear();
    this.#gone.clear();
    this.#coder.reset();
    this.#lastGone = 0;
    this.ops = 0;
    return row;
  }

  #op(op: number, host: number): void {
    this.ops++;
    this.#out.byte(op);
    this.#out.varint(host);
  }

  newHost(host: Host): void {
    this.#op(NEW_HOST, host.id);
    this.#out.text(host.name);
  }

  /** The host's numbers as they are now. */
  numbers(host: Host): void {
    this.#op(NUMBERS, host.id);
    writeNumbers(this.#out, host);
  }

  /** An entry at the end of its queue; `isNew` when its URL has just been seen for the first time. */
  entry(host: Host, raw: RawEntry, isNew: boolean): void {
    this.#op(ENTRY, host.id);
    this.#coder.write(this.#out, raw, isNew);
  }

  /** An entry under lease whose host was written to the tables. */
  carry(host: Host, entry: Entry): void {
    this.#op(CARRY, host.id);
    this.#raw.setEntry(host.name, entry);
    this.#coder.write(this.#out, this.#raw);
  }

  /** An entry that is ended. */
  gone(seq: number): void {
    this.ops++;
    this.#gone.signed(seq - this.#lastGone);
    this.#lastGone = seq;
  }

  /** A block that left the disk for memory. */
  load(host: Host, block: BlockRow): void {
    this.#op(LOAD, host.id);
    this.#out.float(block.priority ?? 0);
    this.#out.bytes(block.body);
  }

  /** A host that memory schedules, whatever its row says. */
  taken(host: Host): void {
    this.#op(TAKEN, host.id);
  }

  /** Entries that left memory for a block. */
  cut(host: Host, seqs: readonly number[]): void {
    this.#op(CUT, host.id);
    this.#out.varint(seqs.length);
    let last = 0;
    for (const seq of seqs) {
      this.#out.signed(seq - last);
      last = seq;
    }
  }

  /** A host whose row and whole queue are in the tables. */
  flushed(host: Host): void {
    this.#op(FLUSHED, host.id);
  }

  reclass(host: Host, priority: number): void {
    this.#op(RECLASS, host.id);
    this.#out.float(priority);
  }

  /** A fingerprint seen for the first time whose URL is in no queue. */
  seen(hi: number, lo: number): void {
    this.#op(SEEN, hi);
    this.#out.varint(lo);
  }
}
