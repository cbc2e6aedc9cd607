/**
 * A queued URL: as an object for the few that are handed out, as a range of bytes for all others, and
 * as it is written.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { ByteReader, ByteWriter } from "./_bytes.ts";

/** A URL that is under lease, or about to be. */
export interface Entry {
  readonly url: string;
  priority: number;
  readonly depth: number;
  readonly attempts: number;
  /** Place in the order of admission; unique over the life of the state. */
  readonly seq: number;
}

/** Rough bytes of memory an entry takes. */
export function entryBytes(entry: Entry): number {
  return entry.url.length + 100;
}

const exponent = new DataView(new ArrayBuffer(8));

/** The class of a priority: ⌊log2⌋, exact at powers of two. */
export function classOf(priority: number): number {
  exponent.setFloat64(0, priority);
  const bits = exponent.getUint16(0) >> 4;
  return bits === 0 ? Math.max(-1074, Math.floor(Math.log2(priority))) : bits - 1023;
}

const WHOLE = 0, HTTPS = 1, HTTP = 2;
const PRIORITY = 4, DEPTH = 8, ATTEMPTS = 16, NEW = 32;
const PREFIXES = ["", "https://", "http://"] as const;
const PREFIX_BYTES = PREFIXES.map((prefix) => Buffer.from(prefix));
const SLASH = 47;
const NONE = Buffer.alloc(0);

/**
 * A queued URL as a range of bytes of somebody else's buffer, without the `https://host` that its
 * queue implies. Made once and filled again and again.
 */
export class RawEntry {
  seq = 0;
  priority = 1;
  depth = 0;
  attempts = 0;
  /** What stands before the range: nothing, or a scheme and the host. */
  form = WHOLE;
  bytes: Buffer = NONE;
  start = 0;
  end = 0;

  /** Takes the URL in `bytes[start, end)`, whose host lies in `[nameStart, nameEnd)`. */
  setUrl(bytes: Buffer, start: number, nameStart: number, nameEnd: number, end: number): void {
    this.bytes = bytes;
    this.end = end;
    this.form = WHOLE;
    this.start = start;
    if (nameEnd >= end || bytes[nameEnd] !== SLASH) return;
    for (let form = HTTPS; form <= HTTP; form++) {
      const prefix = PREFIX_BYTES[form]!;
      if (nameStart - start !== prefix.length) continue;
      let same = 0;
      while (same < prefix.length && bytes[start + same] === prefix[same]) same++;
      if (same < prefix.length) continue;
      this.form = form;
      this.start = nameEnd;
      return;
    }
  }

  /** Takes an entry of the queue of `host`. */
  setEntry(host: string, entry: Entry): void {
    const { url } = entry;
    let form = WHOLE, from = 0;
    for (let which = HTTPS; which <= HTTP; which++) {
      const at = PREFIXES[which]!.length;
      if (
        url.startsWith(PREFIXES[which]!) && url.startsWith(host, at) &&
        url.charCodeAt(at + host.length) === SLASH
      ) {
        form = which;
        from = at + host.length;
        break;
      }
    }
    this.form = form;
    this.bytes = Buffer.from(from === 0 ? url : url.slice(from));
    this.start = 0;
    this.end = this.bytes.length;
    this.seq = entry.seq;
    this.priority = entry.priority;
    this.depth = entry.depth;
    this.attempts = entry.attempts;
  }

  /** The URL, as text. */
  url(host: string): string {
    const path = this.bytes.toString("utf8", this.start, this.end);
    return this.form === WHOLE ? path : PREFIXES[this.form]! + host + path;
  }

  /** The entry, as an object. */
  toEntry(host: string): Entry {
    const { priority, depth, attempts, seq } = this;
    return { url: this.url(host), priority, depth, attempts, seq };
  }

  /** Writes the whole URL. */
  writeUrl(out: ByteWriter, host: string): void {
    if (this.form !== WHOLE) {
      out.raw(PREFIX_BYTES[this.form]!);
      out.plain(host);
    }
    out.range(this.bytes, this.start, this.end);
  }
}

/** Writes and reads runs of entries, each as its difference from the one before. */
export class EntryCoder {
  #priority = 1;
  #depth = 0;
  #seq = 0;

  reset(): void {
    this.#priority = 1;
    this.#depth = 0;
    this.#seq = 0;
  }

  write(out: ByteWriter, raw: RawEntry, isNew = false): void {
    let flags = raw.form;
    if (raw.priority !== this.#priority) flags |= PRIORITY;
    if (raw.depth !== this.#depth) flags |= DEPTH;
    if (raw.attempts !== 0) flags |= ATTEMPTS;
    if (isNew) flags |= NEW;
    out.byte(flags);
    out.signed(raw.seq - this.#seq);
    if (flags & PRIORITY) out.float(raw.priority);
    if (flags & DEPTH) out.varint(raw.depth);
    if (flags & ATTEMPTS) out.varint(raw.attempts);
    out.varint(raw.end - raw.start);
    out.range(raw.bytes, raw.start, raw.end);
    this.#priority = raw.priority;
    this.#depth = raw.depth;
    this.#seq = raw.seq;
  }

  /** Fills `raw` with the next entry; whether it was written as new. */
  read(from: ByteReader, raw: RawEntry): boolean {
    const flags = from.byte();
    this.#seq += from.signed();
    if (flags & PRIORITY) this.#priority = from.float();
    if (flags & DEPTH) this.#depth = from.varint();
    raw.attempts = flags & ATTEMPTS ? from.varint() : 0;
    raw.form = flags & 3;
    if (raw.form > HTTP) throw new RangeError("Cannot read the record: unknown form of a URL");
    raw.bytes = from.buffer;
    raw.end = from.range();
    raw.start = from.at;
    from.at = raw.end;
    raw.priority = this.#priority;
    raw.depth = this.#depth;
    raw.seq = this.#seq;
    return (flags & NEW) !== 0;
  }
}
