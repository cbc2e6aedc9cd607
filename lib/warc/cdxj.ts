/**
 * The index beside an archive: one sorted line a capture, `SURT timestamp {json}`.
 *
 * @module
 */

import { basename, dirname, join } from "node:path";
import { diskFs, fileBytes, type FileSystem } from "../files/mod.ts";
import { asciiWord, concat, text } from "./_bytes.ts";
import { parseHttp } from "./http.ts";
import type { WarcRecord } from "./reader.ts";

/** One capture in the index. */
export interface CdxjEntry {
  /** SURT form of the URL. */
  readonly key: string;
  /** `YYYYMMDDhhmmss`, UTC. */
  readonly timestamp: string;
  /** URL of the capture. */
  readonly url: string;
  /** MIME type as served; `warc/revisit` for a revisit, which says whose payload is elsewhere. */
  readonly mime: string;
  /** HTTP status, or empty where there is none. */
  readonly status: string;
  /** Payload digest with its algorithm; empty where the record has none. */
  readonly digest: string;
  /** Length of the gzip member (or of the plain record). */
  readonly length: number;
  /** Byte offset of the member in the file. */
  readonly offset: number;
  /** Name of the archive file, without a folder. */
  readonly filename: string;
}

/** Gives the SURT form of a URL; may throw for what is no URL. */
export type SurtFunction = (url: string) => string;

/**
 * An entry as a line, without a line end; ASCII only, so that its order as text is its order as
 * bytes.
 */
export function cdxjLine(entry: CdxjEntry): string {
  const status = entry.status === "" ? "" : `, "status": ${json(entry.status)}`;
  const digest = entry.digest === "" ? "" : `, "digest": ${json(entry.digest)}`;
  return `${asciiWord(entry.key)} ${entry.timestamp} {"url": ${json(entry.url)}, "mime": ${
    json(entry.mime)
  }${status}${digest}, "length": "${entry.length}", "offset": "${entry.offset}", "filename": ${
    json(entry.filename)
  }}`;
}

/**
 * Reads a line of an index, ours or another tool's (numbers as strings or bare, a digest without
 * its algorithm).
 *
 * @returns The entry, or nothing where the line is not one.
 */
export function parseCdxjLine(line: string): CdxjEntry | undefined {
  const keyEnd = line.indexOf(" ");
  const timeEnd = line.indexOf(" ", keyEnd + 1);
  if (keyEnd < 1 || timeEnd < 0) return undefined;
  let fields: unknown;
  try {
    fields = JSON.parse(line.slice(timeEnd + 1));
  } catch {
    return undefined; // no JSON: no line of an index, as the caller is told
  }
  if (typeof fields !== "object" || fields === null) return undefined;
  const field = (name: string): string => {
    const value = (fields as Record<string, unknown>)[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  const offset = field("offset"), length = field("length");
  const isCount = (digits: string) =>
    /^\d{1,16}$/.test(digits) && Number.isSafeInteger(Number(digits));
  if (!isCount(offset) || !isCount(length)) return undefined;
  return {
    key: line.slice(0, keyEnd),
    timestamp: line.slice(keyEnd + 1, timeEnd),
    url: field("url"),
    mime: field("mime"),
    status: field("status"),
    digest: field("digest"),
    length: Number(length),
    offset: Number(offset),
    filename: field("filename"),
  };
}

/** SURT key of a URL; the URL itself, blanks escaped, where it has no such form (`dns:`, `urn:`). */
export function cdxjKey(url: string, surt: SurtFunction): string {
  let key: string;
  try {
    key = surt(url);
  } catch {
    key = url; // the line is still wanted: other tools index such records under the URL too
  }
  return asciiWord(key);
}

/** `YYYYMMDDhhmmss` of a WARC-Date; a date that is cut (`2024-05`, WARC 1.1) is filled up. */
export function cdxjTimestamp(date: string): string {
  const digits = date.replace(/\.\d*/, "").replaceAll(/\D/g, "").slice(0, 14);
  return digits + "00000101000000".slice(digits.length);
}

/** Whether a record belongs in an index. */
export function isCapture({ type }: Pick<WarcRecord, "type">): boolean {
  return type === "response" || type === "revisit" || type === "resource";
}

/**
 * The entry for a record that belongs in an index (response, revisit, resource), or nothing. A
 * record that cannot be fetched alone (several in one gzip member) has no entry.
 *
 * @param filename Name of the file that holds it.
 */
export function cdxjEntry(
  record: WarcRecord,
  filename: string,
  surt: SurtFunction,
): CdxjEntry | undefined {
  const { type } = record;
  if (!isCapture(record) || record.length === undefined) return undefined;
  const http = type === "resource" ? undefined : parseHttp(record.content);
  const served = http === undefined ? record.headers.get("Content-Type") : http.get("Content-Type");
  return {
    key: cdxjKey(record.url, surt),
    timestamp: cdxjTimestamp(record.date),
    url: record.url,
    mime: type === "revisit" ? "warc/revisit" : mimeOf(served ?? ""),
    status: http === undefined ? "" : String(http.status),
    digest: record.headers.get("WARC-Payload-Digest") ?? "",
    length: record.length,
    offset: record.offset,
    filename,
  };
}

/** Path of the index beside an archive file. */
export function cdxjPath(path: string): string {
  return join(dirname(path), basename(path).replace(/\.warc(?:\.gz)?$/, "") + ".cdxj");
}

/** One line of {@linkcode readCdxj}. */
export interface CdxjLine {
  /** The line as it stands, without its end. */
  readonly line: string;
  /** Byte offset of the line. */
  readonly at: number;
}

/**
 * The lines of an index file; those that are blank or belong to its head (`!`) are left out. Of a line
 * that is longer than 1 MiB there is that much, which is no entry.
 */
export async function* readCdxj(
  path: string,
  fs: FileSystem = diskFs,
): AsyncGenerator<CdxjLine, void, unknown> {
  const MAX = 1 << 20;
  let rest: Uint8Array[] = [], length = 0, beyond = 0, at = 0;
  const take = (bytes: Uint8Array): void => {
    const room = MAX - length;
    if (bytes.length > room) beyond += bytes.length - room;
    if (room > 0) rest.push(bytes.subarray(0, room));
    length += Math.min(room, bytes.length);
  };
  const line = (): CdxjLine => {
    const found = { line: text(concat(rest)).replace(/\r$/, ""), at };
    at += length + beyond + 1;
    rest = [];
    length = beyond = 0;
    return found;
  };
  const wanted = (l: CdxjLine) => l.line !== "" && !l.line.startsWith("!");
  for await (const bytes of fileBytes(path, fs)) {
    let from = 0;
    for (let lf; (lf = bytes.indexOf(10, from)) >= 0; from = lf + 1) {
      take(bytes.subarray(from, lf));
      const l = line();
      if (wanted(l)) yield l;
    }
    take(bytes.subarray(from));
  }
  if (length > 0) {
    const l = line();
    if (wanted(l)) yield l;
  }
}

/** A MIME type without its parameters. */
export function mimeOf(contentType: string): string {
  const end = contentType.indexOf(";");
  return (end < 0 ? contentType : contentType.slice(0, end)).trim();
}

/** JSON in ASCII; what it leaves beyond is DEL and everything after it. */
function json(s: string): string {
  const quoted = JSON.stringify(s);
  if (/^[ -~]*$/.test(quoted)) return quoted;
  return quoted.replaceAll(
    /[^ -~]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}
