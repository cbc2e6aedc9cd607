/**
 * Reading captures back.
 *
 * @module
 */

import { ColumnsReader, type RawValue, readFooter } from "./_columns_reader.ts";
import { CaptureFormatError } from "./errors.ts";
import { parseRanges, type RowRange } from "./ranges.ts";
import {
  CAPTURE_COLUMNS,
  type CaptureColumnName,
  type CaptureColumnType,
  type CaptureRow,
  ROWS_KEY,
  RUN_KEY,
} from "./schema.ts";
import { captureFiles, type CaptureSource, localPath, openSource } from "./source.ts";

/** What a column's value must be, or what must be true of it. */
export type CaptureFilter = {
  readonly [K in CaptureColumnName]?: CaptureRow[K] | ((value: CaptureRow[K]) => boolean);
};

/** Options of {@linkcode readCaptures}. */
export interface ReadCapturesOptions<K extends CaptureColumnName = CaptureColumnName> {
  /**
   * Columns to read; what is not named is not read off the disk. @default every column
   */
  readonly columns?: readonly K[];
  /**
   * Rows to give: those of which all of this is so. Pages of other columns are read only where a row
   * is given.
   */
  readonly where?: CaptureFilter;
}

/**
 * Reads capture rows in the order in which they lie, a page of each column in memory at a time (the
 * whole column chunk of files that other programs wrote without page indexes).
 *
 * @param from A file, a folder whose `*.parquet` are read by name, or something that can be read by
 *   pieces.
 * @returns The rows. A column that a file does not have is left out of its rows.
 * @throws {CaptureReadError} If there is no such file or folder, or the disk does not give it.
 * @throws {CaptureFormatError} If a file is damaged.
 *
 * @example Titles of the pages that answered
 * ```ts ignore
 * for await (const row of readCaptures("captures", { columns: ["url", "title"], where: { status: 200 } })) {
 *   console.log(row.url, row.title);
 * }
 * ```
 */
export async function* readCaptures<K extends CaptureColumnName = CaptureColumnName>(
  from: string | URL | CaptureSource,
  options: ReadCapturesOptions<K> = {},
): AsyncGenerator<Partial<Pick<CaptureRow, K>>, void, undefined> {
  if (typeof from === "object" && !(from instanceof URL)) {
    yield* readSource(from, options);
    return;
  }
  for await (const path of captureFiles(from)) {
    const source = await openSource(path);
    try {
      yield* readSource(source, options);
    } finally {
      await source.close?.();
    }
  }
}

async function* readSource<K extends CaptureColumnName>(
  source: CaptureSource,
  { columns, where = {} }: ReadCapturesOptions<K>,
): AsyncGenerator<Partial<Pick<CaptureRow, K>>, void, undefined> {
  const file = await ColumnsReader.open(source);
  const present = CAPTURE_COLUMNS.filter(({ name }) => file.columns.includes(name));
  const given = present.filter(({ name }) => columns === undefined || columns.includes(name as K));
  const asked = Object.keys(where) as CaptureColumnName[];
  const tests = present.filter(({ name }) => where[name] !== undefined);
  // A row that does not have what is asked about is not what is asked for.
  if (tests.length < asked.filter((name) => where[name] !== undefined).length) return;
  for (const group of file.groups()) {
    const reads = given.map((column) => ({ ...column, cursor: file.cursor(group, column.name) }));
    const judged = tests.map((column) => ({
      ...column,
      wanted: where[column.name] as unknown,
      cursor: reads.find(({ name }) => name === column.name)?.cursor ??
        file.cursor(group, column.name),
    }));
    rows: for (let row = 0; row < group.rows; row++) {
      for (const { cursor, type, wanted } of judged) {
        if (!cursor.holds(row)) await cursor.load(row);
        const value = fromRaw(type, cursor.held(row));
        const is = typeof wanted === "function" ? wanted(value) : value === wanted;
        if (!is) continue rows;
      }
      const out: Record<string, unknown> = {};
      for (const { cursor, type, name } of reads) {
        if (!cursor.holds(row)) await cursor.load(row);
        out[name] = fromRaw(type, cursor.held(row));
      }
      yield out as Partial<Pick<CaptureRow, K>>;
    }
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A stored value as a row has it. */
function fromRaw(type: CaptureColumnType, value: RawValue): unknown {
  switch (type) {
    case "string":
      return decoder.decode(value as Uint8Array);
    case "bytes":
      // A view of a page would keep the whole page for as long as the body is kept.
      return (value as Uint8Array).slice();
    case "int64":
      return Number(value);
    case "uint64":
      return BigInt.asUintN(64, BigInt(value as bigint));
    default:
      return value;
  }
}

/** What a part says of itself. */
export interface PartInfo {
  /** Rows in it. */
  readonly rows: number;
  /** Its size. */
  readonly bytes: number;
  /** Bytes of its row groups before compression. */
  readonly uncompressed: number;
  /** `created_by`. */
  readonly createdBy: string;
  /** The run it belongs to, or empty. */
  readonly run: string;
  /** The work-list rows it holds, in order. */
  readonly ranges: readonly RowRange[];
  /** All keys and values of the footer. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Names of its columns. */
  readonly columns: readonly string[];
}

/**
 * Reads what a part's footer says.
 *
 * @throws {CaptureFormatError} If it is no whole Parquet file, or its row ranges are damaged.
 */
export async function readPartInfo(from: string | URL | CaptureSource): Promise<PartInfo> {
  const local = typeof from === "string" || from instanceof URL;
  const source = local ? await openSource(localPath(from)) : from;
  try {
    const footer = await readFooter(source);
    const metadata: Record<string, string> = {};
    for (const { key, value } of footer.key_value_metadata ?? []) metadata[key] = value ?? "";
    return {
      rows: Number(footer.num_rows),
      bytes: source.byteLength,
      uncompressed: footer.row_groups.reduce(
        (sum, group) => sum + Number(group.total_byte_size),
        0,
      ),
      createdBy: footer.created_by ?? "",
      run: metadata[RUN_KEY] ?? "",
      ranges: ranges(source, metadata[ROWS_KEY] ?? ""),
      metadata,
      columns: footer.schema.slice(1).map(({ name }) => name),
    };
  } finally {
    if (local) await source.close?.();
  }
}

function ranges(source: CaptureSource, text: string): RowRange[] {
  try {
    return [...parseRanges(text)];
  } catch (cause) {
    const { message } = cause as SyntaxError;
    throw new CaptureFormatError(source.name, source.byteLength - 8, message, { cause });
  }
}
