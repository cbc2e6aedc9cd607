/**
 * Reading archives and captures, a record at a time.
 *
 * @module
 */

import { CaptureFormatError } from "../capture/mod.ts";
import { readWarc, readWarcFile, type ReadWarcOptions, WarcFormatError } from "../warc/mod.ts";
import { captureItems } from "./_captures.ts";
import type { Item } from "./_item.ts";
import { warcItem } from "./_warc_item.ts";
import { Work } from "./_work.ts";
import { ParseError } from "./errors.ts";
import { expandPaths, KIND_BYTES, kindOf, kindOfBytes, peek } from "./files.ts";
import type { Parsed, ParseOptions } from "./types.ts";

/** Bytes of a block that are looked at. */
const MAX_BLOCK = 64 << 20;

/**
 * Reads WARC, WAT and WET files, however they are compressed, and capture files; gives their records
 * in their order. What is damaged is passed over and told of. Memory does not follow the input: a
 * block is looked at up to 64 MB.
 *
 * @param paths Files, folders, or `-`.
 * @throws {ParseError} When there is no such file, or a pattern cannot be used. A file that is of another
 *   kind counts as damaged.
 *
 * @example The pages of an archive as Markdown
 * ```ts ignore
 * for await (const { record } of parse(["warc/"], { mimes: ["text/html"], markdown: true })) {
 *   console.log(record.url, record.markdown);
 * }
 * ```
 */
export async function* parse(
  paths: readonly string[],
  options: ParseOptions = {},
): AsyncGenerator<Parsed, void, undefined> {
  const files = await expandPaths(paths);
  const named = paths.length === 1 && files[0] === paths[0];
  await using work = new Work(options);
  for (const file of files) {
    if (options.signal?.aborted) return;
    try {
      const items = file === "-" ? await stdinItems(options) : await itemsOf(file, options);
      yield* work.through(items, named ? undefined : file);
    } catch (error) {
      // That one file is not what it should be is no reason to leave the others unread.
      if (
        !(error instanceof WarcFormatError || error instanceof CaptureFormatError ||
          error instanceof ParseError)
      ) throw error;
      const lead = `Cannot read ${file}: `; // which the path beside it says too
      const { message } = error;
      const reason = message.startsWith(lead) ? message.slice(lead.length) : message;
      const offset = error instanceof ParseError ? 0 : error.offset;
      options.onDamage?.({ file, offset, reason });
    }
  }
}

async function itemsOf(file: string, options: ParseOptions): Promise<AsyncGenerator<Item>> {
  switch (await kindOf(file)) {
    case "parquet":
      return captureItems(file, options);
    case "zstd":
      throw new ParseError(
        `Cannot read ${file}: it is compressed with zstd; undo that first (zstd -dc FILE | ccrawl parse -)`,
        file,
      );
    case "archive":
      return archiveItems(file, options);
  }
}

async function stdinItems(options: ParseOptions): Promise<AsyncGenerator<Item>> {
  const { head, all } = await peek(options.stdin ?? Deno.stdin.readable, KIND_BYTES);
  switch (kindOfBytes(head)) {
    case "parquet":
      throw new ParseError(
        "Cannot read -: Parquet has its directory at its end, so it is not read from a pipe; write it into a file",
        "-",
      );
    case "zstd":
      throw new ParseError(
        "Cannot read -: it is compressed with zstd; undo that first (zstd -dc FILE | ccrawl parse -)",
        "-",
      );
    case "archive":
      return archiveItems("-", { ...options, stdin: all });
  }
}

async function* archiveItems(
  file: string,
  { onDamage, stdin, payload, signal }: ParseOptions,
): AsyncGenerator<Item, void, undefined> {
  const read: ReadWarcOptions = {
    maxContent: MAX_BLOCK,
    onDamage({ offset, reason }) {
      // What the end of a stopped stream has cut is no damage.
      if (!signal?.aborted) onDamage?.({ file, offset, reason });
    },
  };
  const records = file === "-"
    ? readWarc(stdin ?? Deno.stdin.readable, read)
    : readWarcFile(file, read);
  for await (const record of records) {
    if (payload && record.contentLength > record.content.length) {
      const reason = `only the first ${
        MAX_BLOCK >> 20
      } MB of a block of ${record.contentLength} bytes are given`;
      onDamage?.({ file, offset: record.offset, reason });
    }
    yield warcItem(record);
  }
}
