/**
 * Checking capture files.
 *
 * @module
 */

import { ColumnsReader, type RawValue } from "./_columns_reader.ts";
import { parquetElement } from "./_footer.ts";
import { findOverlaps, type Span } from "./_overlaps.ts";
import { RowVerifier } from "./_row_verifier.ts";
import { CaptureFormatError } from "./errors.ts";
import { type CaptureFault, Faults } from "./faults.ts";
import { parseRanges } from "./ranges.ts";
import { readPartInfo } from "./reader.ts";
import { CAPTURE_COLUMNS, ROWS_KEY, RUN_KEY, STORE_BODY_KEY } from "./schema.ts";
import { captureFiles, openSource } from "./source.ts";

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
