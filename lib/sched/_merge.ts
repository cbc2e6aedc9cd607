/**
 * Two snapshots in the order of their keys, side by side.
 *
 * @module
 */

import { type BlockColumn, compareBytes, endsHost, type RowBlock } from "./_blocks.ts";
import { type HostSelection, isSelected } from "./key_ranges.ts";
import { SnapshotOrderError } from "./errors.ts";

/** What became of a host's pages between two snapshots. */
export interface HostChanges {
  /** Name of the host. */
  readonly host: string;
  /** URLs that both snapshots have, with a digest. */
  readonly total: number;
  /** Those of which no digest of the one is among the other's. */
  readonly changed: number;
}

/** Counts of a comparison, kept up to date. */
export interface DiffStats {
  /** Rows looked at. */
  rows: number;
  /** URLs in both snapshots. */
  compared: number;
  /** Of them, those that changed. */
  changed: number;
  /** URLs left out, since more than some ten thousand share one key. */
  skipped: number;
}

/** Hosts that share one key, but for odd ones: `example.com`, `www.example.com`, `www2.example.com`. */
const MOST_HOSTS = 65_536;
/** URLs of one key that are held to be matched. */
const MOST_URLS = 65_536;
const EMPTY: BlockColumn = {
  bytes: new Uint8Array(0),
  starts: new Int32Array(0),
  ends: new Int32Array(0),
  at: 0,
};

interface Counts {
  total: number;
  changed: number;
}

/** A host's part of a key, and the hosts seen under it. */
interface OpenHost {
  readonly key: string;
  readonly hosts: Map<string, Counts>;
}

/**
 * Compares two snapshots by URL, in one pass. Memory is for a block of each and the hosts that the
 * name of the one at hand begins with, whatever they hold.
 *
 * A URL that a snapshot has several times counts once, and as unchanged where any of its digests is
 * among those of the other.
 *
 * @returns Hosts with a URL in both, each once, when the keys have passed it and those below it.
 * @throws {SnapshotOrderError} If a snapshot's keys go back.
 */
export async function* mergeSnapshots(
  older: AsyncIterable<RowBlock>,
  newer: AsyncIterable<RowBlock>,
  selection: HostSelection,
  stats: DiffStats,
): AsyncGenerator<HostChanges, void, unknown> {
  const left = new Side(older[Symbol.asyncIterator](), "older");
  const right = new Side(newer[Symbol.asyncIterator](), "newer");
  const hosts = new Hosts(selection, stats);
  try {
    for (;;) {
      if (left.i >= left.count && !await left.load()) break;
      if (right.i >= right.count && !await right.load()) break;
      const grouped = pass(left, right, hosts);
      if (hosts.done.length > 0) yield* hosts.take();
      if (grouped) {
        await matchGroup(left, right, hosts, stats);
        if (hosts.done.length > 0) yield* hosts.take();
      }
    }
    hosts.finish();
    yield* hosts.take();
  } finally {
    stats.rows = left.rows + right.rows;
    await left.iterator.return?.();
    await right.iterator.return?.();
  }
}

/** Where reading of one snapshot stands. */
class Side {
  readonly iterator: AsyncIterator<RowBlock>;
  readonly #which: string;
  i = 0;
  count = 0;
  rows = 0;
  key = EMPTY;
  url = EMPTY;
  digest = EMPTY;
  #last: Uint8Array = new Uint8Array(0);

  constructor(iterator: AsyncIterator<RowBlock>, which: string) {
    this.iterator = iterator;
    this.#which = which;
  }

