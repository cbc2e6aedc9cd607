/**
 * The records that a state says there are, against those that the files hold: what was ended lies in
 * a temporary table by file and offset, and is ticked off while the files are read for other reasons.
 */

import { createHash } from "node:crypto";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { type DoneUrl, readDone } from "../frontier/mod.ts";
import type { WarcRecord } from "../warc/mod.ts";

/** A done URL whose record is not as the state has it. */
export interface DoneFault {
  /** Name of the archive file, without its folder; empty where no record was written. */
  readonly file: string;
  readonly offset: number;
  readonly detail: string;
  /** URL that the state has there. */
  url: string;
}

/** Rows fetched at a time. */
const PAGE = 1000;
/** Faults told one by one. */
const MAX_FAULTS = 10_000;

interface Expected {
  readonly at: number;
  readonly hash: number;
}

/** Before and behind every row of a file. */
const FIRST: Expected = { at: -1, hash: 0 }, LAST: Expected = { at: Infinity, hash: 0 };

/** Takes records in the order in which they lie in their files. */
export class DoneRecords implements Disposable {
  readonly #state: string;
  readonly #db: DatabaseSync;
  readonly #page: StatementSync;
  readonly #files = new Map<string, number>();
  #faults: DoneFault[] = [];
  #untold = 0;
  #file: string | undefined;
  #rows: Expected[] = [];
  #next = 0;
  #last: Expected = FIRST;

  private constructor(state: string) {
    this.#state = state;
    // An empty name is a database in memory while it is small, in an unnamed file beyond.
    this.#db = new DatabaseSync("");
    this.#db.exec(
      "pragma journal_mode = off; pragma cache_size = -16384;" +
        "create table done(file integer, at integer, hash integer, primary key(file, at, hash))" +
        " without rowid",
    );
    this.#page = this.#db.prepare(
      `select at, hash from done where file = ? and (at, hash) > (?, ?) order by at, hash limit ${PAGE}`,
    );
  }

  /**
   * Reads what a state calls done. Files are to be listed and read only afterwards: a crawl that runs
   * meanwhile writes a record before it calls its URL done.
   *
   * @throws {FrontierStateError} When there is no state, or it is damaged.
   */
  static async of(state: string): Promise<DoneRecords> {
    const done = new DoneRecords(state);
    try {
      await done.#load();
      return done;
    } catch (error) {
      done[Symbol.dispose]();
      throw error;
    }
  }

  async #load(): Promise<void> {
    const insert = this.#db.prepare("insert or ignore into done values(?, ?, ?)");
    let n = 0;
    this.#db.exec("begin");
    for await (const url of readDone(this.#state)) {
      if (!wantsRecord(url)) continue;
      if (url.warcFile === "") {
        this.#fault({ file: "", offset: 0, detail: "done, but no record was written", ...url });
        continue;
      }
      let file = this.#files.get(url.warcFile);
      if (file === undefined) this.#files.set(url.warcFile, file = this.#files.size);
      insert.run(file, url.warcOffset, hashOf(url.url));
      if (++n % 50_000 === 0) this.#db.exec("commit; begin");
    }
    this.#db.exec("commit");
  }

  /** Takes a record of `file` (its final name, without its folder). */
  record(file: string, record: WarcRecord): void {
    if (file !== this.#file) {
      this.#leave();
      this.#enter(file);
    }
    for (let row; (row = this.#peek()) !== undefined && row.at <= record.offset; this.#next++) {
      if (row.at < record.offset) {
        this.#missing(row);
        continue;
      }
      const { type, url } = record;
      if (type !== "response" && type !== "revisit") this.#wrong(row, `a ${type} is there`);
      else if (hashOf(url) !== row.hash) this.#wrong(row, `the record there is of ${url}`);
    }
  }

  /** What is wrong, once every file was read. */
  async *faults(): AsyncGenerator<DoneFault, void, void> {
    this.#leave();
    for (const [file] of this.#files) {
      this.#enter(file);
      for (let row; (row = this.#peek()) !== undefined; this.#next++) {
        this.#wrong(row, "the file is not there");
      }
      this.#file = undefined;
    }
    await this.#name();
    yield* this.#faults;
    if (this.#untold > 0) {
      yield { file: "", offset: 0, detail: `${this.#untold} more are not there`, url: this.#state };
    }
  }

  /** The table holds no URLs: where there are faults the log is read again for theirs. */
  async #name(): Promise<void> {
    const nameless = new Map<string, DoneFault[]>();
    for (const fault of this.#faults) {
      if (fault.url !== "") continue;
      const key = `${fault.offset} ${fault.file}`;
      nameless.set(key, [...nameless.get(key) ?? [], fault]);
    }
    if (nameless.size === 0) return;
    for await (const done of readDone(this.#state)) {
      const faults = nameless.get(`${done.warcOffset} ${done.warcFile}`);
      const fault = faults?.find(({ url }) => url === "");
      if (fault !== undefined && wantsRecord(done)) fault.url = done.url;
    }
  }

  /** Every row of the file that was read is behind its last record now. */
  #leave(): void {
    if (this.#file === undefined) return;
    for (let row; (row = this.#peek()) !== undefined; this.#next++) this.#missing(row);
    this.#files.delete(this.#file);
    this.#file = undefined;
  }

  #enter(file: string): void {
    this.#file = file;
    this.#rows = [];
    this.#next = 0;
    this.#last = FIRST;
  }

  #peek(): Expected | undefined {
    if (this.#next === this.#rows.length) {
      const id = this.#files.get(this.#file!);
      if (id === undefined || this.#last === LAST) return undefined;
      const { at, hash } = this.#last;
      this.#rows = this.#page.all(id, at, hash) as unknown as Expected[];
      this.#last = this.#rows.length < PAGE ? LAST : this.#rows.at(-1)!;
      this.#next = 0;
    }
    return this.#rows[this.#next];
  }

  #missing(row: Expected): void {
    this.#wrong(row, "no whole record begins there");
  }

  #wrong(row: Expected, detail: string): void {
    this.#fault({ file: this.#file!, offset: row.at, detail, url: "" });
  }

  #fault({ file, offset, detail, url }: DoneFault): void {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ file, offset, detail, url });
    else this.#untold++;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

function wantsRecord({ outcome, reason }: DoneUrl): boolean {
  return outcome === "done" && reason !== "noarchive";
}

/** 48 bits of SHA-1: told apart are a few URLs at one place, not all of a crawl. */
function hashOf(url: string): number {
  return createHash("sha1").update(url).digest().readUIntBE(0, 6);
}
