/**
 * Checking capture files.
 *
 * @module
 */

import { isUtf8 } from "node:buffer";
import { ColumnsReader, type RawValue } from "./_columns_reader.ts";
import { parquetElement } from "./_footer.ts";
import { findOverlaps, type Span } from "./_overlaps.ts";
import { bodyDigest } from "./digest.ts";
import { CaptureFormatError } from "./errors.ts";
import { parseRanges } from "./ranges.ts";
import { readPartInfo } from "./reader.ts";
import {
  CAPTURE_COLUMNS,
  type CaptureColumnName,
  ROWS_KEY,
  RUN_KEY,
  STORE_BODY_KEY,
} from "./schema.ts";
import { captureFiles, openSource } from "./source.ts";

/** Kinds of faults. */
export type CaptureFaultCode =
  /** The file, or a page of it, cannot be read. */
  | "damaged"
  /** A column is missing, another one, or of another type. */
  | "schema"
  /** A row group is too large, or counts of rows do not agree. */
  | "footer"
  /** A length is not that of what it speaks of. */
  | "length"
  /** A digest is not that of the body. */
  | "digest"
  /** A string is not UTF-8. */
  | "utf8"
  /** A column of JSON is none. */
  | "json"
  /** Columns of one row contradict each other. */
  | "row"
  /** The ranges of rows are damaged, or two parts hold the same rows. */
  | "ranges";

/** Something wrong with a capture file. */
export interface CaptureFault {
  /** Path of the file. */
  readonly file: string;
  /** Byte offset: of the page that has the value, or of the footer. */
  readonly offset: number;
  /** Kind of fault. */
  readonly code: CaptureFaultCode;
  /** What is wrong, in words. */
  readonly message: string;
}

/** Options of {@linkcode verifyCaptures}. */
export interface VerifyCapturesOptions {
  /**
   * Undoes a body's content coding; undefined where that fails, and then the digest must be that of
   * the body as it is. Without this the digests of coded bodies are not checked.
   */
  readonly decode?: (body: Uint8Array, contentEncoding: string) => Uint8Array | undefined;
  /** Faults of one kind told for each file; of the others only how many there are. @default 100 */
  readonly maxFaults?: number;
}

/** Most bytes of a row group before compression. */
const MAX_GROUP = 64 << 20;
const ERRORS: ReadonlySet<string> = new Set(["dns", "timeout", "refused", "tls", "skip", "other"]);
const EMPTY_DIGEST = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Checks capture files one after the other: footer and schema, then every row's lengths, digest,
 * strings and JSON, and at last that no two parts of a run hold the same work-list rows. What is
 * wrong with a file does not keep the others from being checked.
 *
 * @param paths Files, and folders whose `*.parquet` are checked.
 * @returns The faults; none when all is well.
 */
export async function* verifyCaptures(
  paths: Iterable<string | URL>,
  options: VerifyCapturesOptions = {},
): AsyncGenerator<CaptureFault, void, undefined> {
  const runs = new Map<string, Span[]>();
  for (const path of paths) {
    for await (const file of captureFiles(path)) yield* verifyFile(file, options, runs);
  }
  for (const spans of runs.values()) {
    const found = findOverlaps(spans, async (file, part) => {
      const { ranges } = await readPartInfo(file);
      return ranges.filter((range) => range.part === part);
    });
    for await (const { file, other, part, first, last } of found) {
      yield {
        file,
        offset: 0,
        code: "ranges",
        message: `rows ${first} to ${last} of part ${part} of the work list are in ${other} too`,
      };
    }
  }
}

async function* verifyFile(
  path: string,
  options: VerifyCapturesOptions,
  runs: Map<string, Span[]>,
): AsyncGenerator<CaptureFault, void, undefined> {
  const source = await openSource(path);
  const faults = new Faults(path, options.maxFaults ?? 100);
  try {
    const file = await ColumnsReader.open(source);
    const end = source.byteLength - 8;
    const keys = new Map(file.metadata.key_value_metadata?.map(({ key, value }) => [key, value]));
    verifySchema(file, end, faults);
    verifyFooter(file, end, faults);
    verifyRanges(file, keys, end, faults, runs);
    yield* faults.take();
    const names = new Set(file.columns);
    if (CAPTURE_COLUMNS.some(({ name }) => !names.has(name))) return;
    const verifier = new RowVerifier(faults, options.decode, keys.get(STORE_BODY_KEY) ?? "served");
    for (const group of file.groups()) {
      yield* verifyGroup(file, group, verifier, faults);
    }
  } catch (error) {
    if (!(error instanceof CaptureFormatError)) throw error;
    faults.add("damaged", error.offset, error.message);
    yield* faults.take();
  } finally {
    await source.close?.();
  }
  yield* faults.rest();
}

