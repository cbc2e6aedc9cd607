/**
 * The work of `recrawl status`.
 *
 * @module
 */

import { statSync } from "node:fs";
import { type Checkpoint, countRows, readCheckpoint } from "../../../worklist/mod.ts";
import type { CommandIo } from "../../command.ts";
import { CommandError, ExitCode } from "../../errors.ts";
import {
  type RecrawlLedgerRecord,
  type RecrawlStatusArguments,
  type RecrawlStatusOptions,
  type RecrawlStatusRecord,
  statusFiles,
} from "../recrawl_status.ts";
import { printable, tellWait } from "./_events.ts";

/** Somebody waits for the answer. */
const RETRY_FOR = 30_000;

type Options = RecrawlStatusOptions & RecrawlStatusArguments;

/** A record a checkpoint, then one a machine of the fleet. */
export async function run(options: Options, io: CommandIo): Promise<number> {
  const sources: string[] = [];
  for (const state of statusFiles(options)) {
    const at = readCheckpoint(state);
    if (at === undefined) {
      throw new CommandError(`Cannot read the state ${state}: there is none`, ExitCode.error);
    }
    sources.push(at.source);
    await io.output.write({ ...stateRecord(state, at) });
  }
  if (!options.hub) return ExitCode.done;
  let found = sources.length;
  for await (const record of ledgers(options, sources, io)) {
    found++;
    await io.output.write({ ...record });
  }
  return found === 0 ? ExitCode.nothing : ExitCode.done;
}

function stateRecord(state: string, at: Checkpoint): RecrawlStatusRecord {
  return {
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
}

async function* ledgers(
  { kind, repo }: Options,
  sources: readonly string[],
  io: CommandIo,
): AsyncGenerator<RecrawlLedgerRecord, void, void> {
  const { host, report, signal } = io;
  const { defaultRepo, fleetLedgers, HubAccessError, HubMissingError, listRepo } = await import(
    "../../../publish/mod.ts"
  );
  const token = host.env("HF_TOKEN") ?? "";
  const kinds = (["domains", "urls"] as const).filter((one) =>
    kind !== undefined
      ? kind === one
      : sources.length === 0 || sources.some((source) => source.startsWith(`${listRepo(one)}#`))
  );
  if (repo === undefined && kinds.length === 0) {
    throw new CommandError(
      "Cannot tell which fleet is meant: the states are of no published list",
      ExitCode.usage,
      "give --kind or --repo",
    );
  }
  for (const name of repo === undefined ? kinds.map(defaultRepo) : [repo]) {
    try {
      const rows = await fleetLedgers(name, {
        hub: host.env("HF_ENDPOINT") ?? "",
        token,
        signal,
        retryFor: RETRY_FOR,
        onWait: (ms, reason) => tellWait(ms, reason, io),
        onDamaged: (path, error) =>
          report.warn(`${printable(path)} of ${name} is left out: ${error.message}`),
      });
      for (const { done, firstCommitted, lastCommitted, ...row } of rows) {
        yield {
          repo: name,
          ...row,
          finished: done,
          first_committed: firstCommitted,
          last_committed: lastCommitted,
        };
      }
    } catch (error) {
      // The hub tells nobody without a token whether a repo is missing or private.
      const hidden = error instanceof HubAccessError && token === "";
      if (repo !== undefined || !(hidden || error instanceof HubMissingError)) throw error;
      report.message(`${name} is not there yet${hidden ? ", or is private" : ""}`);
    }
  }
}
