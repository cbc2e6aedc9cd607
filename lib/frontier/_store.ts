/**
 * The tables of a state and every statement on them.
 *
 * @module
 */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { FrontierStateError } from "./errors.ts";
import { Host, NO_CLASS } from "./_host.ts";

/** Version of the tables. A state of a later one is refused. */
export const SCHEMA_VERSION = 1;
/** Marks a SQLite file as a crawl state ("ccrw"). */
export const APPLICATION_ID = 0x63637277;

const TABLES = `
create table meta(key text primary key, value) without rowid;
create table hosts(
  id integer primary key, hash integer not null, name text not null, named integer not null,
  admitted integer not null, failures integer not null, deferrals integer not null,
  delay real not null, not_before real not null, blocked_until real not null, reason text,
  blocks integer not null, on_disk integer not null, disk_class integer,
  index_class integer, index_due real);
create index hosts_by_hash on hosts(hash);
create index hosts_by_due on hosts(index_class, index_due) where index_class is not null;
create table blocks(
  host integer not null, rank integer not null, seq integer not null, n integer not null,
  priority real, body blob not null, primary key(host, rank, seq)) without rowid;
create table journal(id integer primary key, gen integer not null, body blob not null,
  gone blob not null);
create table done(id integer primary key, n integer not null, body blob not null);
create table seen(id integer primary key, keys blob not null);
create table runs(run integer not null, chunk integer not null, keys blob not null,
  primary key(run, chunk)) without rowid;
create table staged(id integer primary key, n integer not null, keys blob not null,
  body blob not null);
create table cached(key text primary key, value blob not null, expires real not null) without rowid;
`;

const SAVE_HOST = `
insert into hosts values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict(id) do update set named = excluded.named, admitted = excluded.admitted,
  failures = excluded.failures, deferrals = excluded.deferrals, delay = excluded.delay,
  not_before = excluded.not_before, blocked_until = excluded.blocked_until, reason = excluded.reason,
  blocks = excluded.blocks, on_disk = excluded.on_disk, disk_class = excluded.disk_class,
  index_class = excluded.index_class, index_due = excluded.index_due`;

/** Opens the file, or memory when `path` is undefined, and makes or checks its tables. */
export function openDatabase(path: string | undefined, readOnly = false): DatabaseSync {
  const name = path ?? ":memory:";
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(name, { readOnly });
    db.exec("pragma busy_timeout = 5000");
    const version = pragma(db, "user_version"), application = pragma(db, "application_id");
    if (application !== APPLICATION_ID) {
      const tables = Number(db.prepare("select count(*) as n from sqlite_schema").get()!.n);
      if (tables > 0 || version > 0 || readOnly) {
        throw new FrontierStateError(name, `Cannot open "${name}": it is not a crawl state.`);
      }
      createTables(db);
    } else if (version > SCHEMA_VERSION) {
      throw new FrontierStateError(
        name,
        `Cannot open the state "${name}": its format is version ${version}, this program knows ` +
          `${SCHEMA_VERSION}. Use the newer program that wrote it.`,
      );
    }
    // Only synced writes may be relied on, so that every commit is one sync of the log.
    if (!readOnly) db.exec("pragma journal_mode = wal; pragma synchronous = full");
    db.exec(
      "pragma cache_size = -65536; pragma wal_autocheckpoint = 2000; pragma temp_store = memory",
    );
    return db;
  } catch (error) {
    db?.close();
    if (path !== undefined && isFolder(path)) {
      throw new FrontierStateError(name, `Cannot open the state "${name}": it is a folder.`, {
        cause: error,
      });
    }
    throw stateError(name, "open", error);
  }
}

/** SQLite says of one that it is a disk in error. */
function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

function createTables(db: DatabaseSync): void {
  db.exec(
    `pragma page_size = 4096; pragma journal_mode = wal; begin immediate; ${TABLES}
     pragma application_id = ${APPLICATION_ID}; pragma user_version = ${SCHEMA_VERSION}; commit`,
  );
}

/** The value of a pragma that is one number. */
export function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`pragma ${name}`).get()!)[0]);
}

/** The error of a state file, in words for people. */
export function stateError(path: string, verb: string, error: unknown): Error {
  if (error instanceof FrontierStateError) return error;
  const code = (error as { errcode?: number }).errcode ?? 0;
  const reason = (error as Error).message;
  const hint =
    { 11: "It is damaged.", 26: "It is not a crawl state.", 13: "Make room." }[code & 255] ??
      "";
  const full = `Cannot ${verb} the state "${path}": ${reason}. ${hint}`.trim();
  return new FrontierStateError(path, full, { cause: error });
}

/** A row of `blocks` without its key's host. */
export interface BlockRow {
  readonly rank: number;
  readonly seq: number;
  readonly n: number;
  readonly priority: number | null;
  readonly body: Uint8Array;
}

type Row = Record<string, unknown>;

/** The statements that the engine runs, prepared once. */
export class Store {
  readonly db: DatabaseSync;
  #open = false;
  readonly #statements: Map<string, StatementSync> = new Map();

  constructor(db: DatabaseSync) {
    this.db = db;
  }

