/**
 * A queued URL, in memory and as bytes.
 *
 * @module
 */

import { ByteReader, ByteWriter } from "./_bytes.ts";
import { pack, unpack } from "./_pack.ts";

/** A URL that waits in a queue or is under lease. */
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

/**
 * Writes and reads runs of entries, each as its difference from the one before; a URL without the
 * `https://host` that its queue implies.
 */
export class EntryCoder {
  #priority = 1;
  #depth = 0;
  #seq = 0;

  reset(): void {
    this.#priority = 1;
    this.#depth = 0;
    this.#seq = 0;
  }

  write(out: ByteWriter, host: string, entry: Entry, isNew = false): void {
    const { url } = entry;
    let form = WHOLE, from = 0;
    if (url.startsWith(host, 8) && url.startsWith("https://") && url[8 + host.length] === "/") {
      form = HTTPS;
      from = 8 + host.length;
    } else if (
      url.startsWith(host, 7) && url.startsWith("http://") && url[7 + host.length] === "/"
    ) {
      form = HTTP;
      from = 7 + host.length;
    }
    let flags = form;
    if (entry.priority !== this.#priority) flags |= PRIORITY;
    if (entry.depth !== this.#depth) flags |= DEPTH;
    if (entry.attempts !== 0) flags |= ATTEMPTS;
    if (isNew) flags |= NEW;
    out.byte(flags);
    out.signed(entry.seq - this.#seq);
    if (flags & PRIORITY) out.float(entry.priority);
    if (flags & DEPTH) out.varint(entry.depth);
    if (flags & ATTEMPTS) out.varint(entry.attempts);
    out.text(url, from);
    this.#priority = entry.priority;
    this.#depth = entry.depth;
    this.#seq = entry.seq;
  }

  /** The next entry; `isNew` is as it was written. */
  read(from: ByteReader, host: string): { entry: Entry; isNew: boolean } {
    const flags = from.byte();
    this.#seq += from.signed();
    if (flags & PRIORITY) this.#priority = from.float();
    if (flags & DEPTH) this.#depth = from.varint();
    const attempts = flags & ATTEMPTS ? from.varint() : 0;
    const path = from.text();
    const form = flags & 3;
    const url = form === HTTPS
      ? `https://${host}${path}`
      : form === HTTP
      ? `http://${host}${path}`
      : path;
    return {
      entry: { url, priority: this.#priority, depth: this.#depth, attempts, seq: this.#seq },
      isNew: (flags & NEW) !== 0,
    };
  }
}

const scratch = new ByteWriter(1 << 16);
const coder = new EntryCoder();

/** A block: entries of one host and class in their order, compressed. */
export function encodeBlock(host: string, entries: readonly Entry[]): Uint8Array {
  scratch.clear();
  coder.reset();
  for (const entry of entries) coder.write(scratch, host, entry);
  return pack(scratch.view());
}

/** The entries of a block; `priority`, where set, stands in for their own. */
export function decodeBlock(host: string, body: Uint8Array, priority: number | null): Entry[] {
  const from = new ByteReader(unpack(body));
  const entries: Entry[] = [];
  coder.reset();
  while (!from.done) {
    const { entry } = coder.read(from, host);
    if (priority !== null) entry.priority = priority;
    entries.push(entry);
  }
  return entries;
}