function verifySchema(file: ColumnsReader, offset: number, faults: Faults): void {
  const elements = file.metadata.schema.slice(1);
  for (const [i, column] of CAPTURE_COLUMNS.entries()) {
    const is = elements[i], wanted = parquetElement(column);
    if (is?.name !== column.name) {
      faults.add(
        "schema",
        offset,
        `column ${i + 1} is ${is?.name ?? "missing"}, not ${column.name}`,
      );
      return;
    }
    const { type, repetition_type, converted_type, logical_type } = is;
    const string = converted_type === "UTF8" || logical_type?.type === "STRING";
    const unsigned = converted_type === "UINT_64" ||
      (logical_type?.type === "INTEGER" && !logical_type.isSigned && logical_type.bitWidth === 64);
    if (
      type !== wanted.type || repetition_type !== "REQUIRED" ||
      string !== (column.type === "string") || unsigned !== (column.type === "uint64")
    ) {
      const stated = [repetition_type, type, converted_type].filter(Boolean).join(" ");
      faults.add("schema", offset, `column ${column.name} is ${stated}, not a ${column.type}`);
    }
  }
  // Columns may be appended one day; a reader of these ones need not care.
}

function verifyFooter(file: ColumnsReader, offset: number, faults: Faults): void {
  const { row_groups, num_rows, created_by } = file.metadata;
  let rows = 0n;
  for (const [i, group] of row_groups.entries()) {
    rows += group.num_rows;
    if (group.total_byte_size > MAX_GROUP && group.num_rows > 1n) {
      faults.add("footer", offset, `row group ${i} has ${group.total_byte_size} bytes, over 64 MB`);
    }
    for (const { meta_data } of group.columns) {
      if (meta_data !== undefined && meta_data.num_values !== group.num_rows) {
        const name = meta_data.path_in_schema.join(".");
        faults.add(
          "footer",
          offset,
          `column ${name} of row group ${i} has ${meta_data.num_values} values, not ${group.num_rows}`,
        );
      }
    }
  }
  if (rows !== num_rows) {
    faults.add("footer", offset, `the row groups have ${rows} rows, the footer says ${num_rows}`);
  }
  if (!created_by) faults.add("footer", offset, "created_by is missing");
}

function verifyRanges(
  file: ColumnsReader,
  keys: Map<string, string | undefined>,
  offset: number,
  faults: Faults,
  runs: Map<string, Span[]>,
): void {
  const text = keys.get(ROWS_KEY);
  if (text === undefined) return;
  const spans: { file: string; part: number; first: number; last: number }[] = [];
  let count = 0;
  try {
    for (const { part, first, last } of parseRanges(text)) {
      count += last - first + 1;
      const span = spans.at(-1);
      if (span?.part === part) span.last = last;
      else spans.push({ file: file.source.name, part, first, last });
    }
  } catch (error) {
    faults.add("ranges", offset, (error as Error).message);
    return;
  }
  if (BigInt(count) !== file.metadata.num_rows) {
    const rows = file.metadata.num_rows;
    faults.add(
      "ranges",
      offset,
      `it has ${rows} rows, and says it holds ${count} of the work list`,
    );
  }
  const run = keys.get(RUN_KEY) ?? "";
  const known = runs.get(run);
  if (known === undefined) runs.set(run, spans);
  else known.push(...spans);
}

async function* verifyGroup(
  file: ColumnsReader,
  group: { readonly index: number; readonly start: number; readonly rows: number },
  verifier: RowVerifier,
  faults: Faults,
): AsyncGenerator<CaptureFault, void, undefined> {
  const cursors = CAPTURE_COLUMNS.map(({ name }) => file.cursor(group, name));
  const values: RawValue[] = new Array(cursors.length);
  const offsets: number[] = new Array(cursors.length);
  try {
    for (let row = 0; row < group.rows; row++) {
      for (let i = 0; i < cursors.length; i++) {
        const cursor = cursors[i]!;
        if (!cursor.holds(row)) await cursor.load(row);
        values[i] = cursor.held(row);
        offsets[i] = cursor.offset;
      }
      verifier.verify(group.start + row, values, offsets);
      yield* faults.take();
    }
  } catch (error) {
    if (!(error instanceof CaptureFormatError)) throw error;
    // A damaged page makes the rest of its group unreadable, and no other group.
    faults.add("damaged", error.offset, error.message);
    yield* faults.take();
  }
}

