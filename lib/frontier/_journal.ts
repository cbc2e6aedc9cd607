/**
 * The journal: what changed in memory since it was last written to the tables, one row a commit.
 * Writing rows in order costs the same however many hosts a commit touches; the tables, whose pages
 * lie scattered, are written when a generation of the journal is full. An opening reads the journal
 * and has the memory of the last commit again.
 *
 * @module
 */

import { ByteReader, ByteWriter } from "./_bytes.ts";
import { decodeBlock, type Entry, EntryCoder } from "./_entry.ts";
import { Host } from "./_host.ts";
import { pack, unpack } from "./_pack.ts";
import type { BlockRow, Store } from "./_store.ts";

const NEW_HOST = 1, NUMBERS = 2, ENTRY = 3, CARRY = 4, LOAD = 5, TAKEN = 6, CUT = 7;
const FLUSHED = 8, RECLASS = 9, SEEN = 10;

/** Collects the changes of one commit. */
export class JournalWriter {
  /** Changes written since the last {@linkcode JournalWriter.take}. */
  ops = 0;
  readonly #out = new ByteWriter(1 << 16);
  readonly #gone = new ByteWriter(1 << 10);
  readonly #coder = new EntryCoder();
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
    const out = this.#out;
    out.byte((host.named ? 1 : 0) | (host.excluded === null ? 0 : 2));
    out.varint(host.admitted);
    out.varint(host.failures);
    out.varint(host.deferrals);
    out.varint(host.delay + 1);
    out.varint(host.notBefore);
    out.varint(host.blockedUntil);
    out.varint(host.blocks);
    out.varint(host.onDisk);
    out.signed(host.blocks === 0 ? 0 : host.diskClass);
    if (host.excluded !== null) out.text(host.excluded);
  }

  /** An entry at the end of its queue; `isNew` when its URL has just been seen for the first time. */
  entry(host: Host, entry: Entry, isNew: boolean): void {
    this.#op(ENTRY, host.id);
    this.#coder.write(this.#out, host.name, entry, isNew);
  }

  /** An entry under lease whose host was written to the tables. */
  carry(host: Host, entry: Entry): void {
    this.#op(CARRY, host.id);
    this.#coder.write(this.#out, host.name, entry);
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
  cut(host: Host, entries: readonly Entry[]): void {
    this.#op(CUT, host.id);
    this.#out.varint(entries.length);
    let last = 0;
    for (const { seq } of entries) {
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

const NONE: ReadonlyMap<number, number> = new Map();

/** What a replay finds. */
export interface Replay {
  /** Hosts that have changes in the journal, by id. */
  readonly hosts: Map<number, Host>;
  /** Changes read. */
  readonly ops: number;
}

/**
 * Reads the journal back. `seen` is called with every URL that was new, `fingerprint` with every
 * fingerprint that was new without one.
 */
export function replayJournal(
  store: Store,
  seen: (url: string) => void,
  fingerprint: (hi: number, lo: number) => void,
): Replay {
  const gone = new Set<number>();
  for (const bytes of rows(store, "gone")) {
    const from = new ByteReader(bytes);
    for (let seq = 0; !from.done;) gone.add(seq += from.signed());
  }
  const hosts = new Map<number, Host>();
  let ops = 0;
  const byId = (id: number): Host => {
    let host = hosts.get(id);
    if (host === undefined) {
      host = store.hostById(id);
      if (host === undefined) throw new RangeError(`Cannot read the journal: no host ${id}`);
      hosts.set(id, host);
    }
    return host;
  };
  for (const body of rows(store, "body")) {
    ops += new RowReader(body, byId).run({
      newHost: (id, name) => {
        hosts.set(id, new Host(id, name));
      },
      entry: (host, entry, isNew) => {
        if (isNew) seen(entry.url);
        if (!gone.has(entry.seq)) host.append(entry);
      },
      carry: (host, entry) => {
        if (!gone.has(entry.seq)) host.prepend([entry]);
      },
      load: (host, entries) => host.load(entries.filter((entry) => !gone.has(entry.seq))),
      cut: (host, seqs) => host.drop(seqs),
      // From here on its row has everything; it is read if the journal names the host again.
      flushed: (id) => hosts.delete(id),
      reclass: (host, priority) => host.reclass(priority),
      seen: fingerprint,
    });
  }
  // Leases that were out when the process ended stand where they were written: bring them forward.
  for (const host of hosts.values()) {
    if (host.inMemory > 0) host.sort(host.blocks > 0 ? store.firstSeqs(host.id) : NONE);
  }
  return { hosts, ops: ops + gone.size };
}

function* rows(store: Store, column: "body" | "gone"): Generator<Uint8Array> {
  let last = 0;
  for (;;) {
    const row = store.sql(
      `select id, ${column} as bytes from journal where id > ? order by id limit 1`,
    ).get(last);
    if (row === undefined) return;
    last = row.id as number;
    yield unpack(row.bytes as Uint8Array);
  }
}

interface Visitor {
  newHost(id: number, name: string): void;
  entry(host: Host, entry: Entry, isNew: boolean): void;
  carry(host: Host, entry: Entry): void;
  load(host: Host, entries: Entry[]): void;
  cut(host: Host, seqs: Set<number>): void;
  flushed(id: number): void;
  reclass(host: Host, priority: number): void;
  seen(hi: number, lo: number): void;
}

class RowReader {
  readonly #from: ByteReader;
  readonly #host: (id: number) => Host;

  constructor(body: Uint8Array, host: (id: number) => Host) {
    this.#from = new ByteReader(body);
    this.#host = host;
  }

  run(visit: Visitor): number {
    const from = this.#from;
    const coder = new EntryCoder();
    let ops = 0;
    while (!from.done) {
      ops++;
      const op = from.byte(), id = from.varint();
      switch (op) {
        case NEW_HOST: {
          const name = from.text();
          visit.newHost(id, name);
          break;
        }
        case NUMBERS:
          readNumbers(from, this.#host(id));
          break;
        case ENTRY:
        case CARRY: {
          const host = this.#host(id);
          const { entry, isNew } = coder.read(from, host.name);
          if (op === ENTRY) visit.entry(host, entry, isNew);
          else visit.carry(host, entry);
          break;
        }
        case LOAD: {
          const priority = from.float(), body = from.bytes();
          const host = this.#host(id);
          visit.load(host, decodeBlock(host.name, body, priority === 0 ? null : priority));
          break;
        }
        case TAKEN: {
          const host = this.#host(id);
          host.indexed = false;
          break;
        }
        case CUT: {
          const seqs = new Set<number>();
          let seq = 0;
          for (let n = from.varint(); n > 0; n--) seqs.add(seq += from.signed());
          visit.cut(this.#host(id), seqs);
          break;
        }
        case FLUSHED:
          visit.flushed(id);
          break;
        case RECLASS: {
          const priority = from.float();
          visit.reclass(this.#host(id), priority);
          break;
        }
        case SEEN: {
          const lo = from.varint();
          visit.seen(id, lo);
          break;
        }
        default:
          throw new RangeError(`Cannot read the journal: unknown change ${op}`);
      }
    }
    return ops;
  }
}

function readNumbers(from: ByteReader, host: Host): void {
  const flags = from.byte();
  host.named = (flags & 1) !== 0;
  host.admitted = from.varint();
  host.failures = from.varint();
  host.deferrals = from.varint();
  host.delay = from.varint() - 1;
  host.notBefore = from.varint();
  host.blockedUntil = from.varint();
  host.blocks = from.varint();
  host.onDisk = from.varint();
  const cls = from.signed();
  host.diskClass = host.blocks === 0 ? -Infinity : cls;
  host.excluded = flags & 2 ? from.text() : null;
}
