/**
 * Asking an index.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { numberOf, openForReading } from "./_database.ts";
import { parseQuery } from "./_query.ts";
import { snippet } from "./_snippet.ts";
import { restored } from "./_stored.ts";
import { indexError } from "./errors.ts";
import type { SearchHit, SearchOptions } from "./types.ts";

/** What is kept of a document. */
interface Kept {
  readonly id: number;
  readonly doc_id: string | null;
  readonly url: string;
  readonly title: string;
  readonly text: Uint8Array;
}

/** An index that is asked. */
export class SearchIndex implements Disposable {
  readonly #db: DatabaseSync;
  readonly #find: StatementSync;
  readonly #get: StatementSync;

  /**
   * Opens the index in a folder; it may be written meanwhile.
   *
   * @throws {IndexError} When there is none.
   */
  constructor(dir: string) {
    this.#db = openForReading(dir);
    // A title's words count four times. Host and language are there to filter, not to rank. Where two
    // documents match equally well the one that came into the index first goes first: always the same.
    this.#find = this.#db.prepare(
      "SELECT rowid AS id, bm25(words, 4.0, 1.0, 0.0, 0.0) AS rank FROM words WHERE words MATCH ? " +
        "ORDER BY rank, rowid LIMIT ?",
    );
    this.#get = this.#db.prepare("SELECT * FROM document WHERE id = ?");
  }

  /** Documents in the index. */
  get documents(): number {
    return numberOf(this.#db, "SELECT value FROM figure WHERE name = 'documents'");
  }

  /**
   * The documents that match a query best, best first. The same query of the same index always gives the
   * same.
   *
   * @param query Words, of which a document must have all; `"a phrase"`; `begin*`; `-without`.
   * @throws {IndexError} When it names no word.
   */
  search(query: string, options: SearchOptions = {}): SearchHit[] {
    const { match, terms } = parseQuery(query, options);
    // One look at the index, however it is written meanwhile.
    this.#db.exec("BEGIN");
    try {
      const found = this.#find.all(match, options.limit ?? 10) as { id: number; rank: number }[];
      return found.map(({ id, rank }) => {
        const { doc_id, url, title, text } = this.#get.get(id) as unknown as Kept;
        const whole = restored(text);
        const score = Number((-rank).toPrecision(6));
        return { docId: doc_id ?? url, score, url, title, snippet: snippet(whole, terms, options) };
      });
    } catch (cause) {
      throw indexError("search the index", cause);
    } finally {
      this.#db.exec("COMMIT");
    }
  }

  /** Closes it. */
  [Symbol.dispose](): void {
    this.#db.close();
  }
}
