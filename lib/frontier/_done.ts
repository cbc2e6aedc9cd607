/**
 * The log of ended URLs: one compressed row a commit.
 *
 * @module
 */

import { ByteReader, ByteWriter } from "./_bytes.ts";
import { pack, unpack } from "./_pack.ts";
import type { Store } from "./_store.ts";
import type { DoneUrl } from "./types.ts";

const OUTCOMES = ["done", "failed", "skipped"] as const;
/** Rows are joined up to this many bytes when a generation of the journal ends. */
const LARGE = 1 << 16;

/** Collects the URLs that end in one commit. */
export class DoneWriter {
  count = 0;
  readonly #out = new ByteWriter(1 << 14);

  add(url: DoneUrl): void {
    const out = this.#out;
    this.count++;
    out.byte(OUTCOMES.indexOf(url.outcome));
    out.text(url.url);
    out.varint(url.depth);
    out.varint(url.status);
    out.text(url.error);
    out.text(url.reason);
    out.text(url.warcFile);
    out.varint(url.warcOffset);
  }

  /** Writes what was collected as one row; `ended` URLs were written before it. */
  save(store: Store, ended: number): void {
    if (this.count === 0) return;
    store.begin();
    store.sql("insert into done(id, n, body) values(?, ?, ?)")
      .run(ended, this.count, pack(this.#out.view()));
    this.count = 0;
    this.#out.clear();
  }
}

/** The URLs of the log from number `next` on, a row's worth; empty at its end. */
export function readDoneRow(store: Store, next: number): DoneUrl[] {
  // A row's id is the number of its first URL, so that joining rows moves nothing under a reader.
  const row = store.sql("select id, n, body from done where id <= ? order by id desc limit 1")
    .get(next) as unknown as { id: number; n: number; body: Uint8Array } | undefined;
  if (row === undefined || row.id + row.n <= next) return [];
  return [...decodeDone(row.body)].slice(next - row.id);
}

/** The URLs of one row, in the order they ended. */
function* decodeDone(body: Uint8Array): Generator<DoneUrl> {
  const from = new ByteReader(unpack(body));
  while (!from.done) {
    const outcome = OUTCOMES[from.byte()];
    if (outcome === undefined) throw new RangeError("Cannot read the record: unknown outcome");
    yield {
      url: from.text(),
      outcome,
      depth: from.varint(),
      status: from.varint(),
      error: from.text(),
      reason: from.text(),
      warcFile: from.text(),
      warcOffset: from.varint(),
    };
  }
}

/**
 * Joins small neighbouring rows from the row of URL `from` on, so that months of small commits do not
 * leave a row each. Returns where to go on; undefined at the end.
 */
export function joinDone(store: Store, from: number): number | undefined {
  const rows = store.sql("select id, n, body from done where id >= ? order by id limit 64")
    .all(from) as unknown as { id: number; n: number; body: Uint8Array }[];
  const group: typeof rows = [];
  let size = 0, n = 0;
  for (const row of rows) {
    if (group.length > 0 && size + row.body.length > LARGE) break;
    group.push(row);
    size += row.body.length;
    n += row.n;
  }
  const first = group[0], last = group.at(-1);
  if (first === undefined || last === undefined) return undefined;
  if (group.length > 1) {
    const out = new ByteWriter(size * 4);
    for (const row of group) out.raw(unpack(row.body));
    store.begin();
    store.sql("delete from done where id > ? and id <= ?").run(first.id, last.id);
    store.sql("update done set n = ?, body = ? where id = ?").run(n, pack(out.view()), first.id);
  }
  return rows.length > group.length || rows.length === 64 ? last.id + last.n : undefined;
}
