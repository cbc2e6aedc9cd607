/**
 * Checking an index against the archives it is of.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { diskFs, fileBytes, type FileSystem } from "../files/mod.ts";
import { ScratchDb } from "./_scratch_db.ts";
import {
  type CdxjEntry,
  cdxjKey,
  cdxjTimestamp,
  parseCdxjLine,
  readCdxj,
  type SurtFunction,
} from "./cdxj.ts";
import { parseHttp } from "./http.ts";
import { readWarc, type WarcRecord } from "./reader.ts";
import type { WarcFault, WarcFaultCode } from "./verify.ts";

/** Options of {@linkcode verifyCdxj}. */
export interface VerifyCdxjOptions {
  /** Folder of the archives. @default the index's own */
  readonly dir?: string;
  /** Checks the keys too. */
  readonly surt?: SurtFunction;
  /** File operations. @default {@linkcode diskFs} */
  readonly fs?: FileSystem;
}

const SCHEMA = `
  CREATE TABLE line(file TEXT, offset INT, at INT, line TEXT, PRIMARY KEY (file, offset))
    WITHOUT ROWID;
  CREATE TABLE file(key INTEGER PRIMARY KEY, name TEXT UNIQUE);`;

/**
 * Checks an index: its order, that each line's offset and length fetch the record it speaks of,
 * and that each response and revisit of the archives it names has a line. Memory is bounded.
 *
 * @returns Faults; `file` is the index, `offset` that of the line, save for records without one,
 *   where they are the archive's.
 */
export async function* verifyCdxj(
  path: string,
  options: VerifyCdxjOptions = {},
): AsyncGenerator<WarcFault, void, unknown> {
  const fs = options.fs ?? diskFs;
  using db = new ScratchDb(SCHEMA);
  const addLine = db.changer("INSERT INTO line VALUES (?, ?, ?, ?)");
  const addFile = db.changer("INSERT OR IGNORE INTO file(name) VALUES (?)");
  const dropLine = db.changer("DELETE FROM line WHERE file = ? AND offset = ?");
  const dropFile = db.changer("DELETE FROM line WHERE file = ?");
  const lineOf = db.getter<{ at: number; line: string }>(
    "SELECT at, line FROM line WHERE file = ? AND offset = ?",
  );
  const fault = (offset: number, code: WarcFaultCode, message: string): WarcFault => ({
    file: path,
    offset,
    code,
    message,
  });

  let before = "";
  let name = "";
  let unreadable: unknown;
  for await (const { line, at } of untilError(readCdxj(path, fs), (e) => unreadable = e)) {
    const entry = parseCdxjLine(line);
    if (entry === undefined) {
      yield fault(at, "cdxj-line", "the line is no entry of an index");
      continue;
    }
    if (line < before) yield fault(at, "cdxj-order", "the line should stand before the last one");
    before = line;
    if (entry.filename !== name) addFile(name = entry.filename);
    if (lineOf(entry.filename, entry.offset) !== undefined) {
      yield fault(at, "cdxj-duplicate", `a second line for byte ${entry.offset} of ${name}`);
    } else addLine(entry.filename, entry.offset, at, line);
    if (options.surt !== undefined && entry.key !== cdxjKey(entry.url, options.surt)) {
      yield fault(at, "cdxj-field", `the key of ${entry.url} is not ${entry.key}`);
    }
  }

  if (unreadable !== undefined) {
    // Of which records it lacks lines nobody can tell.
    yield fault(0, "unreadable", (unreadable as Error).message);
    return;
  }
  const files = db.rows<{ key: number; name: string }>(
    "SELECT key, name FROM file WHERE key > ? ORDER BY key LIMIT 1000",
  );
  for (const { name } of files) {
    const archive = join(options.dir ?? dirname(path), name);
    if (name === "" || name.includes("/") || !fs.exists(archive)) {
      yield fault(0, "unreadable", `the archive ${name} is not beside the index`);
      continue;
    }
    // Damage is the archive's own fault, and told by its check.
    const read = { onDamage: () => {}, maxContent: 1 << 18 };
    const records = readWarc(fileBytes(archive, fs), read);
    for await (const record of untilError(records, (e) => unreadable = e)) {
      const found = lineOf(name, record.offset);
      if (found === undefined) {
        if (record.type !== "response" && record.type !== "revisit") continue;
        const message = `the ${record.type} of ${record.url} has no line in ${path}`;
        yield { file: archive, offset: record.offset, code: "cdxj-missing", message };
        continue;
      }
      dropLine(name, record.offset);
      const wrong = difference(parseCdxjLine(found.line)!, record);
      if (wrong !== undefined) yield fault(found.at, "cdxj-field", wrong);
    }
    if (unreadable !== undefined) {
      yield fault(0, "unreadable", `the archive ${name}: ${(unreadable as Error).message}`);
      unreadable = undefined;
      dropFile(name);
    }
  }

  db.run("CREATE INDEX line_at ON line(at)");
  const left = db.rows<{ key: number; offset: number; file: string }>(
    "SELECT at AS key, offset, file FROM line WHERE at > ? ORDER BY at LIMIT 1000",
  );
  for (const { key, offset, file } of left) {
    yield fault(key, "cdxj-offset", `no record begins at byte ${offset} of ${file}`);
  }
}

/** What a source gives before it fails, so that the rest of a check goes on; the failure is told. */
async function* untilError<T>(
  source: AsyncGenerator<T, void, unknown>,
  onError: (error: unknown) => void,
): AsyncGenerator<T, void, unknown> {
  for (;;) {
    let next: IteratorResult<T, void>;
    try {
      next = await source.next();
    } catch (error) {
      return onError(error);
    }
    if (next.done) return;
    yield next.value;
  }
}

/** In what a line and the record at its offset differ. */
function difference(entry: CdxjEntry, record: WarcRecord): string | undefined {
  const digest = record.headers.get("WARC-Payload-Digest") ?? "";
  const http = record.type === "response" || record.type === "revisit";
  const bare = (value: string) => value.slice(value.indexOf(":") + 1);
  if (entry.url !== record.url) return `the record is that of ${record.url}, not ${entry.url}`;
  if (record.length !== undefined && entry.length !== record.length) {
    return `the record's length is ${record.length}, not ${entry.length}`;
  }
  if (entry.timestamp !== cdxjTimestamp(record.date)) {
    return `the record's date is ${record.date}, not ${entry.timestamp}`;
  }
  if (entry.digest !== "" && entry.digest !== "-" && bare(entry.digest) !== bare(digest)) {
    return `the record's payload digest is ${digest}, not ${entry.digest}`;
  }
  if (http && /^\d+$/.test(entry.status)) {
    const { status } = parseHttp(record.content);
    if (String(status) !== entry.status) return `the status is ${status}, not ${entry.status}`;
  }
  return undefined;
}
