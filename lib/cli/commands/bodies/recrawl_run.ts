/**
 * The work of `recrawl run`.
 *
 * @module
 */

import { recrawl } from "../../../engine/recrawl.ts";
import { recrawlKind } from "../../../report/mod.ts";
import type { CommandIo } from "../../command.ts";
import { ExitCode } from "../../errors.ts";
import type { RecrawlRunOptions } from "../recrawl_run.ts";
import { tell } from "./_events.ts";
import { fetchingOptions } from "./_fetching.ts";
import { profiled } from "./_profile.ts";
import { writeRecords } from "./_records.ts";

/** A pass over a work list, a record a row. */
export function run(options: RecrawlRunOptions, io: CommandIo): Promise<number> {
  const { profileDir, profileName } = options;
  if (profileDir === undefined || profileName === undefined) return pass(options, io);
  const warn = (text: string) => io.report.warn(text);
  return profiled(profileDir, profileName, () => pass(options, io), warn);
}

async function pass(options: RecrawlRunOptions, io: CommandIo): Promise<number> {
  const { report } = io;
  const running = recrawl({
    ...fetchingOptions(options),
    from: options.from,
    ...(options.column === undefined ? {} : { column: options.column }),
    failed: options.failed,
    ...(options.dir === undefined ? {} : { release: options.dir }),
    out: options.out,
    ...(options.state === undefined ? {} : { state: options.state }),
    shard: options.shard,
    shards: options.shards,
    acceptSuffixList: options.acceptSuffixList,
    extractors: options.extractors,
    writers: options.writers,
    batch: options.batch,
    shardSize: options.shardSize,
    sealAfterMs: options.sealAfter,
    prefix: options.prefix,
    format: options.format,
    extractor: options.extract ? options.extractor : "none",
    storeBody: options.storeBody,
    ...(options.validators === undefined ? {} : { validators: options.validators }),
    warcSize: options.warcSize,
    warcHttp: options.warcHttp,
    cdx: options.cdx,
    dedup: options.dedup,
    command: io.commandLine,
    ...(options.from === "-" ? { stdin: io.host.stdin() } : {}),
    signal: io.signal,
    onEvent: (event) => tell(event, io),
  });
  await report.start(
    {
      from: options.from,
      out: options.out,
      state: options.state ?? "",
      shard: options.shard,
      shards: options.shards,
      workers: options.workers,
      writers: options.writers,
      extractors: options.extractors,
    },
    () => running.figures,
    recrawlKind,
  );
  await writeRecords(running, io, (outcome) => report.end(outcome));
  return ExitCode.done;
}
