/**
 * What a command writes its records to.
 *
 * @module
 */

import { LimitReachedError, UsageError } from "../errors.ts";
import type { ByteSink } from "../host.ts";
import { type FieldSpec, type OutputRecord, selectFields } from "./fields.ts";
import {
  csvFormatter,
  jsonFormatter,
  jsonlFormatter,
  type RecordFormatter,
  tsvFormatter,
  urlFormatter,
} from "./formats.ts";
import { OUTPUT_FORMATS, type OutputFormat } from "./formats_list.ts";
import { markdownFormatter } from "./markdown.ts";
import { OutputStream } from "./stream.ts";
import { tableFormatter } from "./table.ts";
import { templateFormatter } from "./template.ts";

/** How {@linkcode openOutput} writes. */
export interface OutputOptions {
  readonly format: OutputFormat;
  /** Names and order of the fields; empty for all. */
  readonly fields: readonly string[];
  /** A line a record by this template, instead of a format. */
  readonly template?: string | undefined;
  readonly header: boolean;
  /** Records after which writing ends; 0 for no limit. */
  readonly limit: number;
  readonly color: boolean;
  /** Fields of this command's records, in their order. */
  readonly known: readonly FieldSpec[];
  /** Whether the command can write bodies (`-o raw`). */
  readonly raw: boolean;
  readonly stdout: ByteSink;
}

/** A format in use, `auto` resolved. */
type UsedFormat = Exclude<OutputFormat, "auto"> | "template";

/** A stream of records on stdout. */
export interface RecordWriter {
  /** The format in use. */
  readonly format: UsedFormat;
  /**
   * Aborted when no more records will be taken: the limit has been reached, or the reader has gone.
   * The reason says which. A run stops at it as at any stop.
   */
  readonly stopped: AbortSignal;
  /**
   * Write one record. False once the output has stopped: the record was not written, and none will be.
   * A promise has to be awaited before the next record; it is how a slow reader holds a command back.
   * With `raw` records are counted and not shown.
   */
  write(record: OutputRecord): boolean | Promise<boolean>;
  /** Whether {@linkcode RecordWriter.lines} may be used: whole records, as JSON lines, and no terminal. */
  readonly takesLines: boolean;
  /**
   * Records that may still be written before the limit ends it; Infinity without one.
   */
  readonly left: number;
  /**
   * Write `count` records that their maker has made JSON lines of, for those who have millions a second.
   * There must be no more of them than `left`. False once the output has stopped.
   */
  lines(text: Uint8Array, count: number): Promise<boolean>;
  /** Write a body as it is; only where `format` is `raw`. */
  raw(bytes: Uint8Array): Promise<void>;
  /** Write what is held back, so that a summary on the same terminal comes after it. */
  flush(): Promise<void>;
  /** Write what is held back and what ends the format. */
  close(): Promise<void>;
  /**
   * Give up on a reader that has taken nothing for `ms`: records are dropped from here on. Does nothing,
   * and says false, where none was waited for as long.
   */
  abandon(ms: number): boolean;
}

/** How long a table may hold its first records back. */
const TABLE_PATIENCE_MS = 300;

/**
 * Open stdout for records.
 *
 * @throws {UsageError} on an unknown field, and on a format that the records cannot have.
 */
export async function openOutput(options: OutputOptions): Promise<RecordWriter> {
  const terminal = options.stdout.terminal;
  const format = options.template !== undefined
    ? "template"
    : options.format === "auto"
    ? (terminal ? "table" : "jsonl")
    : options.format;
  const fields = selectFields(options.fields, options.known);
  if (format === "template" && options.fields.length > 0) {
    throw new UsageError("--template says which fields to write, and --fields too", "give one");
  }
  if (format === "parquet" && options.known.length === 0) {
    throw new UsageError("-o parquet: this command has no records", formatsHint(options.raw));
  }
  if (format === "parquet" && terminal) {
    throw new UsageError(
      "-o parquet: a terminal cannot show it",
      "write it into a file: > records.parquet",
    );
  }
  if (format === "raw" && !options.raw) {
    throw new UsageError("-o raw: this command has no body to write", formatsHint(options.raw));
  }
  if (format === "url" && !options.known.some((field) => field.name === "url")) {
    throw new UsageError("-o url: these records have no url", formatsHint(options.raw));
  }
  return new FormattedWriter(format, await formatterFor(format, fields, options), options);
}

function formatsHint(raw: boolean): string {
  return `formats: ${OUTPUT_FORMATS.filter((name) => name !== "raw" || raw).join(", ")}`;
}

