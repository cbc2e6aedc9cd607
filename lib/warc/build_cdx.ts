/**
 * Building indexes of archive files.
 *
 * @module
 */

import { basename } from "node:path";
import { diskFs, fileBytes, type FileSystem } from "../files/mod.ts";
import { MergeSort } from "./_merge_sort.ts";
import { CDX11_HEADER, cdx11Line } from "./cdx11.ts";
import { cdxjEntry, cdxjLine, cdxjPath, isCapture, type SurtFunction } from "./cdxj.ts";
import { WarcFormatError } from "./errors.ts";
import { readWarc, type ReadWarcOptions, type WarcDamage } from "./reader.ts";

/** Options of {@linkcode buildCdxj}. */
export interface BuildCdxjOptions {
  /** Makes the keys. */
  readonly surt: SurtFunction;
  /** Where to; default is beside the archive, `.cdxj` in place of `.warc.gz` or `.warc`. */
  readonly to?: string;
  /** Told of damage; without it damage is an error. */
  readonly onDamage?: ReadWarcOptions["onDamage"];
  /** File operations. @default {@linkcode diskFs} */
  readonly fs?: FileSystem;
}

/**
 * Builds the index of one archive file, through a temporary file. Memory is bounded: lines are
 * sorted in runs on disk.
 *
 * @returns Count of lines.
 * @throws {WarcFormatError} If the file is damaged and `onDamage` is not given.
 */
export async function buildCdxj(path: string, options: BuildCdxjOptions): Promise<number> {
  const { to = cdxjPath(path), onDamage, ...rest } = options;
  const counts = await buildCdx([path], {
    ...rest,
    to,
    ...(onDamage === undefined ? {} : { onDamage: (_, damage) => onDamage(damage) }),
  });
  return counts[0]!.lines;
}

/** What an index says of its captures, and how. */
export type CdxFormat = "cdxj" | "cdx11";

/** Options of {@linkcode buildCdx}. */
export interface BuildCdxOptions {
  /** Makes the keys. */
  readonly surt: SurtFunction;
  /** Path of the index. */
  readonly to: string;
  /** Format of its lines. @default "cdxj" */
  readonly format?: CdxFormat;
  /** Told of damage, and of a file that is no archive; without it that is an error. */
  readonly onDamage?: (path: string, damage: WarcDamage) => void;
  /** Told of each file once it was read. */
  readonly onRead?: (file: IndexedFile) => void;
  /** File operations. @default {@linkcode diskFs} */
  readonly fs?: FileSystem;
  /** Ends the work with its reason; nothing is left. */
  readonly signal?: AbortSignal;
  /** Bytes of lines that are sorted in memory. @default 4 MiB */
  readonly run?: number;
}

/** What came of one archive file. */
export interface IndexedFile {
  /** Its path. */
  readonly path: string;
  /** Lines in the index. */
  readonly lines: number;
  /** Damaged places in it; that captures cannot be come to is one. */
  readonly damaged: number;
}

/**
 * Builds one sorted index of any number of archive files, through a temporary file. Memory is
 * bounded: lines are sorted in runs on disk.
 *
 * @throws {WarcFormatError} If a file is damaged and `onDamage` is not given.
 */
export async function buildCdx(
  paths: readonly string[],
  options: BuildCdxOptions,
): Promise<IndexedFile[]> {
  const { fs = diskFs, format = "cdxj", onDamage, signal, surt, to } = options;
  const toLine = format === "cdxj" ? cdxjLine : cdx11Line;
  const sort = new MergeSort(to, fs, options.run);
  const files: IndexedFile[] = [];
  try {
    if (format === "cdx11") sort.add(CDX11_HEADER);
    for (const path of paths) {
      let lines = 0, damaged = 0, shared = 0;
      const hurt = (damage: WarcDamage) => {
        damaged++;
        onDamage!(path, damage);
      };
      const read = onDamage === undefined
        ? { maxContent: 1 << 18 }
        : { maxContent: 1 << 18, onDamage: hurt };
      try {
        for await (const record of readWarc(fileBytes(path, fs), read)) {
          signal?.throwIfAborted();
          const entry = cdxjEntry(record, basename(path), surt);
          if (entry === undefined) {
            if (isCapture(record)) shared++;
            continue;
          }
          sort.add(toLine(entry));
          lines++;
        }
      } catch (error) {
        if (!(error instanceof WarcFormatError) || onDamage === undefined) throw error;
        hurt({ reason: error.message, offset: error.offset, truncated: false });
      }
      if (shared > 0 && onDamage !== undefined) {
        const reason =
          `${shared} captures share a gzip member with other records, so that no index ` +
          "leads to them; compress each record by itself first (as with warcio recompress)";
        hurt({ reason, offset: 0, truncated: false });
      }
      const file = { path, lines, damaged };
      files.push(file);
      options.onRead?.(file);
    }
    sort.finish();
    return files;
  } finally {
    sort.discard();
  }
}
