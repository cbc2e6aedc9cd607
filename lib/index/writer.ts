/**
 * Putting documents into an index.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type FileLock, lockFile, StateLockedError } from "../files/mod.ts";
import { hostOf } from "../url/mod.ts";
import { indexPath, numberOf, openForWriting } from "./_database.ts";
import { stored } from "./_stored.ts";
import { hostWords, indexedText } from "./_text.ts";
import { indexError } from "./errors.ts";
import type { Added, IndexDocument } from "./types.ts";

/** Characters of a text that are kept. */
export const MAX_TEXT = 4 << 20;
const MAX_TITLE = 1000;
const MAX_NAME = 8000;
/** Documents and characters after which they are committed together, and the longest time. */
const BATCH = 5000;
const BATCH_CHARS = 16 << 20;
const BATCH_MS = 5000;

/** What an index has come to. */
export interface IndexFigures {
  /** Documents in it. */
  readonly documents: number;
  /** Bytes of its file. */
  readonly bytes: number;
}

/**
 * Writes an index. Documents are committed some thousand at a time: a kill loses those since, and never
 * damages the index. Memory does not follow their number.
 */
export class IndexWriter implements Disposable {
  readonly #dir: string;
  readonly #lock: FileLock;
  readonly #db: DatabaseSync;
  readonly #known: StatementSync;
  readonly #setKey: StatementSync;
  readonly #setDocument: StatementSync;
  readonly #setWords: StatementSync;
  #documents: number;
  #next: number;
  #open = false;
  #pending = 0;
  #pendingChars = 0;
  #begun = 0;
  #closed = false;

  /**
   * Opens the index in a folder, and makes it where it is missing.
   *
   * @throws {IndexError} When it cannot be written.
   * @throws {StateLockedError} When another process writes it.
   */
  constructor(dir: string) {
    this.#dir = dir;
    try {
      mkdirSync(dir, { recursive: true });
    } catch (cause) {
      throw indexError(`write the index ${dir}`, cause);
    }
    try {
      this.#lock = lockFile(join(dir, "index"));
    } catch (cause) {
      throw cause instanceof StateLockedError ? new StateLockedError(dir, cause.pid) : cause;
    }
    try {
      const db = this.#db = openForWriting(dir);
      this.#known = db.prepare("SELECT id, content FROM key WHERE hash = ?");
      this.#setKey = db.prepare("INSERT OR REPLACE INTO key VALUES(?, ?, ?)");
      this.#setDocument = db.prepare("INSERT OR REPLACE INTO document VALUES(?, ?, ?, ?, ?)");
      this.#setWords = db.prepare(
        "INSERT OR REPLACE INTO words(rowid, title, text, host, language) VALUES(?, ?, ?, ?, ?)",
      );
      this.#documents = numberOf(db, "SELECT value FROM figure WHERE name = 'documents'");
      this.#next = numberOf(db, "SELECT max(id) FROM document") + 1;
    } catch (cause) {
      this.#lock.release();
      throw cause;
    }
  }

  /** Documents in the index, those not committed yet too. */
  get documents(): number {
    return this.#documents;
  }

  /**
   * Puts a document in, in place of one that has the same id. One that has not changed is left alone.
   *
   * @throws {RangeError} When it has neither id nor URL.
   * @throws {IndexError} When it cannot be written. What was committed is kept.
   */
  add(document: IndexDocument): Added {
    const whole = document.docId ?? document.url, docId = whole.slice(0, MAX_NAME);
    if (docId === "") throw new RangeError("Cannot index a document that has neither id nor URL");
    const url = document.url.slice(0, MAX_NAME);
    const title = document.title.slice(0, MAX_TITLE).toWellFormed();
    const text = document.text.slice(0, MAX_TEXT).toWellFormed();
    const language = document.language.toLowerCase().replaceAll(/[^a-z0-9]/g, "").slice(0, 8);
    const hash = hashOf([whole], 16), content = hashOf([url, title, text, language], 8);
    try {
      const known = this.#known.get(hash) as { id: number; content: Uint8Array } | undefined;
      if (known !== undefined && same(known.content, content)) return "unchanged";
      this.#begin();
      const id = known?.id ?? this.#next++;
      this.#setKey.run(hash, id, content);
      const own = docId === url ? null : docId;
      this.#setDocument.run(id, own, url, title, stored(text));
      this.#setWords.run(
        id,
        indexedText(title, MAX_TITLE),
        indexedText(text, MAX_TEXT),
        hostWords(hostOf(url)).join(" "),
        language || "und",
      );
      if (known === undefined) this.#documents++;
      this.#pending++;
      this.#pendingChars += text.length;
      if (
        this.#pending >= BATCH || this.#pendingChars >= BATCH_CHARS ||
        performance.now() - this.#begun > BATCH_MS
      ) this.commit();
      return known === undefined ? "added" : "replaced";
    } catch (cause) {
      throw indexError(`write the index ${indexPath(this.#dir)}`, cause);
    }
  }

  /**
   * Makes what was put in last a kill.
   *
   * @throws {IndexError} When it cannot be written.
   */
  commit(): void {
    if (!this.#open) return;
    try {
      this.#db.prepare("UPDATE figure SET value = ? WHERE name = 'documents'").run(this.#documents);
      this.#db.exec("COMMIT");
    } catch (cause) {
      throw indexError(`write the index ${indexPath(this.#dir)}`, cause);
    }
    this.#open = false;
    this.#pending = this.#pendingChars = 0;
  }

  /**
   * Merges the index into one piece: searches are faster, and what was replaced leaves it. Takes time and
   * room in proportion to the whole index.
   *
   * @throws {IndexError} When it cannot be written.
   */
  optimize(): void {
    this.commit();
    try {
      this.#db.exec(
        "INSERT INTO words(words) VALUES('optimize'); PRAGMA wal_checkpoint(TRUNCATE); VACUUM",
      );
    } catch (cause) {
      throw indexError(`write the index ${indexPath(this.#dir)}`, cause);
    }
  }

  /**
   * Commits and closes.
   *
   * @throws {IndexError} When it cannot be written.
   */
  close(): IndexFigures {
    if (!this.#closed) {
      try {
        this.commit();
        // So that it can be searched where nothing may be written; while it is searched that must wait.
        this.#db.exec("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
      } finally {
        this.#end();
      }
    }
    return { documents: this.#documents, bytes: statSync(indexPath(this.#dir)).size };
  }

  /** Closes; what was not committed is dropped. */
  [Symbol.dispose](): void {
    if (!this.#closed) this.#end();
  }

  #begin(): void {
    if (this.#open) return;
    this.#db.exec("BEGIN IMMEDIATE");
    this.#open = true;
    this.#begun = performance.now();
  }

  #end(): void {
    this.#closed = true;
    this.#db.close();
    this.#lock.release();
  }
}

function hashOf(parts: readonly string[], length: number): Uint8Array {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest().subarray(0, length);
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
