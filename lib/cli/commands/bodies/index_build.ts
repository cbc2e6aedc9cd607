/**
 * The work of `index build`.
 *
 * @module
 */

import { checkFloor } from "../../../engine/disk.ts";
import { RunError } from "../../../engine/errors.ts";
import { fetchDocuments } from "../../../index/fetched.ts";
import {
  type IndexDocument,
  IndexWriter,
  readDocuments,
  type ReadDocumentsOptions,
} from "../../../index/mod.ts";
import type { CommandIo } from "../../command.ts";
import { ExitCode } from "../../errors.ts";
import { type IndexBuildOptions, splitUrls } from "../index_build.ts";
import { networkOptions } from "./_fetching.ts";
import { stdinOf } from "./_stdin.ts";

/** How often the disk is looked at and the progress told, in ms. */
const FLOOR_EVERY = 1000;
const TELL_EVERY = 30_000;
/** Bad lines that are told of one by one. */
const TOLD = 20;
/** Documents after which everything else of the process gets its turn. */
const TURN = 64;

/** Put documents into an index; one record for all of it. */
export async function run(options: IndexBuildOptions, io: CommandIo): Promise<number> {
  const { report, signal } = io;
  using writer = new IndexWriter(options.dir);
  const figures = { added: 0, replaced: 0, unchanged: 0, skipped: 0, failed: 0 };
  const reading: ReadDocumentsOptions = {
    stdin: stdinOf(io),
    signal,
    onBad({ file, offset, reason }) {
      figures.skipped++;
      if (figures.skipped > TOLD) return;
      report.warn(`${file}${offset > 0 ? `, byte ${offset}` : ""}: ${reason}`);
      if (figures.skipped === TOLD) report.warn("more that holds no document is only counted");
    },
  };
  let taken = 0, looked = 0, told = performance.now();
  const floor = () =>
    checkFloor([options.dir], options.minFree, undefined, "What was read is in the index");
  floor();
  let short: RunError | undefined;
  try {
    for await (const document of documents(options, reading, io, () => figures.failed++)) {
      if (signal.aborted) break;
      figures[writer.add(document)]++;
      taken++;
      if (options.limit > 0 && taken >= options.limit) break;
      const now = performance.now();
      if (now - looked > FLOOR_EVERY) {
        looked = now;
        floor();
      }
      if (now - told > TELL_EVERY) {
        told = now;
        const documents = taken === 1 ? "1 document" : `${taken} documents`;
        report.message(`${documents} read, ${writer.documents} in the index`);
      }
      if (taken % TURN === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    }
  } catch (error) {
    if (!(error instanceof RunError && error.exitCode === ExitCode.temporary)) throw error;
    short = error; // what came before is kept, and told
  }
  if (options.optimize && !signal.aborted && short === undefined) writer.optimize();
  const { documents: count, bytes } = writer.close();
  await io.output.write({ dir: options.dir, ...figures, documents: count, bytes });
  if (short !== undefined) throw short;
  if (taken > 0 || signal.aborted) return ExitCode.done;
  return figures.failed > 0 ? ExitCode.network : ExitCode.nothing;
}

async function* documents(
  options: IndexBuildOptions,
  reading: ReadDocumentsOptions,
  io: CommandIo,
  onFailed: () => void,
): AsyncGenerator<IndexDocument, void, undefined> {
  if (options.input.length > 0) yield* readDocuments(options.input, reading);
  const urls = splitUrls(options.urls);
  if (urls.length === 0 || io.signal.aborted) return;
  yield* fetchDocuments(urls, options.dir, {
    ...networkOptions(options),
    workers: options.workers,
    delayMs: options.delay,
    timeoutMs: options.timeout,
    retries: options.retries,
    robots: options.robots,
    minFree: options.minFree,
    signal: io.signal,
    onFailure(url, error) {
      onFailed();
      io.report.warn(`${url}: ${error}`);
    },
  }, reading);
}