  /** Goes to the next block; false at the end. */
  async load(): Promise<boolean> {
    const had = this.count > 0;
    if (had) this.#last = this.copyKey(this.count - 1);
    for (;;) {
      const { done, value } = await this.iterator.next();
      if (done) {
        this.i = this.count = 0;
        return false;
      }
      if (value.count === 0) continue;
      ({ key: this.key, url: this.url, digest: this.digest, count: this.count } = value);
      this.rows += value.count;
      this.i = 0;
      const { bytes, starts, ends, at } = this.key;
      if (
        had && compareBytes(this.#last, 0, this.#last.length, bytes, starts[at]!, ends[at]!) > 0
      ) {
        this.outOfOrder(0);
      }
      return true;
    }
  }

  copyKey(i: number): Uint8Array {
    const { bytes, starts, ends, at } = this.key;
    return bytes.slice(starts[at + i]!, ends[at + i]!);
  }

  /** How the key behind row `i` of the block compares to its own: 0 for the same, above for a later one. */
  step(i: number): number {
    const { bytes, starts, ends, at } = this.key;
    const k = at + i;
    const order = compareBytes(bytes, starts[k + 1]!, ends[k + 1]!, bytes, starts[k]!, ends[k]!);
    if (order < 0) this.outOfOrder(i + 1);
    return order;
  }

  outOfOrder(i: number): never {
    const decoder = new TextDecoder();
    const text = decoder.decode(this.copyKey(i).subarray(0, 200));
    throw new SnapshotOrderError(this.#which, text);
  }
}

/** Goes on until a block ends, or until a key that several rows of a side may share: then true. */
function pass(left: Side, right: Side, hosts: Hosts): boolean {
  const l = left.key;
  const r = right.key;
  const leftCount = left.count;
  const rightCount = right.count;
  let i = left.i;
  let j = right.i;
  let grouped = false;
  while (i < leftCount && j < rightCount) {
    const order = compareBytes(
      l.bytes,
      l.starts[l.at + i]!,
      l.ends[l.at + i]!,
      r.bytes,
      r.starts[r.at + j]!,
      r.ends[r.at + j]!,
    );
    if (order < 0) {
      if (i + 1 < leftCount) left.step(i);
      i++;
    } else if (order > 0) {
      if (j + 1 < rightCount) right.step(j);
      j++;
    } else {
      if (
        i + 1 === leftCount || j + 1 === rightCount || left.step(i) === 0 || right.step(j) === 0
      ) {
        grouped = true;
        break;
      }
      if (same(left.url, i, right.url, j)) {
        const d = left.digest;
        const k = d.at + i;
        const e = right.digest;
        const m = e.at + j;
        if (d.ends[k]! > d.starts[k]! && e.ends[m]! > e.starts[m]!) {
          hosts.count(left.key, left.url, i, !same(d, i, e, j));
        }
      }
      i++;
      j++;
    }
  }
  left.i = i;
  right.i = j;
  return grouped;
}

function same(a: BlockColumn, i: number, b: BlockColumn, j: number): boolean {
  let at = a.starts[a.at + i]!;
  const end = a.ends[a.at + i]!;
  let other = b.starts[b.at + j]!;
  if (end - at !== b.ends[b.at + j]! - other) return false;
  const x = a.bytes;
  const y = b.bytes;
  while (at < end) if (x[at++] !== y[other++]) return false;
  return true;
}

/** Matches all rows of the key that both sides stand at, over the ends of blocks. */
async function matchGroup(left: Side, right: Side, hosts: Hosts, stats: DiffStats): Promise<void> {
  const key = left.copyKey(left.i);
  const older = await takeGroup(left, key, stats);
  const newer = await takeGroup(right, key, stats);
  for (const [url, digests] of older) {
    const others = newer.get(url);
    if (others === undefined) continue;
    let changed = true;
    for (const digest of digests) if (others.has(digest)) changed = false;
    const bytes = encoder.encode(url);
    const column = { bytes, starts: Int32Array.of(0), ends: Int32Array.of(bytes.length), at: 0 };
    const keys = { bytes: key, starts: Int32Array.of(0), ends: Int32Array.of(key.length), at: 0 };
    hosts.count(keys, column, 0, changed);
  }
}

/** The URLs of a key with their digests; stands behind them then. */
async function takeGroup(
  side: Side,
  key: Uint8Array,
  stats: DiffStats,
): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>();
  const text = (column: BlockColumn): string => {
    const k = column.at + side.i;
    return decoder.decode(column.bytes.subarray(column.starts[k]!, column.ends[k]!));
  };
  for (;;) {
    if (side.i >= side.count && !await side.load()) return found;
    const { bytes, starts, ends, at } = side.key;
    const k = at + side.i;
    const order = compareBytes(bytes, starts[k]!, ends[k]!, key, 0, key.length);
    if (order < 0) side.outOfOrder(side.i);
    if (order > 0) return found;
    const digest = text(side.digest);
    if (digest !== "") {
      const url = text(side.url);
      const digests = found.get(url);
      if (digests !== undefined) {
        if (digests.size < MOST_URLS) digests.add(digest);
      } else if (found.size < MOST_URLS) found.set(url, new Set([digest]));
      else stats.skipped++;
    }
    side.i++;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Counts by host. */
class Hosts {
  /** Hosts that the keys have passed. */
  done: HostChanges[] = [];
  readonly #selection: HostSelection;
  readonly #stats: DiffStats;
  /** The host at hand, and those that may come again, each a beginning of the next. */
  readonly #open: OpenHost[] = [];
  #key: Uint8Array = new Uint8Array(0);
  #host: Uint8Array = new Uint8Array(0);
  /** Of the host at hand; nothing where it is not selected. */
  #counts: Counts | undefined;

  constructor(selection: HostSelection, stats: DiffStats) {
    this.#selection = selection;
    this.#stats = stats;
  }

  take(): HostChanges[] {
    const { done } = this;
    this.done = [];
    return done;
  }

  /** Counts a URL that both have. */
  count(keys: BlockColumn, urls: BlockColumn, i: number, changed: boolean): void {
    this.#enterKey(keys.bytes, keys.starts[keys.at + i]!, keys.ends[keys.at + i]!);
    this.#enterHost(urls.bytes, urls.starts[urls.at + i]!, urls.ends[urls.at + i]!);
    const counts = this.#counts;
    if (counts === undefined) return;
    counts.total++;
    this.#stats.compared++;
    if (changed) {
      counts.changed++;
      this.#stats.changed++;
    }
  }

  finish(): void {
    while (this.#open.length > 0) this.#close();
  }

  #enterKey(bytes: Uint8Array, start: number, end: number): void {
    const known = this.#key;
    const behind = start + known.length;
    if (this.#open.length > 0 && behind < end && endsHost(bytes[behind]!)) {
      let i = 0;
      while (i < known.length && bytes[start + i] === known[i]) i++;
      if (i === known.length) return;
    }
    let stop = start;
    while (stop < end && !endsHost(bytes[stop]!)) stop++;
    this.#key = bytes.slice(start, stop);
    const key = decoder.decode(this.#key);
    this.#host = new Uint8Array(0);
    for (;;) {
      const last = this.#open.at(-1);
      if (last === undefined) break;
      if (last.key === key) return;
      if (mayReturn(last.key, key)) break;
      this.#close();
    }
    this.#open.push({ key, hosts: new Map() });
  }

  #enterHost(bytes: Uint8Array, start: number, end: number): void {
    let from = start;
    while (from < end && bytes[from] !== 0x3a) from++;
    from = Math.min(from + 3, end);
    const known = this.#host;
    const behind = from + known.length;
    if (known.length > 0 && (behind === end || behind < end && endsAuthority(bytes[behind]!))) {
      let i = 0;
      while (i < known.length && bytes[from + i] === known[i]) i++;
      if (i === known.length) return;
    }
    let stop = from;
    while (stop < end && !endsAuthority(bytes[stop]!)) stop++;
    this.#host = bytes.slice(from, stop);
    let host = decoder.decode(this.#host).toLowerCase();
    if (host.includes("@") || host.startsWith("[")) {
      host = URL.parse(decoder.decode(bytes.subarray(start, end)))?.hostname ?? host;
    }
    while (host.endsWith(".")) host = host.slice(0, -1);
    const { hosts } = this.#open.at(-1)!;
    this.#counts = hosts.get(host);
    if (this.#counts !== undefined || !isSelected(host, this.#selection)) return;
    // Some sites have names without end that a key takes for one: what is there is given as it is.
    if (hosts.size >= MOST_HOSTS) this.#give(hosts);
    hosts.set(host, this.#counts = { total: 0, changed: 0 });
  }

  #close(): void {
    this.#give(this.#open.pop()!.hosts);
  }

  #give(hosts: Map<string, Counts>): void {
    for (const [host, counts] of hosts) this.done.push({ host, ...counts });
    hosts.clear();
  }
}

/**
 * Whether keys of a host may still come behind those of another: its ports (`com,example:8080)`) come
 * behind all that goes on with less than a colon, such as `com,example,shop)` and `com,example-b)`.
 */
function mayReturn(host: string, at: string): boolean {
  return at.startsWith(host) && at.charCodeAt(host.length) <= 0x3a;
}

/** `/`, `?`, `#`, and `:` before a port. */
function endsAuthority(byte: number): boolean {
  return byte === 0x2f || byte === 0x3f || byte === 0x23 || byte === 0x3a;
}
