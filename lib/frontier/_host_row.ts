/**
 * What the state writes about a host: its numbers, its place in the index, and, while it is short,
 * its whole queue, so that a host with a URL or two costs one row.
 *
 * @module
 */

import type { Arena } from "./_arena.ts";
import { asBuffer, ByteReader, ByteWriter } from "./_bytes.ts";
import { EntryCoder, RawEntry } from "./_entry.ts";
import { Host, NO_CLASS } from "./_host.ts";
import { packInto, unpack } from "./_pack.ts";

/** URLs of a queue that its host's row holds at most. */
export const ROW_URLS = 2;

const NAMED = 1, EXCLUDED = 2, BLOCKS = 4, INDEXED = 8, URLS = 16;

/** The host's numbers as they are now. */
export function writeNumbers(out: ByteWriter, host: Host, more = 0): void {
  out.byte(
    more | (host.named ? NAMED : 0) | (host.excluded === null ? 0 : EXCLUDED) |
      (host.blocks === 0 ? 0 : BLOCKS),
  );
  out.varint(host.admitted);
  out.varint(host.failures);
  out.varint(host.deferrals);
  out.varint(host.delay + 1);
  out.varint(host.notBefore);
  out.varint(host.blockedUntil);
  if (host.blocks > 0) {
    out.varint(host.blocks);
    out.varint(host.onDisk);
    out.signed(host.diskClass);
  }
  if (host.excluded !== null) out.text(host.excluded);
}

/** Reads what {@linkcode writeNumbers} wrote; its flags. */
export function readNumbers(from: ByteReader, host: Host): number {
  const flags = from.byte();
  host.named = (flags & NAMED) !== 0;
  host.admitted = from.varint();
  host.failures = from.varint();
  host.deferrals = from.varint();
  host.delay = from.varint() - 1;
  host.notBefore = from.varint();
  host.blockedUntil = from.varint();
  if (flags & BLOCKS) {
    host.blocks = from.varint();
    host.onDisk = from.varint();
    host.diskClass = from.signed();
  } else {
    host.blocks = host.onDisk = 0;
    host.diskClass = NO_CLASS;
  }
  host.excluded = flags & EXCLUDED ? from.text() : null;
  return flags;
}

const queue = new ByteWriter(1 << 12);
const coder = new EntryCoder();

/** Collects rows of hosts. */
export class RowWriter {
  readonly #out = new ByteWriter(1 << 14);
  #hosts: { host: Host; end: number }[] = [];

  /** Adds a host. A queue that is short and has nothing on disk leaves memory and goes into its row. */
  add(host: Host, arena: Arena): void {
    const out = this.#out;
    const urls = host.blocks === 0 && host.inMemory > 0 && host.inMemory <= ROW_URLS;
    writeNumbers(out, host, (host.indexed ? INDEXED : 0) | (urls ? URLS : 0));
    if (host.indexed) {
      out.signed(host.indexClass);
      out.varint(host.indexDue);
    }
    if (urls) {
      queue.clear();
      coder.reset();
      host.takeAll(arena, (raw) => coder.write(queue, raw));
      packInto(out, queue.view());
    }
    this.#hosts.push({ host, end: out.length });
  }

  /** Calls `write` with the columns of each row, the body good until the next is added. Starts anew. */
  each(write: (id: number, hash: number, name: string, body: Uint8Array) => void): void {
    const bytes = this.#out.view();
    let start = 0;
    for (const { host, end } of this.#hosts) {
      write(host.id, host.hash, host.name, bytes.subarray(start, end));
      start = end;
    }
    this.#hosts = [];
    this.#out.clear();
  }
}

/**
 * A host as its row has it. The entries of its queue that the row holds go into `arena`, save those
 * that `isGone` names.
 */
export function decodeRow(
  row: { id: number; hash: number; name: string; body: Uint8Array },
  arena: Arena,
  isGone?: (seq: number) => boolean,
): Host {
  const { id, hash, name, body } = row;
  const host = new Host(id, name, Math.floor(hash / 65536) | 0, hash % 65536);
  const from = new ByteReader(body);
  host.listed = true;
  const flags = readNumbers(from, host);
  if (flags & INDEXED) {
    host.indexed = true;
    host.indexClass = from.signed();
    host.indexDue = from.varint();
  }
  if (flags & URLS) {
    const entries = new ByteReader(asBuffer(unpack(body.subarray(from.at))));
    const raw = new RawEntry();
    coder.reset();
    while (!entries.done) {
      coder.read(entries, raw);
      if (isGone === undefined || !isGone(raw.seq)) host.append(arena, raw);
    }
  }
  host.active = host.live > 0;
  return host;
}
