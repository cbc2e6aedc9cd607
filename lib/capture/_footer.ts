/**
 * What a file's footer says of its columns.
 *
 * @module
 */

import type { writeMetadata } from "hyparquet-writer/src/metadata.js";
import type { MinMax } from "./_chunks.ts";
import type { StoredPage } from "./_page_store.ts";
import { CAPTURE_COLUMNS, type CaptureColumn, type CaptureColumnType } from "./schema.ts";

/** As the writing library, which comes with a version of its own of the reading one, types it. */
type SchemaElement = Parameters<typeof writeMetadata>[1]["schema"][number];

/** Physical types. */
const PHYSICAL = {
  string: "BYTE_ARRAY",
  bytes: "BYTE_ARRAY",
  int32: "INT32",
  int64: "INT64",
  uint64: "INT64",
  double: "DOUBLE",
  boolean: "BOOLEAN",
} as const satisfies Record<CaptureColumnType, string>;

/** The schema as Parquet states it. */
export function parquetSchemaElements(): SchemaElement[] {
  return [
    { name: "schema", num_children: CAPTURE_COLUMNS.length },
    ...CAPTURE_COLUMNS.map(parquetElement),
  ];
}

/** One column as Parquet states it. */
export function parquetElement({ name, type }: CaptureColumn): SchemaElement {
  return {
    name,
    type: PHYSICAL[type],
    repetition_type: "REQUIRED",
    ...(type === "string"
      ? { converted_type: "UTF8", logical_type: { type: "STRING" } }
      : type === "uint64"
      // The converted type alone: the library writes the bit width of a logical INTEGER as an i32
      // where Thrift wants an i8, and strict readers (DuckDB) refuse the file.
      ? { converted_type: "UINT_64" }
      : {}),
  };
}

/** A column chunk and where its pages lie. */
export type ChunkResult = ReturnType<typeof columnChunk>;

/** Describes a chunk whose pages are in the file. */
export function columnChunk(
  column: CaptureColumn,
  pages: readonly StoredPage[],
  { rows, bounds }: { readonly rows: number; readonly bounds: MinMax | undefined },
) {
  const data = pages.filter(({ dictionary }) => !dictionary);
  const dictionary = pages.find((page) => page.dictionary);
  const encoding = data[0]!.encoding;
  let first = 0n;
  const page_locations = data.map(({ offset, size, values }) => {
    const location = {
      offset: BigInt(offset),
      compressed_page_size: size,
      first_row_index: first,
    };
    first += BigInt(values);
    return location;
  });
  return {
    chunk: {
      file_offset: BigInt(pages[0]!.offset),
      meta_data: {
        type: PHYSICAL[column.type],
        encodings: dictionary === undefined ? [encoding] : ["PLAIN" as const, encoding],
        path_in_schema: [column.name],
        codec: "ZSTD" as const,
        num_values: BigInt(rows),
        total_uncompressed_size: sum(pages, ({ rawSize }) => rawSize),
        total_compressed_size: sum(pages, ({ size }) => size),
        data_page_offset: BigInt(data[0]!.offset),
        ...(dictionary === undefined ? {} : { dictionary_page_offset: BigInt(dictionary.offset) }),
        ...(bounds === undefined ? {} : {
          statistics: { null_count: 0n, min_value: bounds.min, max_value: bounds.max },
        }),
        encoding_stats: [
          ...(dictionary === undefined
            ? []
            : [{ page_type: "DICTIONARY_PAGE" as const, encoding: "PLAIN" as const, count: 1 }]),
          { page_type: "DATA_PAGE_V2" as const, encoding, count: data.length },
        ],
      },
    },
    ...(data.length > 1 ? { offsetIndex: { page_locations } } : {}),
  };
}

function sum(pages: readonly StoredPage[], of: (page: StoredPage) => number): bigint {
  return BigInt(pages.reduce((total, page) => total + of(page), 0));
}
