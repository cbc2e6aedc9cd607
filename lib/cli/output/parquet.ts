/**
 * Records as one Parquet file, written from its beginning to its end as they come.
 *
 * @module
 */

import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { VERSION } from "../../version.ts";
import { CommandError, ExitCode } from "../errors.ts";
import { cellText, type FieldSpec, type OutputRecord } from "./fields.ts";
import type { RecordFormatter } from "./formats.ts";

/** What a group of rows holds at the most, in bytes of its values: all that is kept. */
const GROUP_BYTES = 8 << 20;
/** The same in values. They are written in one go, during which a crawl's fetches stand still. */
const GROUP_VALUES = 128 << 10;
/** Bytes of the least and the greatest value that are told of a column. */
const BOUND_BYTES = 64;

/** A column of the group under way. */
interface Column {
  readonly name: string;
  readonly type: FieldSpec["type"];
  values: unknown[];
}

/**
 * A file of `fields`, each a column in which values may be missing. `integer` is INT64, `uint64`
 * UINT_64, `number` DOUBLE, `json` text of the JSON type. Groups are compressed with snappy, which
 * every reader has.
 *
 * Memory is bounded: rows are written out by groups of 8 MB. Only the footer's entry of each group
 * is kept to the end, and a file without its footer cannot be read.
 */
export function parquetFormatter(fields: readonly FieldSpec[]): RecordFormatter {
  const bytes = new ByteWriter(1 << 16);
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [{ name: "root", num_children: fields.length }, ...fields.map(element)],
    statisticsTruncateLength: BOUND_BYTES,
    createdBy: `ccrawl version ${VERSION}`,
  });
  const columns: Column[] = fields.map(({ name, type }) => ({ name, type, values: [] }));
  const mostRows = Math.ceil(GROUP_VALUES / fields.length);
  let rows = 0;
  let size = 0;

  const taken = (): Uint8Array<ArrayBuffer> => {
    const written = new Uint8Array(bytes.getBuffer());
    bytes.index = 0;
    return written;
  };
  const group = (): void => {
    if (rows === 0) return;
    // Nothing to wait for: the bytes go to memory.
    void writer.write({
      columnData: columns.map(({ name, values }) => ({ name, data: values })),
      rowGroupSize: rows,
    });
    for (const column of columns) column.values = [];
    rows = 0;
    size = 0;
  };

  return {
    begin: () => "",
    record(record: OutputRecord) {
      for (const { name, type, values } of columns) {
        const value = columnValue(name, type, record[name]);
        values.push(value);
        size += typeof value === "string" ? value.length + 8 : sizeOf(value);
      }
      rows++;
      if (size < GROUP_BYTES && rows < mostRows) return "";
      group();
      return taken();
    },
    end() {
      group();
      void writer.finish();
      return taken();
    },
  };
}

/** A column as the file's schema has it. */
function element({ name, type }: FieldSpec): ConstructorParameters<
  typeof ParquetWriter
>[0]["schema"][number] {
  const column = { name, repetition_type: "OPTIONAL" } as const;
  switch (type) {
    case "string":
      return { ...column, type: "BYTE_ARRAY", converted_type: "UTF8" };
    case "json":
      return { ...column, type: "BYTE_ARRAY", converted_type: "JSON" };
    case "number":
      return { ...column, type: "DOUBLE" };
    case "integer":
      return { ...column, type: "INT64" };
    case "uint64":
      return { ...column, type: "INT64", converted_type: "UINT_64" };
    case "boolean":
      return { ...column, type: "BOOLEAN" };
  }
}

/** A record's value in the type of its column; missing where it has none. */
function columnValue(name: string, type: FieldSpec["type"], value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  if (type === "string") return cellText(value);
  if (type === "json") return value;
  if (value === "") return undefined;
  if (type === "boolean" && typeof value === "boolean") return value;
  if (type === "number" && typeof value === "number") return value;
  if (type === "integer" || type === "uint64") {
    if (typeof value === "bigint") return value;
    if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  }
  throw new CommandError(
    `Cannot write -o parquet: ${name} is ${type} in every record, and here ${
      JSON.stringify(cellText(value).slice(0, 80))
    }`,
    ExitCode.error,
    "-o jsonl takes any value",
  );
}

function sizeOf(value: unknown): number {
  return typeof value === "object" ? JSON.stringify(value).length + 8 : 8;
}
