/**
 * Finding faults in archive files.
 *
 * @module
 */

import { basename } from "node:path";
import { diskFs, fileBytes, type FileSystem } from "../files/mod.ts";
import { ScratchDb } from "./_scratch_db.ts";
import { BlockDigests } from "./_verify_digest.ts";
import { unbracketed } from "./_record.ts";
import { readWarc, type WarcDamage, type WarcRecord } from "./reader.ts";

/** What kind of fault it is. */
export type WarcFaultCode =
  | "truncated"
  | "damaged"
  | "missing-field"
  | "bad-date"
  | "block-digest"
  | "payload-digest"
  | "unknown-digest"
  | "duplicate-id"
  | "no-warcinfo"
  | "filename"
  | "warcinfo-id"
  | "unlinked"
  | "revisit-target"
  | "cdxj-line"
  | "cdxj-order"
  | "cdxj-duplicate"
  | "cdxj-offset"
  | "cdxj-field"
  | "cdxj-missing"
  | "unreadable";

/** One fault. */
export interface WarcFault {
  /** Path of the file. */
  readonly file: string;
  /** Byte offset in it. */
  readonly offset: number;
  /** Kind of fault. */
  readonly code: WarcFaultCode;
  /** What is wrong, in words. */
  readonly message: string;
}

/** Options of {@linkcode verifyWarcs}. */
export interface VerifyWarcOptions {
  /**
   * Also demand what this project's writer promises beyond the standard: a warcinfo that opens the
   * file and names it, and requests and answers that name each other. @default true
   */
  readonly strict?: boolean;
  /** Files that are not judged (such as one that is being written), but may be referred to. */
  readonly others?: Iterable<string>;
  /** Told of each whole record of all the files, file by file, in order. */
  readonly onRecord?: (path: string, record: WarcRecord) => void;
  /** File operations. @default {@linkcode diskFs} */
  readonly fs?: FileSystem;
}

/** Longest block checked in one piece. */
const WHOLE = 4 << 20;
/** Faults held until they can be told: a file of damage alone could hold millions. */
const MAX_FAULTS = 10_000;
// Rows are only added while files are read, in their order; the indexes are built at the end, by
// sorting, which costs a tenth of keeping them in order all the while.
const SCHEMA = `
  CREATE TABLE file(key INTEGER PRIMARY KEY, path TEXT);
  CREATE TABLE target(key INTEGER PRIMARY KEY, file INT, at INT, id TEXT, url TEXT, date TEXT,
    digest TEXT);
  CREATE TABLE revisit(key INTEGER PRIMARY KEY, file INT, at INT, id TEXT, url TEXT, date TEXT,
    digest TEXT);
  CREATE TABLE link(key INTEGER PRIMARY KEY, file INT, at INT, one TEXT, other TEXT);`;

/**
 * Checks archive files: structure, lengths, digests, the links between records, and that what a
 * revisit refers to is in one of the files. Memory is bounded; what must be remembered lies in a
 * temporary file.
 *
 * @param paths The files; revisits may refer to records in any of them.
 * @returns Faults, those of a file in its order, then those of the links.
 */
export async function* verifyWarcs(
  paths: Iterable<string> | AsyncIterable<string>,
  options: VerifyWarcOptions = {},
): AsyncGenerator<WarcFault, void, unknown> {
  using db = new ScratchDb(SCHEMA);
  const check = new Check(db, options.strict ?? true);
  const fs = options.fs ?? diskFs;
  for await (const path of paths) {
    check.open(path);
    let digests: BlockDigests | undefined;
    const records = readWarc(fileBytes(path, fs), {
      maxContent: WHOLE,
      onDamage: (damage) => {
        digests = undefined; // those of the damaged record
        check.damage(damage);
      },
      onLarge: (head) => {
        digests = new BlockDigests(head);
        return (piece) => digests!.update(piece);
      },
    });
    try {
      for await (const record of records) {
        if (digests === undefined) {
          digests = new BlockDigests(record);
          digests.update(record.content);
        }
        check.record(record, digests);
        options.onRecord?.(path, record);
        digests = undefined;
        yield* check.take();
      }
    } catch (error) {
      check.unreadable(error);
    }
    check.close();
    yield* check.take();
  }
  for (const path of options.others ?? []) {
    check.open(path);
    const reading = { onDamage: () => {}, maxContent: 1 << 16 };
    try {
      for await (const record of readWarc(fileBytes(path, fs), reading)) {
        check.mention(record);
        options.onRecord?.(path, record);
      }
    } catch (error) {
      check.unreadable(error);
      yield* check.take();
    }
  }
  yield* check.links();
}

