/**
 * The tables of a state and every statement on them.
 *
 * @module
 */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Arena } from "./_arena.ts";
import { BulkInsert } from "./_bulk.ts";
import { FrontierStateError } from "./errors.ts";
import { type Host, NO_CLASS } from "./_host.ts";
import { decodeRow, RowWriter } from "./_host_row.ts";

/** Version of the tables. A state of a newer one is refused, and so is one before `OLDEST_VERSION`. */
export const SCHEMA_VERSION = 3;
/** This one lacks only a form of blocks that the program that wrote it cannot read. */
const OLDEST_VERSION = 2;
/** Marks a SQLite file as a crawl state ("ccrw"). */
export const APPLICATION_ID = 0x63637277;

const TABLES = `
create table meta(key text primary key, value) without rowid;
create table hosts(id integer primary key, hash integer not null, name text not null,
  body blob not null);
create table names(hash integer not null, id integer not null, primary key(hash, id)) without rowid;
create table due(cls integer not null, due integer not null, host integer not null,
  primary key(cls, due, host)) without rowid;
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
    } else if (version > SCHEMA_VERSION || version < OLDEST_VERSION) {
      const other = version > SCHEMA_VERSION ? "newer" : "older";
      throw new FrontierStateError(
        name,
        `Cannot open the state "${name}": its format is version ${version}, this program knows ` +
          `${SCHEMA_VERSION}. Use the ${other} program that wrote it.`,
      );
    }
    // Only synced writes may be relied on, so that every commit is one sync of the log.
    if (!readOnly) db.exec("pragma journal_mode = wal; pragma synchronous = full");
    if (!readOnly && version !== SCHEMA_VERSION) db.exec(`pragma user_version = ${SCHEMA_VERSION}`);
    db.exec(
      "pragma cache_size = -32768; pragma wal_autocheckpoint = 2000; pragma temp_store = memory",
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

const DAMAGED = "It is damaged: go on from a copy of it, or begin anew with another state.";

/** The error of a state file, in words for people. */
export function stateError(path: string, verb: string, error: unknown): Error {
  if (error instanceof FrontierStateError) return error;
  const { code, errcode = 0 } = error as { code?: string; errcode?: number };
  const reason = (error as Error).message.replace(/\.$/, "");
  // What SQLite has no complaint about, and cannot be read or understood, are rows that were spoilt. What
  // it complains of in a script, as of a full disk at a commit, has no number.
  const hint = code !== "ERR_SQLITE_ERROR"
    ? /memory|allocation/i.test(reason) ? "" : DAMAGED
    : { 11: DAMAGED, 26: "It is not a crawl state.", 13: "Make room." }[errcode & 255] ?? "";
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

/** A row of `hosts`. */
export interface HostRow {
  readonly id: number;
  readonly hash: number;
  readonly name: string;
  readonly body: Uint8Array;
}

/** The statements that the engine runs, prepared once. */
export class Store {
  readonly db: DatabaseSync;
  #open = false;
  readonly #statements: Map<string, StatementSync> = new Map();

  readonly #rows = new RowWriter();
  readonly #hosts: BulkInsert;
  readonly #due: BulkInsert;
  readonly #names: BulkInsert;

  constructor(db: DatabaseSync) {
    this.db = db;
    this.#hosts = new BulkInsert(db, "insert or replace into hosts", 4);
    this.#due = new BulkInsert(db, "insert into due", 3);
    // After a crash in between, a name may be there while its host is in the journal only.
    this.#names = new BulkInsert(db, "insert or ignore into names", 2);
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

  hostByName(hash: number, name: string, arena: Arena): Host | undefined {
    const row = this.sql(
      "select hosts.* from names cross join hosts on hosts.id = names.id " +
        "where names.hash = ? and name = ?",
    ).get(hash, name);
    return row === undefined ? undefined : decodeRow(row as unknown as HostRow, arena);
  }

  /** The host of that number; entries of its row that `isGone` names are left out. */
  hostById(id: number, arena: Arena, isGone?: (seq: number) => boolean): Host | undefined {
    const row = this.sql("select * from hosts where id = ?").get(id);
    return row === undefined ? undefined : decodeRow(row as unknown as HostRow, arena, isGone);
  }

  /** Rows of hosts in the order of their numbers, behind that of `after`. */
  hostRows(after: number, count: number): HostRow[] {
    return this.sql("select * from hosts where id > ? order by id limit ?")
      .all(after, count) as unknown as HostRow[];
  }

  /** Fingerprints of hosts in their order, those after one. */
  hostHashes(after: number, count: number): number[] {
    const rows = this.sql("select hash from names where hash > ? order by hash limit ?")
      .all(after, count) as unknown as { hash: number }[];
    return rows.map(({ hash }) => hash);
  }

  /**
   * Makes a host's row be written; see {@linkcode RowWriter} for what of its queue goes into it. It is
   * there after {@linkcode Store.saveHosts}, and so is its place in the index.
   */
  saveHost(host: Host, arena: Arena): void {
    this.#rows.add(host, arena);
    host.dirty = false;
  }

  /** Puts a host into the index of those that are due, with the next {@linkcode Store.saveHosts}. */
  index(host: Host, cls: number, due: number): void {
    this.#due.add(cls, due, host.id);
    host.indexed = true;
    host.indexClass = cls;
    host.indexDue = due;
  }

  /** Writes the rows of hosts that were saved. */
  saveHosts(): void {
    this.begin();
    this.#rows.each((id, hash, name, body) => this.#hosts.add(id, hash, name, body));
    this.#hosts.run();
    this.#due.run();
  }

  /** Makes hosts be found by their names. */
  saveNames(hosts: readonly Host[]): void {
    this.begin();
    for (const host of hosts) {
      this.#names.add(host.hash, host.id);
      host.listed = true;
    }
    this.#names.run();
  }

  /** Takes a host out of the index, because memory schedules it from now on. */
  unindex(host: Host): void {
    this.begin();
    this.sql("delete from due where cls = ? and due = ? and host = ?")
      .run(host.indexClass, host.indexDue, host.id);
    host.indexed = false;
  }

  /**
   * Takes up to `count` hosts of one class that are due out of the index, longest due first. Their
   * rows are as they were, so that each says that the index has it.
   */
  takeDue(cls: number, limit: number, count: number): HostRow[] {
    const rows = this.sql(
      "select due, id, hash, name, body from due cross join hosts on hosts.id = due.host " +
        "where cls = ? and due <= ? order by due, host limit ?",
    ).all(cls, limit, count) as unknown as (HostRow & { due: number })[];
    const last = rows.at(-1);
    if (last !== undefined) {
      this.begin();
      this.sql("delete from due where cls = ? and due < ?").run(cls, last.due);
      this.sql("delete from due where cls = ? and due = ? and host <= ?")
        .run(cls, last.due, last.id);
    }
    return rows;
  }

  /** The classes of the index, each with the least due moment. */
  indexClasses(): { cls: number; due: number }[] {
    const classes: { cls: number; due: number }[] = [];
    for (let last = -1e9;;) {
      const row = this.sql("select cls, due from due where cls > ? order by cls, due limit 1")
        .get(last) as unknown as { cls: number; due: number } | undefined;
      if (row === undefined) return classes;
      classes.push(row);
      last = row.cls;
    }
  }

  leastDue(cls: number): number {
    const row = this.sql("select min(due) as due from due where cls = ?").get(cls);
    return (row?.due as number | null) ?? Infinity;
  }

  /** For each class of the index: hosts due after `now`, the longest due moment, the next one. */
  waitingByClass(now: number): { n: number; oldest: number; next: number }[] {
    return this.indexClasses().map(({ cls, due }) => {
      const row = this.sql(
        "select count(*) as n, min(due) as next from due where cls = ? and due > ?",
      ).get(cls, now)!;
      return { n: row.n as number, oldest: due, next: (row.next as number | null) ?? Infinity };
    });
  }

  putBlock(host: number, cls: number, row: Omit<BlockRow, "rank">): void {
    this.begin();
    const { seq, n, priority, body } = row;
    this.sql("insert into blocks values(?, ?, ?, ?, ?, ?)").run(
      host,
      0 - cls,
      seq,
      n,
      priority,
      body,
    );
  }

  /** Takes the first block of a host's best class out of the table. */
  takeBlock(host: number): BlockRow | undefined {
    this.begin();
    return this.sql(
      "delete from blocks where (host, rank, seq) = " +
        "(select host, rank, seq from blocks where host = ? order by rank, seq limit 1) " +
        "returning rank, seq, n, priority, body",
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

  reclassBlocks(host: number, cls: number, priority: number): void {
    this.begin();
    this.sql("update blocks set rank = ?, priority = ? where host = ?").run(
      0 - cls,
      priority,
      host,
    );
  }
}
