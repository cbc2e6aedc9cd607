/**
 * The index's file: its schema and how it is opened.
 *
 * @module
 */

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { TOKENIZER } from "./_text.ts";
import { IndexError, indexError } from "./errors.ts";

/** `ccix`: what tells the file from other databases. */
const APPLICATION = 0x63636978;
const VERSION = 1;

/**
 * The full-text index keeps no text of its own. Of each document the text is kept once, compressed, for
 * snippets. `key` finds a document by the hash of its id, and has the hash of its content.
 */
const SCHEMA = `
  CREATE TABLE document(
    id INTEGER PRIMARY KEY,
    doc_id TEXT,
    url TEXT NOT NULL,
    title TEXT NOT NULL,
    text BLOB NOT NULL
  );
  CREATE TABLE key(hash BLOB PRIMARY KEY, id INTEGER NOT NULL, content BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE figure(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO figure VALUES('documents', 0);
  CREATE VIRTUAL TABLE words USING fts5(
    title, text, host, language,
    content='', contentless_delete=1, tokenize="${TOKENIZER}"
  );
  INSERT INTO words(words, rank) VALUES('hashsize', 16777216);
  INSERT INTO words(words, rank) VALUES('automerge', 8);
  PRAGMA application_id = ${APPLICATION};
  PRAGMA user_version = ${VERSION};
`;

/** Path of the file in an index's folder. */
export function indexPath(dir: string): string {
  return join(dir, "index.db");
}

/**
 * Opens an index to be written, and makes it where it is missing.
 *
 * @throws {IndexError} When it is of another kind, or newer than this program.
 */
export function openForWriting(dir: string): DatabaseSync {
  const path = indexPath(dir);
  const doing = `write the index ${path}`;
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path);
    db.exec("PRAGMA busy_timeout = 10000; PRAGMA cache_size = -32768");
    const fresh = numberOf(db, "SELECT count(*) FROM sqlite_schema") === 0;
    if (!fresh) check(db, path);
    // A kill loses nothing that was committed; nor does a power failure damage the file.
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    if (fresh) db.exec(`BEGIN; ${SCHEMA} COMMIT`);
    return db;
  } catch (cause) {
    db?.close();
    throw indexError(doing, cause);
  }
}

/**
 * Opens an index to be asked; it may be written meanwhile.
 *
 * @throws {IndexError} When there is none, it is of another kind, or newer than this program.
 */
export function openForReading(dir: string): DatabaseSync {
  const path = indexPath(dir);
  if (!existsSync(path)) {
    throw new IndexError(
      `Cannot search ${dir}: there is no index in it; make one with ccrawl index build --dir ${dir}`,
    );
  }
  let db: DatabaseSync | undefined;
  try {
    db = readable(path);
    db.exec(
      "PRAGMA busy_timeout = 10000; PRAGMA cache_size = -32768; PRAGMA mmap_size = 1073741824",
    );
    check(db, path);
    return db;
  } catch (cause) {
    db?.close();
    throw indexError(`search the index ${path}`, cause);
  }
}

/**
 * A reader shares memory with writers through a file beside the index. Where it may not be made nobody
 * writes either: the index is then read as a file that does not change.
 */
function readable(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    numberOf(db, "PRAGMA application_id");
    return db;
  } catch (error) {
    db.close();
    const log = `${path}-wal`;
    const quiet = !existsSync(log) || statSync(log).size === 0;
    if (!quiet || !/unable to open/.test((error as Error).message)) throw error;
    const url = pathToFileURL(path);
    url.search = "immutable=1";
    return new DatabaseSync(url, { readOnly: true });
  }
}

function check(db: DatabaseSync, path: string): void {
  if (numberOf(db, "PRAGMA application_id") !== APPLICATION) {
    throw new IndexError(`Cannot use ${path}: it is no index of ccrawl's; give another folder`);
  }
  const version = numberOf(db, "PRAGMA user_version");
  if (version !== VERSION) {
    throw new IndexError(
      `Cannot use ${path}: it has version ${version}, this ccrawl knows ${VERSION}; use the ccrawl that ` +
        "made it, or build it again",
    );
  }
}

/** The one number that a statement gives. */
export function numberOf(db: DatabaseSync, sql: string): number {
  return Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0);
}
