/**
 * Documents from files: lines of JSON, archives, captures.
 *
 * @module
 */

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { createGunzip, gunzipSync } from "node:zlib";
import {
  expandPaths,
  parse,
  type ParseDamage,
  type ParsedRecord,
  type WantedFiles,
} from "../parse/mod.ts";
import { peek } from "../parse/files.ts";
import { readLines } from "../worklist/mod.ts";
import type { IndexDocument } from "./types.ts";

/** Bytes of the longest line. */
const MAX_LINE = 16 << 20;
/** Bytes that tell what a file is. */
const HEAD = 512;
const GZIP = 0x1f8b;
const OPEN_BRACE = 0x7b;

/** What is read in a folder. */
const FILES: WantedFiles = {
  names: /\.(?:parquet|jsonl|ndjson|warc|wet)(?:\.gz)?$/i,
  what: ".jsonl, .warc, .wet (or .gz of them) or .parquet files",
};

/** Options of {@linkcode readDocuments}. */
export interface ReadDocumentsOptions {
  /** Told of damaged records, and of lines that hold no document. */
  readonly onBad?: (bad: ParseDamage) => void;
  /** What the path `-` reads. */
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** Threads that render. @default the machine's cores */
  readonly workers?: number;
  /** Ends the reading; what was read before is given. */
  readonly signal?: AbortSignal;
}

/**
 * The documents of files, folders of them, and `-`: JSON objects a line (`url`, `title`, `text` or
 * `markdown`, `language`, `doc_id`), the records of WET files, the pages of WARC files and of captures
 * that answered with 2xx, robots.txt left out. What a file is, its content tells.
 *
 * @throws {ParseError} When there is no such file.
 */
export async function* readDocuments(
  paths: readonly string[],
  options: ReadDocumentsOptions = {},
): AsyncGenerator<IndexDocument, void, undefined> {
  for (const file of await expandPaths(paths, FILES)) {
    if (options.signal?.aborted) return;
    const stdin = file === "-" ? await peek(options.stdin ?? Deno.stdin.readable, HEAD) : undefined;
    const head = stdin?.head ?? await headOf(file);
    const kind = kindOf(head);
    if (kind === "archive") {
      yield* archived(file, { ...options, ...(stdin === undefined ? {} : { stdin: stdin.all }) });
      continue;
    }
    let bytes: AsyncIterable<Uint8Array> = stdin?.all ?? createReadStream(file);
    if (kind === "lines.gz") bytes = Readable.from(bytes).pipe(createGunzip());
    yield* lines(bytes, file, options);
  }
}

/** A document of what `parse` gives of a page; nothing where it has no words. */
async function* archived(
  file: string,
  { onBad, stdin, workers, signal }: ReadDocumentsOptions,
): AsyncGenerator<IndexDocument, void, undefined> {
  const records = parse([file], {
    types: ["response", "resource", "conversion"],
    statuses: [{ first: 0, last: 0 }, { first: 200, last: 299 }],
    text: true,
    ...(onBad === undefined ? {} : { onDamage: onBad }),
    ...(stdin === undefined ? {} : { stdin }),
    ...(workers === undefined ? {} : { workers }),
    ...(signal === undefined ? {} : { signal }),
  });
  for await (const { record } of records) {
    const { url, title = "", text = "", language = "" } = record satisfies ParsedRecord;
    // An archive of a crawl holds one for each host, and nobody looks for it.
    if (/^https?:\/\/[^/?#]*\/robots\.txt$/i.test(url)) continue;
    if (url !== "" && (title !== "" || text !== "")) yield { url, title, text, language };
  }
}

async function* lines(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
  { onBad, signal }: ReadDocumentsOptions,
): AsyncGenerator<IndexDocument, void, undefined> {
  const decoder = new TextDecoder();
  let number = 0;
  const bad = (reason: string) => onBad?.({ file, offset: 0, reason: `line ${number}: ${reason}` });
  try {
    for await (const line of readLines(bytes, MAX_LINE)) {
      if (signal?.aborted) return;
      number++;
      if (line === undefined) {
        bad(`longer than ${MAX_LINE >> 20} MB`);
        continue;
      }
      const text = decoder.decode(line).trim();
      if (text === "") continue;
      const document = documentOf(text);
      if (typeof document === "string") bad(document);
      else yield document;
    }
  } catch (error) {
    // What was read before compressed bytes broke off is good.
    if (!String((error as { code?: unknown }).code).startsWith("Z_")) throw error;
    bad(`the file cannot be decompressed beyond it: ${(error as Error).message}`);
  }
}

/** The document that a line holds, or what is wrong with it. */
function documentOf(line: string): IndexDocument | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return "no JSON";
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "no JSON object";
  const fields = value as Readonly<Record<string, unknown>>;
  const first = (...names: string[]): string | undefined => {
    for (const name of names) {
      const field = fields[name];
      if (typeof field === "string") return field;
      if (typeof field === "number") return String(field);
    }
    return undefined;
  };
  const docId = first("doc_id", "id"), url = first("url") ?? "";
  if ((docId ?? url) === "") return "neither url nor doc_id";
  const text = first("text", "markdown", "content", "body"), title = first("title") ?? "";
  if ((text ?? "") === "" && title === "") return "no text (nor markdown, nor a title)";
  const language = first("language", "lang") ?? "";
  return { ...(docId ? { docId } : {}), url, title, text: text ?? "", language };
}

function kindOf(head: Uint8Array): "archive" | "lines" | "lines.gz" {
  const gzip = head.length > 2 && (head[0]! << 8 | head[1]!) === GZIP;
  if (!gzip) return beginsJson(head) ? "lines" : "archive";
  try {
    // With Z_SYNC_FLUSH (2) the end of the piece is no error.
    return beginsJson(gunzipSync(head, { finishFlush: 2 })) ? "lines.gz" : "archive";
  } catch {
    return "archive"; // damaged: who reads it says how
  }
}

function beginsJson(bytes: Uint8Array): boolean {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (at < bytes.length && bytes[at]! <= 0x20) at++;
  return bytes[at] === OPEN_BRACE;
}

async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const head = new Uint8Array(HEAD);
    const { bytesRead } = await file.read(head, 0, HEAD, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
