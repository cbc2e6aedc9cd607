/**
 * The work of `markdown refetch`.
 *
 * @module
 */

import type { RecrawlRun } from "../../../engine/recrawl.ts";
import { expandPaths, WARC_FILES } from "../../../parse/mod.ts";
import { refetch, type RefetchEvent } from "../../../refetch/refetch.ts";
import { recrawlKind } from "../../../report/mod.ts";
import { addFigures } from "../../../report/add_figures.ts";
import type { RecrawlFigures } from "../../../report/types.ts";
import { counted, formatBytes } from "../../../report/format.ts";
import type { CommandIo } from "../../command.ts";
import { ExitCode } from "../../errors.ts";
import type { MarkdownRefetchArguments, MarkdownRefetchOptions } from "../markdown_refetch.ts";
import { tell } from "./_events.ts";
import { fetchingOptions } from "./_fetching.ts";
import { writeRecords } from "./_records.ts";

/** Refetch shards, a record a row. */
export async function run(
  options: MarkdownRefetchOptions & MarkdownRefetchArguments,
  io: CommandIo,
): Promise<number> {
  const { report } = io;
  const shards = await expandPaths(options.paths, WARC_FILES);
  warnOfCosts(options, io);
  let running: RecrawlRun | undefined;
  /** Of the shards that this run has left behind it. */
  let before: RecrawlFigures | undefined;
  const figures = (): RecrawlFigures =>
    running === undefined
      ? before!
      : before === undefined
      ? running.figures
      : addFigures(before, running.figures);
  let urls = 0, damaged = 0;
  /** The report goes from the first shard's beginning to the last one's end. */
  let started: Promise<void> | undefined;
  const onStep = (event: RefetchEvent): void => {
    switch (event.type) {
      case "skipped":
        urls += event.entry.urls;
        report.message(`${event.entry.shard} is done already, as the ledger says`);
        break;
      case "begun":
        running = event.run;
        urls += event.entry.urls;
        started ??= report.start(
          { out: options.out, workers: options.workers, writers: options.writers },
          figures,
          recrawlKind,
        );
        started.catch(() => {}); // it is waited for at the end
        report.message(
          `${event.entry.shard}: ${
            counted(event.entry.urls, "URL")
          }, ${event.entry.left_out} left out`,
        );
        break;
      case "left": {
        // One without URLs was never begun.
        if (running !== undefined) before = figures();
        running = undefined;
        const { shard, done, rows, urls: of, fetched, failed, files, bytes } = event.entry;
        report.message(
          `${shard} ${done ? "is done" : "goes on at the next run"}: ${rows} of ${
            counted(of, "URL")
          }, ` +
            `${fetched} fetched, ${failed} failed, ${counted(files, "file")}, ${
              formatBytes(bytes)
            }`,
        );
        break;
      }
      case "damage":
        damaged++;
        report.warn(`${event.damage.file}, byte ${event.damage.offset}: ${event.damage.reason}`);
    }
  };
  const rows = refetch(shards, {
    ...fetchingOptions(options),
    out: options.out,
    all: options.all,
    languages: options.lang,
    dedupDigest: options.dedupDigest,
    extractors: options.extractors,
    writers: options.writers,
    batch: options.batch,
    shardSize: options.shardSize,
    sealAfterMs: options.sealAfter,
    extractor: options.extractor,
    storeBody: options.storeBody,
    command: io.commandLine,
    signal: io.signal,
    onEvent: (event) => tell(event, io),
    onStep,
  });
  await writeRecords(rows, io, async (outcome) => {
    if (started === undefined) return;
    await started;
    report.end(outcome);
  });
  if (damaged > 0) return ExitCode.error;
  return urls > 0 || io.signal.aborted ? ExitCode.done : ExitCode.nothing;
}

/** What is asked of others is said before it is done to them. */
function warnOfCosts({ robots, delay }: MarkdownRefetchOptions, { report }: CommandIo): void {
  if (!robots) {
    report.warn(
      "--no-robots: pages that sites have closed to crawlers are fetched too; their operators may block " +
        "this machine",
    );
  }
  if (delay === 0) {
    report.warn(
      "--delay 0: requests to a host follow each other at once; small sites slow down for everybody, and " +
        "pages are lost to 429 and to blocks",
    );
  }
}