/** {@linkcode verifyWarcs} of one file. */
export function verifyWarc(
  path: string,
  options: VerifyWarcOptions = {},
): AsyncGenerator<WarcFault, void, unknown> {
  return verifyWarcs([path], options);
}

class Check {
  readonly #db: ScratchDb;
  readonly #strict: boolean;
  readonly #addFile;
  readonly #addTarget;
  readonly #addRevisit;
  readonly #addLink;
  #faults: WarcFault[] = [];
  #untold = 0;
  #path = "";
  #file = 0;
  #records = 0;
  /** A file may have a few, where files were put together; more than these are not told apart. */
  #warcinfos = new Set<string>();
  #request: { id: string; to: string; offset: number } | undefined;

  constructor(db: ScratchDb, strict: boolean) {
    this.#db = db;
    this.#strict = strict;
    this.#addFile = db.changer("INSERT INTO file VALUES (?, ?)");
    this.#addTarget = db.changer(
      "INSERT INTO target(file, at, id, url, date, digest) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.#addRevisit = db.changer(
      "INSERT INTO revisit(file, at, id, url, date, digest) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.#addLink = db.changer("INSERT INTO link(file, at, one, other) VALUES (?, ?, ?, ?)");
  }

  open(path: string): void {
    this.#path = path;
    this.#addFile(++this.#file, path);
    this.#records = 0;
    this.#warcinfos = new Set();
  }

  close(): void {
    this.#leaveRequest();
    if (this.#records === 0 && this.#faults.length === 0) {
      this.fault(0, "damaged", "the file holds no record");
    }
  }

  take(): WarcFault[] {
    const faults = this.#faults;
    if (this.#untold > 0) {
      const message = `${this.#untold} more faults before the next whole record`;
      faults.push({ file: this.#path, offset: faults.at(-1)!.offset, code: "damaged", message });
    }
    this.#faults = [];
    this.#untold = 0;
    return faults;
  }

  fault(offset: number, code: WarcFaultCode, message: string): void {
    if (this.#faults.length < MAX_FAULTS) {
      this.#faults.push({ file: this.#path, offset, code, message });
    } else this.#untold++;
  }

  unreadable(error: unknown): void {
    this.fault(0, "unreadable", error instanceof Error ? error.message : String(error));
  }

  damage({ reason, truncated, offset }: WarcDamage): void {
    this.#leaveRequest();
    this.fault(offset, truncated ? "truncated" : "damaged", reason);
  }

  record(record: WarcRecord, digests: BlockDigests): void {
    const { type, id, date, url, offset, headers } = record;
    const fault = (code: WarcFaultCode, message: string) => this.fault(offset, code, message);
    if (type === "") fault("missing-field", "the record has no WARC-Type");
    if (id === "") fault("missing-field", "the record has no WARC-Record-ID");
    if (date === "") fault("missing-field", "the record has no WARC-Date");
    else if (!isDate(date)) fault("bad-date", `the WARC-Date ${date} is none`);
    const aboutUrl = ["request", "response", "revisit", "resource", "conversion"].includes(type);
    if (aboutUrl && url === "") {
      fault("missing-field", `the ${type} has no WARC-Target-URI`);
    }
    for (const found of digests.faults(record)) fault(found.code, found.message);

    if (type === "warcinfo") {
      if (this.#warcinfos.size < 1000) this.#warcinfos.add(id);
      const name = headers.get("WARC-Filename");
      if (this.#strict && name !== basename(this.#path)) {
        fault("filename", `the warcinfo is that of ${name ?? "a file without a name"}`);
      }
    } else {
      if (this.#records === 0 && this.#strict) fault("no-warcinfo", "no warcinfo opens the file");
      const info = headers.get("WARC-Warcinfo-ID");
      if (info !== undefined && this.#strict && !this.#warcinfos.has(unbracketed(info))) {
        fault("warcinfo-id", `the WARC-Warcinfo-ID ${info} is that of no warcinfo before it`);
      }
    }
    if (this.#strict) this.#link(record);
    if (type === "response" || type === "resource") this.#target(record);
    if (type === "revisit") this.#revisit(record);
    this.#records++;
  }

  /** Takes in a record that others may refer to, without judging it. */
  mention(record: WarcRecord): void {
    if (record.type === "response" || record.type === "resource") this.#target(record);
  }

  #target({ id, url, date, headers, offset }: WarcRecord): void {
    const digest = headers.get("WARC-Payload-Digest") ?? "";
    if (id !== "") this.#addTarget(this.#file, offset, id, url, date, digest);
  }

  #revisit({ headers, offset }: WarcRecord): void {
    const profile = headers.get("WARC-Profile");
    if (profile === undefined) {
      this.fault(offset, "missing-field", "the revisit has no WARC-Profile");
    }
    const to = headers.get("WARC-Refers-To");
    if (to === undefined) return;
    this.#addRevisit(
      this.#file,
      offset,
      unbracketed(to),
      unbracketed(headers.get("WARC-Refers-To-Target-URI") ?? ""),
      headers.get("WARC-Refers-To-Date") ?? "",
      profile?.includes("identical-payload-digest") ? headers.get("WARC-Payload-Digest") ?? "" : "",
    );
  }

  /** Requests and their answers mostly lie side by side: only others need to be remembered. */
  #link(record: WarcRecord): void {
    const answer = record.type === "response" || record.type === "revisit";
    if (!answer && record.type !== "request") return;
    const linked = record.headers.getAll("WARC-Concurrent-To").map(unbracketed);
    const [to] = linked;
    if (to === undefined) {
      this.fault(record.offset, "unlinked", `the ${record.type} has no WARC-Concurrent-To`);
      if (answer) this.#leaveRequest();
      return;
    }
    const request = this.#request;
    if (
      answer && request !== undefined && request.to === record.id && linked.includes(request.id)
    ) {
      this.#request = undefined;
      return;
    }
    this.#leaveRequest();
    if (answer) {
      for (const one of linked.slice(0, 100)) {
        this.#addLink(this.#file, record.offset, record.id, one);
      }
    } else this.#request = { id: record.id, to, offset: record.offset };
  }

  #leaveRequest(): void {
    const request = this.#request;
    if (request === undefined) return;
    this.#request = undefined;
    this.#addLink(this.#file, request.offset, request.id, request.to);
  }