  /** Runs a statement of this class, prepared once. */
  sql(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.db.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  /** Opens a transaction unless one is open. */
  begin(): void {
    if (this.#open) return;
    this.db.exec("begin immediate");
    this.#open = true;
  }

  get inTransaction(): boolean {
    return this.#open;
  }

  commit(): void {
    if (!this.#open) return;
    this.db.exec("commit");
    this.#open = false;
  }

  getMeta(key: string): unknown {
    return this.sql("select value from meta where key = ?").get(key)?.value;
  }

  setMeta(key: string, value: string | number | Uint8Array): void {
    this.begin();
    this.sql("insert or replace into meta values(?, ?)").run(key, value);
  }

  hostByName(hash: number, name: string): Host | undefined {
    const row = this.sql("select * from hosts where hash = ? and name = ?").get(hash, name);
    return row === undefined ? undefined : toHost(row);
  }

  hostById(id: number): Host | undefined {
    const row = this.sql("select * from hosts where id = ?").get(id);
    return row === undefined ? undefined : toHost(row);
  }

  saveHost(host: Host, hash: number): void {
    this.begin();
    const { diskClass, indexed } = host;
    this.sql(SAVE_HOST).run(
      host.id,
      hash,
      host.name,
      host.named ? 1 : 0,
      host.admitted,
      host.failures,
      host.deferrals,
      host.delay,
      host.notBefore,
      host.blockedUntil,
      host.excluded,
      host.blocks,
      host.onDisk,
      diskClass === NO_CLASS ? null : diskClass,
      indexed ? host.indexClass : null,
      indexed ? host.indexDue : null,
    );
    host.stored = true;
    host.dirty = false;
  }

  /** Takes a host out of the index, because memory schedules it from now on. */
  unindex(host: Host): void {
    this.begin();
    this.sql("update hosts set index_class = null, index_due = null where id = ?").run(host.id);
    host.indexed = false;
  }

  /** Hosts of the index in one class that are due, longest due first. */
  dueHosts(cls: number, limit: number, count: number): Host[] {
    return this.sql(
      "select * from hosts where index_class = ? and index_due <= ? order by index_due, id limit ?",
    ).all(cls, limit, count).map(toHost);
  }

  /** The classes of the index, each with the least due moment and the number of hosts. */
  indexClasses(): { cls: number; due: number; n: number }[] {
    return this.sql(
      "select index_class as cls, min(index_due) as due, count(*) as n from hosts " +
        "where index_class is not null group by index_class",
    ).all() as unknown as { cls: number; due: number; n: number }[];
  }

  leastDue(cls: number): number {
    const row = this.sql("select min(index_due) as due from hosts where index_class = ?").get(cls);
    return (row?.due as number | null) ?? Infinity;
  }

  /** For each class of the index: hosts due after `now`, the longest due moment, the next one. */
  waitingByClass(now: number): { n: number; oldest: number; next: number }[] {
    return this.indexClasses().map(({ cls, due }) => {
      const row = this.sql(
        "select count(*) as n, min(index_due) as next from hosts where index_class = ? and index_due > ?",
      ).get(cls, now)!;
      return { n: row.n as number, oldest: due, next: (row.next as number | null) ?? Infinity };
    });
  }

  putBlock(host: number, cls: number, seq: number, n: number, body: Uint8Array): void {
    this.begin();
    this.sql("insert into blocks values(?, ?, ?, ?, null, ?)").run(host, 0 - cls, seq, n, body);
  }

  firstBlock(host: number): BlockRow | undefined {
    return this.sql(
      "select rank, seq, n, priority, body from blocks where host = ? order by rank, seq limit 1",
    ).get(host) as unknown as BlockRow | undefined;
  }

  /** The best class of a host's blocks. */
  bestBlockClass(host: number): number {
    const row = this.sql("select rank from blocks where host = ? order by rank, seq limit 1").get(
      host,
    );
    return row === undefined ? NO_CLASS : 0 - (row.rank as number);
  }

  /** For each class of a host's blocks, the number of its first entry. */
  firstSeqs(host: number): Map<number, number> {
    const rows = this.sql("select rank, min(seq) as seq from blocks where host = ? group by rank")
      .all(host) as unknown as { rank: number; seq: number }[];
    return new Map(rows.map(({ rank, seq }) => [0 - rank, seq]));
  }

  removeBlock(host: number, rank: number, seq: number): void {
    this.begin();
    this.sql("delete from blocks where host = ? and rank = ? and seq = ?").run(host, rank, seq);
  }

  reclassBlocks(host: number, cls: number, priority: number): void {
    this.begin();
    this.sql("update blocks set rank = ?, priority = ? where host = ?").run(
      0 - cls,
      priority,
      host,
    );
  }
}

function toHost(row: Row): Host {
  const host = new Host(row.id as number, row.name as string);
  host.stored = true;
  host.named = row.named === 1;
  host.admitted = row.admitted as number;
  host.failures = row.failures as number;
  host.deferrals = row.deferrals as number;
  host.delay = row.delay as number;
  host.notBefore = row.not_before as number;
  host.blockedUntil = row.blocked_until as number;
  host.excluded = row.reason as string | null;
  host.blocks = row.blocks as number;
  host.onDisk = row.on_disk as number;
  host.diskClass = (row.disk_class as number | null) ?? NO_CLASS;
  host.active = host.onDisk > 0;
  host.indexed = row.index_class !== null;
  host.indexClass = (row.index_class as number | null) ?? NO_CLASS;
  host.indexDue = (row.index_due as number | null) ?? 0;
  return host;
}
