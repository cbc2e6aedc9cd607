/**
 * The work of `recrawl status`.
 *
 * @module
 */

import { statSync } from "node:fs";
import { countRows, readCheckpoint } from "../../../worklist/mod.ts";
import type { CommandIo } from "../../command.ts";
import { CommandError, ExitCode } from "../../errors.ts";
import {
  type RecrawlStatusArguments,
  type RecrawlStatusOptions,
  type RecrawlStatusRecord,
  statusFiles,
} from "../recrawl_status.ts";

/** A record a checkpoint. */
export async function run(
  options: RecrawlStatusOptions & RecrawlStatusArguments,
  io: CommandIo,
): Promise<number> {
  for (const state of statusFiles(options)) {
    const at = readCheckpoint(state);
    if (at === undefined) {
      throw new CommandError(`Cannot read the state ${state}: there is none`, ExitCode.error);
    }
    const record: RecrawlStatusRecord = {
      state,
      source: at.source,
      release: at.release,
      shard: at.shard,
      shards: at.shards,
      part: at.part,
      row: at.row,
      done: at.rows,
      fetched: at.fetched,
      pending_rows: countRows(at.pending),
      sealed_parts: at.sealed.length,
      age_s: Math.max(0, Math.round((Date.now() - statSync(state).mtimeMs) / 1000)),
    };
    await io.output.write({ ...record });
  }
  return ExitCode.done;
}
