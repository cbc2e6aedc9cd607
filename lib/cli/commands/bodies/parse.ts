/**
 * The work of `parse`.
 *
 * @module
 */

import { parse, ParseError } from "../../../parse/mod.ts";
import type { CommandIo } from "../../command.ts";
import { ExitCode, UsageError } from "../../errors.ts";
import { didYouMean } from "../../suggest.ts";
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
  if (found === 0 && !signal.aborted) tellUnknownTypes(options.type, io);
  if (damaged > 0) return ExitCode.error;
  return found > 0 || signal.aborted ? ExitCode.done : ExitCode.nothing;
}

/** Types of the standard, and that of captures; archives may have others, so none is refused. */
const TYPES = [
  "warcinfo",
  "response",
  "resource",
  "request",
  "metadata",
  "revisit",
  "conversion",
  "continuation",
  "failure",
];

/** Where nothing was found, a type that is near one of the known was likely meant to be it. */
function tellUnknownTypes(types: readonly string[], { report }: CommandIo): void {
  for (const type of types) {
    if (TYPES.includes(type.toLowerCase())) continue;
    const near = didYouMean(type, TYPES);
    if (near !== undefined) report.message(`no record is of type ${JSON.stringify(type)}; ${near}`);
  }
}
