/**
 * Reading the journal back: an opening has the memory of the last commit again.
 *
 * @module
 */

import type { Arena } from "./_arena.ts";
import { ByteReader } from "./_bytes.ts";
import { decodeBlock } from "./_block.ts";
import { type Entry, EntryCoder, RawEntry } from "./_entry.ts";
import type { Fingerprints } from "./_fingerprint.ts";
import { Host } from "./_host.ts";
import { readNumbers } from "./_host_row.ts";
import {
  CARRY,
  CUT,
  ENTRY,
  FLUSHED,
  LOAD,
  NEW_HOST,
  NUMBERS,
  RECLASS,
  SEEN,
  TAKEN,
} from "./_journal.ts";
import { unpack } from "./_pack.ts";
import type { Store } from "./_store.ts";

const NONE: ReadonlyMap<number, number> = new Map();

/** What a replay finds. */
export interface Replay {
  /** Hosts that have changes in the journal, by id. */
  readonly hosts: Map<number, Host>;
  /** Changes read. */
  readonly ops: number;
}

/** Numbers of entries, in little memory. */
class Seqs {
  #sorted = new Float64Array(1024);
  length = 0;

  push(seq: number): void {
    if (this.length === this.#sorted.length) {
      const grown = new Float64Array(this.length * 2);
      grown.set(this.#sorted);
      this.#sorted = grown;
    }
    this.#sorted[this.length++] = seq;
  }

  /** Nothing is pushed after. */
  sort(): void {
    this.#sorted = this.#sorted.subarray(0, this.length).sort();
  }

  has(seq: number): boolean {
    let low = 0, high = this.length - 1;
    while (low <= high) {
      const mid = (low + high) >> 1, at = this.#sorted[mid]!;
      if (at === seq) return true;
      if (at < seq) low = mid + 1;
      else high = mid - 1;
    }
    return false;
  }
}

/**
 * Reads the journal back, queues into `arena`. `seen` is called with every URL that was new, for its
 * host's name, `fingerprint` with every fingerprint that was new without one.
 */
export function replayJournal(
  store: Store,
  arena: Arena,
  fingerprints: Fingerprints,
  seen: (raw: RawEntry, host: string) => void,
  fingerprint: (hi: number, lo: number) => void,
): Replay {
  const gone = new Seqs();
  for (const bytes of rows(store, "gone")) {
    const from = new ByteReader(bytes);
    for (let seq = 0; !from.done;) gone.push(seq += from.signed());
  }
  gone.sort();
  const isGone = (seq: number) => gone.has(seq);
  const hosts = new Map<number, Host>();
  let ops = 0;
  const byId = (id: number): Host => {
    let host = hosts.get(id);
    if (host === undefined) {
      host = store.hostById(id, arena, isGone);
      if (host === undefined) throw new RangeError(`Cannot read the journal: no host ${id}`);
      hosts.set(id, host);
    }
    return host;
  };
  for (const body of rows(store, "body")) {
    ops += new RowReader(body, byId).run({
      newHost: (id, name) => {
        fingerprints.ofText(name);
        hosts.set(id, new Host(id, name, fingerprints.hi | 0, fingerprints.lo >>> 16));
      },
      entry: (host, raw, isNew) => {
        if (isNew) {
          host.admitted++;
          seen(raw, host.name);
        }
        if (!gone.has(raw.seq)) host.append(arena, raw);
      },
      carry: (host, raw) => {
        if (!gone.has(raw.seq)) host.prepend([raw.toEntry(host.name)]);
      },
      load: (host, entries) => host.extendHead(entries.filter((entry) => !gone.has(entry.seq))),
      cut: (host, seqs) => host.drop(arena, seqs),
      // From here on its row has everything; it is read if the journal names the host again.
      flushed: (id) => hosts.delete(id),
      reclass: (host, priority) => host.reclass(arena, priority),
      seen: fingerprint,
    });
  }
  // Leases that were out when the process ended stand where they were written: bring them forward.
  for (const host of hosts.values()) {
    if (host.inMemory > 0) host.sort(arena, host.blocks > 0 ? store.firstSeqs(host.id) : NONE);
  }
  return { hosts, ops: ops + gone.length };
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
  entry(host: Host, raw: RawEntry, isNew: boolean): void;
  carry(host: Host, raw: RawEntry): void;
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
    const coder = new EntryCoder(), raw = new RawEntry();
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
          const isNew = coder.read(from, raw);
          if (op === ENTRY) visit.entry(host, raw, isNew);
          else visit.carry(host, raw);
          break;
        }
        case LOAD: {
          const priority = from.float(), body = from.bytes();
          const host = this.#host(id);
          visit.load(
            host,
            decodeBlock(host.name, { priority: priority === 0 ? null : priority, body }),
          );
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
