/**
 * Columns of strings of a Parquet file, as bytes: for who reads millions of rows a second.
 *
 * @module
 */

import type { ByteSource } from "./_source.ts";
import { readPages } from "./_parquet.ts";
import {
  allColumns,
  columnIn,
  type PageBounds,
  type ParquetColumn,
  type ParquetFooter,
  readFooter,
  readPageBounds,
  stringColumns,
} from "./_parquet_file.ts";
import { Window } from "./_window.ts";

export type { PageBounds } from "./_parquet_file.ts";

/** Rows from one up to before another. */
export interface RowSpan {
  /** The first one. */
  readonly start: number;
  /** The one behind the last. */
  readonly end: number;
}

/** Values of consecutive rows of a column. */
export interface ColumnSlices extends RowSpan {
  /** Lasts until the next slices of the column are asked for. */
  readonly bytes: Uint8Array;
  /** Where the value of row `r` begins in `bytes`, at `r - first`; -1 for a null. */
  readonly starts: Int32Array;
  /** Where each value ends. */
  readonly ends: Int32Array;
  /** The row of `starts[0]`. */
  readonly first: number;
}

/** A row group, and what the values of a column in it lie between. */
export interface GroupBounds extends RowSpan {
  /** Undefined where the file does not say. */
  readonly least: Uint8Array | undefined;
  /** No value is above this. */
  readonly most: Uint8Array | undefined;
  /** Whether both are values that are there: writers may shorten them, and round the upper one up. */
  readonly exact: boolean;
}

/** A Parquet file whose columns of strings are read. */
export class ColumnFile {
  readonly #source: ByteSource;
  readonly #footer: ParquetFooter;
  readonly #columns = new Map<string, ParquetColumn>();

  private constructor(source: ByteSource, footer: ParquetFooter) {
    this.#source = source;
    this.#footer = footer;
  }

  /**
   * Reads the footer of a file. The source stays the caller's to close.
   *
   * @throws {PartFormatError} If it is no Parquet file, or is damaged.
   */
  static async open(source: ByteSource): Promise<ColumnFile> {
    return new ColumnFile(source, await readFooter(source));
  }

  /** Names of its columns of strings. */
  get columns(): readonly string[] {
    return stringColumns(this.#footer);
  }

  /** Names of all its columns, those that hold something else too. */
  get allColumns(): readonly string[] {
    return allColumns(this.#footer);
  }

  /**
   * Its row groups, with the bounds of a column.
   *
   * @throws {PartFormatError} If it has no such column of strings.
   */
  groups(name: string): readonly GroupBounds[] {
    return this.#column(name).chunks;
  }

  /**
   * The pages of a row group with the bounds of a column; `undefined` when the file has no such index.
   *
   * @param group Which of {@linkcode groups}.
   */
  async pages(name: string, group: number): Promise<readonly PageBounds[] | undefined> {
    const column = this.#column(name);
    return await readPageBounds(this.#source, column, column.chunks[group]!);
  }

  /**
   * Reads a column, a page of it in memory at a time. Pages that hold no row that is wanted are not
   * fetched where the file has an offset index.
   *
   * @param wanted Rows, in ascending order, without overlaps.
   * @throws {PartFormatError} If the file is damaged or has no such column of strings.
   */
  async *read(name: string, wanted: readonly RowSpan[]): AsyncGenerator<ColumnSlices> {
    const window = new Window(this.#source);
    try {
      const column = this.#column(name);
      for await (
        const { page, first, from, to } of readPages(this.#source, column, window, wanted)
      ) {
        yield { ...page.bytes(), first, start: from, end: to };
      }
    } finally {
      await window.settle();
    }
  }

  #column(name: string): ParquetColumn {
    let column = this.#columns.get(name);
    if (column === undefined) {
      column = columnIn(this.#source, this.#footer, name);
      this.#columns.set(name, column);
    }
    return column;
  }
}