async function formatterFor(
  format: UsedFormat,
  fields: readonly FieldSpec[],
  options: OutputOptions,
): Promise<RecordFormatter | undefined> {
  const terminal = options.stdout.terminal;
  const chosen = options.fields.length > 0 ? fields : undefined;
  switch (format) {
    case "table":
      return tableFormatter(chosen ?? fields.filter((field) => field.table !== false), {
        header: options.header,
        color: options.color,
        columns: terminal ? options.stdout.columns() : undefined,
      });
    case "jsonl":
      return jsonlFormatter(chosen, terminal);
    case "json":
      return jsonFormatter(chosen, terminal);
    case "csv":
      return csvFormatter(fields, options.header, terminal);
    case "tsv":
      return tsvFormatter(fields, options.header, terminal);
    case "url":
      return urlFormatter(terminal);
    case "markdown":
      return markdownFormatter(fields, options.header, terminal);
    case "parquet":
      // Its library is loaded by those who ask for it.
      return (await import("./parquet.ts")).parquetFormatter(fields);
    case "template":
      return templateFormatter(options.template!, options.known, terminal);
    case "raw":
      return undefined;
  }
}

class FormattedWriter implements RecordWriter {
  readonly format: UsedFormat;
  readonly stopped: AbortSignal;
  readonly takesLines: boolean;
  readonly #formatter: RecordFormatter | undefined;
  readonly #stream: OutputStream;
  readonly #controller = new AbortController();
  readonly #limit: number;
  #begun = false;
  #count = 0;
  #patience: ReturnType<typeof setTimeout> | undefined;

  constructor(
    format: UsedFormat,
    formatter: RecordFormatter | undefined,
    options: OutputOptions,
  ) {
    this.format = format;
    this.stopped = this.#controller.signal;
    this.#formatter = formatter;
    this.#limit = options.limit;
    this.takesLines = format === "jsonl" && options.fields.length === 0 && !options.stdout.terminal;
    this.#stream = new OutputStream(options.stdout, (reason) => this.#controller.abort(reason));
  }

  write(record: OutputRecord): boolean | Promise<boolean> {
    if (this.stopped.aborted) return false;
    this.#count++;
    const piece = this.#formatter?.record(record) ?? "";
    const wait = this.#put(this.#begin(), piece);
    if (piece === "" && this.#formatter?.drain !== undefined) this.#waitABit();
    if (this.#limit > 0 && this.#count >= this.#limit) {
      this.#controller.abort(new LimitReachedError(this.#limit));
    }
    return wait === undefined ? true : wait.then(() => !this.#stream.closed);
  }

  get left(): number {
    return this.#limit > 0 ? Math.max(0, this.#limit - this.#count) : Infinity;
  }

  async lines(text: Uint8Array, count: number): Promise<boolean> {
    if (!this.takesLines || count > this.left) {
      throw new TypeError("Cannot write lines: the format or the limit is another");
    }
    if (this.stopped.aborted) return false;
    this.#count += count;
    await this.#stream.writeBytes(text);
    if (this.left === 0) this.#controller.abort(new LimitReachedError(this.#limit));
    return !this.#stream.closed;
  }

  raw(bytes: Uint8Array): Promise<void> {
    if (this.format !== "raw") throw new TypeError("Cannot write a body: the format is not raw");
    return this.#stream.writeBytes(bytes);
  }

  async flush(): Promise<void> {
    const text = this.#formatter?.drain?.() ?? "";
    if (text !== "") await this.#stream.write(text);
    await this.#stream.flush();
  }

  async close(): Promise<void> {
    clearTimeout(this.#patience);
    await this.#put(this.#begin(), this.#formatter?.end() ?? "");
    await this.#stream.close();
  }

  abandon(ms: number): boolean {
    if (this.#stream.blockedFor < ms) return false;
    this.#stream.abandon();
    return true;
  }

  /** Writes what a format made; a binary one has no text before it. */
  #put(lead: string, piece: string | Uint8Array<ArrayBuffer>): void | Promise<void> {
    if (typeof piece !== "string") return this.#stream.writeBytes(piece);
    const text = lead + piece;
    return text === "" ? undefined : this.#stream.write(text);
  }

  #begin(): string {
    if (this.#begun) return "";
    this.#begun = true;
    return this.#formatter?.begin() ?? "";
  }

  /** Records held back to size a table are shown soon, however slowly the next ones come. */
  #waitABit(): void {
    this.#patience ??= setTimeout(() => {
      const text = this.#formatter?.drain?.() ?? "";
      if (text !== "") this.#stream.writeLater(text);
    }, TABLE_PATIENCE_MS);
  }
}
