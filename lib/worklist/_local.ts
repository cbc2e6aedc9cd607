/**
 * Work lists on disk and on standard input.
 *
 * @module
 */

import { resolve } from "node:path";
import { WorkListError } from "./errors.ts";
import { linesPart } from "./_lines.ts";
import { compareNames } from "./_names.ts";
import type { Part } from "./_part.ts";
import { captureListPart, type FailureFilter } from "./_failures.ts";
import { whyUnread } from "../files/mod.ts";
import { openFile } from "./_source.ts";
import type { WorkListStats } from "./types.ts";
import { warcPart } from "./_warc.ts";

/**
 * The parts of a file, or of the files directly in a folder by the numbers in their names.
 *
 * @param column Column of Parquet files, field of JSON lines.
 * @param failed Takes the rows that failed alone; captures and records of an earlier pass have such.
 * @throws {WorkListError} If there is nothing that can be read.
 */
export async function localParts(
  from: string,
  column: string | undefined,
  stats: WorkListStats,
  failed: FailureFilter | undefined,
): Promise<Part[]> {
  let info: Deno.FileInfo;
  let paths: string[] = [];
  try {
    info = await Deno.stat(from);
    if (info.isDirectory) {
      for await (const entry of Deno.readDir(from)) {
        if (
          !entry.isDirectory && !entry.name.startsWith(".") && formatOf(entry.name) !== undefined
        ) {
          paths.push(resolve(from, entry.name));
        }
      }
      paths.sort(compareNames);
      // Of a pass in both formats: WARC files hold answers alone, the captures beside them what failed too.
      if (failed !== undefined && paths.some(saysWhatFailed)) {
        paths = paths.filter((path) => formatOf(path) !== "warc");
      }
    }
  } catch (cause) {
    throw new WorkListError(`Cannot read the work list "${from}": ${whyUnread(cause)}`, { cause });
  }
  if (!info.isDirectory) {
    if (formatOf(from) === undefined) {
      throw new WorkListError(
        `Cannot read the work list "${from}": its name must end in .parquet, .jsonl, .txt, .warc or .warc.gz`,
      );
    }
    paths.push(resolve(from));
  } else if (paths.length === 0) {
    throw new WorkListError(
      `Cannot read the work list "${from}": the folder has no .parquet, .jsonl, .txt, .warc or .warc.gz files`,
    );
  }
  return paths.map((path) => {
    switch (formatOf(path)) {
      case "parquet":
        return captureListPart(path, () => openFile(path, stats), column, failed);
      case "jsonl":
        return linesPart(path, "jsonl", () => fileChunks(path, stats), column, failed);
      case "warc":
        if (failed !== undefined) throw saysNoFailures(path);
        return warcPart(path);
      default:
        if (failed !== undefined) throw saysNoFailures(path);
        return linesPart(path, "text", () => fileChunks(path, stats));
    }
  });
}

function saysWhatFailed(path: string): boolean {
  const format = formatOf(path);
  return format === "parquet" || format === "jsonl";
}

function saysNoFailures(path: string): WorkListError {
  return new WorkListError(
    `Cannot read the failures in "${path}": captures (.parquet) and records (.jsonl) of an earlier ` +
      "pass say what failed, WARC files and plain lists do not",
  );
}

/**
 * Standard input as the one part of a list. Each line is a URL or a JSON object; it can be read once.
 * Reading ends with the reason of `signal` when that is raised, also where nothing comes.
 */
export function stdinParts(
  input: AsyncIterable<Uint8Array>,
  column: string | undefined,
  stats: WorkListStats,
  failed: FailureFilter | undefined,
  signal?: AbortSignal,
): Part[] {
  const chunks = async function* () {
    const chunks = input[Symbol.asyncIterator]();
    let stop: (reason: unknown) => void = () => {};
    const aborted = () => stop(signal?.reason);
    signal?.addEventListener("abort", aborted, { once: true });
    try {
      for (;;) {
        signal?.throwIfAborted();
        // Not a race with one promise of the signal's: that would remember every chunk there was.
        const { done, value } = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
          stop = reject;
          chunks.next().then(resolve, reject);
        });
        if (done) return;
        stats.bytes += value.length;
        yield value;
      }
    } finally {
      signal?.removeEventListener("abort", aborted);
    }
  };
  return [linesPart("-", undefined, chunks, column, failed)];
}

function formatOf(name: string): "parquet" | "warc" | "jsonl" | "text" | undefined {
  const lower = name.toLowerCase();
  if (lower.endsWith(".parquet")) return "parquet";
  if (lower.endsWith(".warc") || lower.endsWith(".warc.gz")) return "warc";
  if (lower.endsWith(".jsonl")) return "jsonl";
  return lower.endsWith(".txt") ? "text" : undefined;
}

async function* fileChunks(path: string, stats: WorkListStats): AsyncGenerator<Uint8Array> {
  try {
    using file = await Deno.open(path);
    for (;;) {
      const buffer = new Uint8Array(256 << 10);
      const count = await file.read(buffer);
      if (count === null) return;
      stats.bytes += count;
      yield buffer.subarray(0, count);
    }
  } catch (cause) {
    throw new WorkListError(`Cannot read the work list "${path}": ${whyUnread(cause)}`, { cause });
  }
}