  /** What is wrong with how records refer to one another, once all were read. */
  *links(): Generator<WarcFault, void, unknown> {
    this.#db.run("CREATE INDEX target_id ON target(id); CREATE INDEX link_one ON link(one, other)");
    const twice = this.#db.rows<Place & { id: string }>(
      `SELECT target.key AS key, path, at, id FROM target JOIN file ON file.key = target.file
        WHERE EXISTS (SELECT 1 FROM target AS t WHERE t.id = target.id AND t.key < target.key)
        AND target.key > ? ORDER BY target.key LIMIT 1000`,
    );
    for (const { path, at, id } of twice) {
      const message = `another record has the id ${id}`;
      yield { file: path, offset: at, code: "duplicate-id", message };
    }
    const lonely = this.#db.rows<Place & { other: string }>(
      `SELECT link.key AS key, path, at, other FROM link JOIN file ON file.key = link.file
        WHERE NOT EXISTS (SELECT 1 FROM link AS l WHERE l.one = link.other AND l.other = link.one)
        AND link.key > ? ORDER BY link.key LIMIT 1000`,
    );
    for (const { path, at, other } of lonely) {
      const message = `WARC-Concurrent-To ${other}: that record is missing or does not link back`;
      yield { file: path, offset: at, code: "unlinked", message };
    }
    const revisits = this.#db.rows<Place & { id: string; known: number }>(
      `SELECT revisit.key AS key, path, at, id,
        EXISTS (SELECT 1 FROM target WHERE target.id = revisit.id) AS known
        FROM revisit JOIN file ON file.key = revisit.file
        WHERE NOT EXISTS (SELECT 1 FROM target WHERE target.id = revisit.id
          AND revisit.url IN ('', target.url) AND revisit.date IN ('', target.date)
          AND (revisit.digest IN ('', target.digest) OR target.digest = ''))
        AND revisit.key > ? ORDER BY revisit.key LIMIT 1000`,
    );
    for (const { path, at, id, known } of revisits) {
      const message = known === 0
        ? `the revisit refers to ${id}, which is in none of the files`
        : `the revisit refers to ${id}, which has another URL, date or payload than it says`;
      yield { file: path, offset: at, code: "revisit-target", message };
    }
  }
}

/** A row and the place in the files that it speaks of. */
interface Place {
  key: number;
  path: string;
  at: number;
}

/** A date of WARC 1.0 (whole seconds) or 1.1 (any precision). */
function isDate(date: string): boolean {
  return /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?Z)?)?)?$/.test(date) &&
    !Number.isNaN(Date.parse(date));
}