const INDEX = Object.fromEntries(CAPTURE_COLUMNS.map(({ name }, i) => [name, i])) as Record<
  CaptureColumnName,
  number
>;
const STRINGS = CAPTURE_COLUMNS.filter(({ type }) => type === "string").map(({ name }) => name);
const LENGTHS: readonly (readonly [CaptureColumnName, CaptureColumnName])[] = [
  ["body_length", "body"],
  ["markdown_length", "markdown"],
  ["text_length", "text"],
];
const JSON_COLUMNS: readonly CaptureColumnName[] = ["meta_json", "resp_headers", "req_headers"];

/** Checks one row after the other. */
class RowVerifier {
  readonly #faults: Faults;
  readonly #decode: VerifyCapturesOptions["decode"];
  readonly #storeBody: string;

  constructor(faults: Faults, decode: VerifyCapturesOptions["decode"], storeBody: string) {
    this.#faults = faults;
    this.#decode = decode;
    this.#storeBody = storeBody;
  }

  verify(row: number, values: readonly RawValue[], offsets: readonly number[]): void {
    const value = (name: CaptureColumnName) => values[INDEX[name]]!;
    const bytes = (name: CaptureColumnName) => value(name) as Uint8Array;
    const fault = (code: CaptureFaultCode, name: CaptureColumnName, message: string) =>
      this.#faults.add(code, offsets[INDEX[name]]!, `row ${row}: ${message}`);
    for (const name of STRINGS) {
      if (!isUtf8(bytes(name))) fault("utf8", name, `${name} is not UTF-8`);
    }
    for (const [length, of] of LENGTHS) {
      if (Number(value(length)) !== bytes(of).length) {
        fault(
          "length",
          length,
          `${length} is ${value(length)}, ${of} has ${bytes(of).length} bytes`,
        );
      }
    }
    let meta: Record<string, unknown> = {};
    for (const name of JSON_COLUMNS) {
      const object = parseObject(decoder.decode(bytes(name)));
      if (object === undefined) fault("json", name, `${name} is no JSON object`);
      else if (name === "meta_json") meta = object;
    }
    const error = decoder.decode(bytes("error")), status = Number(value("status"));
    if (error !== "" && !ERRORS.has(error)) {
      fault("row", "error", `error is ${JSON.stringify(error.slice(0, 40))}`);
    }
    if ((error === "") !== (status !== 0)) {
      fault("row", "status", `status is ${status} and error is ${JSON.stringify(error)}`);
    }
    const unchanged = value("unchanged") as boolean;
    if (unchanged && (status !== 304 || bytes("body").length > 0)) {
      fault(
        "row",
        "unchanged",
        `it is unchanged, with status ${status} and ${bytes("body").length} bytes`,
      );
    }
    if (error === "" && !unchanged) {
      this.#digest(decoder.decode(bytes("digest")), bytes("body"), meta, fault);
    }
  }

  #digest(
    digest: string,
    body: Uint8Array,
    meta: Record<string, unknown>,
    fault: (code: CaptureFaultCode, name: CaptureColumnName, message: string) => void,
  ): void {
    if (this.#storeBody === "none") return;
    const coding = this.#storeBody === "served" && typeof meta.content_encoding === "string"
      ? meta.content_encoding
      : "";
    let decoded: Uint8Array | undefined = body;
    if (coding !== "" && body.length > 0) {
      if (this.#decode === undefined) return;
      decoded = this.#decode(body, coding) ?? body;
    }
    const is = decoded.length === 0 ? EMPTY_DIGEST : bodyDigest(decoded);
    if (is !== digest) fault("digest", "digest", `digest is ${digest}, the body's is ${is}`);
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as Record<string, unknown>
      : undefined;
  } catch {
    return undefined;
  }
}

/** Faults of one file that wait to be given, so many of each kind. */
class Faults {
  readonly #file: string;
  readonly #max: number;
  #waiting: CaptureFault[] = [];
  readonly #counts = new Map<CaptureFaultCode, number>();

  constructor(file: string, max: number) {
    this.#file = file;
    this.#max = max;
  }

  add(code: CaptureFaultCode, offset: number, message: string): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count <= this.#max) this.#waiting.push({ file: this.#file, offset, code, message });
  }

  take(): CaptureFault[] {
    if (this.#waiting.length === 0) return this.#waiting;
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  /** What was left out. */
  *rest(): Generator<CaptureFault> {
    for (const [code, count] of this.#counts) {
      if (count <= this.#max) continue;
      const message = `${count - this.#max} more of this kind`;
      yield { file: this.#file, offset: 0, code, message };
    }
  }
}
