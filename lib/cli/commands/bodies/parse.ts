/**
 * The work of `parse`.
 *
 * @module
 */

import { parse, ParseError } from "../../../parse/mod.ts";
import type { CommandIo } from "../../command.ts";
import { ExitCode, UsageError } from "../../errors.ts";
import type { ParseArguments, ParseCommandOptions } from "../parse.ts";
import { stdinOf } from "./_stdin.ts";

/** Read files, a record a record. */
export async function run(
  options: ParseCommandOptions & ParseArguments,
  io: CommandIo,
): Promise<number> {
  const { output, signal, report } = io;
  const raw = output.format === "raw";
  let found = 0, damaged = 0;
  const records = parse(options.paths, {
    types: options.type,
    statuses: options.status,
    mimes: options.mime,
    languages: options.lang,
    urls: options.url,
    links: options.links,
    text: options.text,
    markdown: options.markdown,
    meta: options.meta,
    payload: raw,
    workers: options.workers,
    stdin: stdinOf(io),
    signal,
    onDamage({ file, offset, reason }) {
      damaged++;
      report.warn(`${file}, byte ${offset}: ${reason}`);
    },
  });
  try {
    for await (const { record, payload } of records) {
      if (signal.aborted) break;
      found++;
      if (payload !== undefined) await output.raw(payload);
      const taken = output.write({ ...record });
      if (!(taken === true || await taken) || signal.aborted) break;
    }
  } catch (cause) {
    if (!(cause instanceof ParseError) || cause.file !== "") throw cause;
    throw new UsageError(`--url: ${cause.message}`, undefined, { cause });
  }
  if (damaged > 0) return ExitCode.error;
  return found > 0 || signal.aborted ? ExitCode.done : ExitCode.nothing;
}
