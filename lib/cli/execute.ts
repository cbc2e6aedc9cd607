/**
 * Runs one command: options by precedence, output, report and signals around its work.
 *
 * @module
 */

import { RunReport } from "../report/report.ts";
import { scan } from "./_scanner.ts";
import type { CommandBody, CommandIo, RegisteredCommand } from "./command.ts";
import { ExitCode, LimitReachedError, PipeClosedError, StopRequestedError } from "./errors.ts";
import type { ByteSink, CliHost } from "./host.ts";
import { type GlobalOptions, globalOptions } from "./options/global.ts";
import { commandLineSource, environmentSource, resolveOptions } from "./options/resolve.ts";
import type { AnyOptionTable, OptionTable } from "./options/spec.ts";
import { openOutput } from "./output/mod.ts";
import { runWithSignals } from "./signals.ts";

/** How long a stop waits for a reader of stdout who does not read. */
const UNREAD_MS = 5000;

/**
 * Run `command` with the words behind its name.
 *
 * @returns the exit code
 * @throws {UsageError} before anything is read or written; and whatever the work throws.
 */
export async function execute(
  command: RegisteredCommand,
  words: readonly string[],
  host: CliHost,
): Promise<number> {
  const { spec, path } = command;
  const name = path.join(" ");
  const table: AnyOptionTable = { ...globalOptions as AnyOptionTable, ...spec.options };
  const { given, args } = await scan(words, table, spec.args, `ccrawl ${name}`);
  const { values, sources } = resolveOptions(table as OptionTable<GlobalOptions>, [
    commandLineSource(given),
    environmentSource(host.env),
  ]);
  const options = { ...values, ...spec.args?.parse(args) };
  spec.check?.(options as never);
  const report = new RunReport({
    command: name,
    progress: options.progress,
    quiet: options.quiet,
    sink: host.stderr,
    journal: options.journal,
    metrics: options.metricsAddr,
  });
  const output = openOutput({
    format: options.output,
    fields: options.fields,
    header: options.header,
    limit: options.limit,
    color: wantsColor(options.color, host),
    known: spec.fieldsFor?.(options as never) ?? spec.fields,
    raw: spec.raw ?? false,
    stdout: besideLiveLine(host, report),
  });
  const { run } = await command.load() as { run: CommandBody<unknown> };
  const work = async (signal: AbortSignal): Promise<number> => {
    const io: CommandIo = {
      output,
      signal: AbortSignal.any([signal, output.stopped]),
      report,
      host,
      commandLine: ["ccrawl", ...path, ...words].map(quote).join(" "),
      sourceOf: (key) => (sources as Record<string, { source: string }>)[key]?.source ?? "default",
    };
    try {
      const code = await run(options, io);
      await output.close();
      return code;
    } catch (error) {
      // Records written so far are the reader's. That stdout fails too adds nothing to what went wrong.
      await output.close().catch(() => {});
      // A stop that was asked for is no failure, whether the work ends by returning or by throwing.
      if (isStop(error) && io.signal.aborted) return ExitCode.done;
      throw error;
    } finally {
      await report.close();
    }
  };
  let patience: ReturnType<typeof setInterval> | undefined;
  try {
    return await runWithSignals(host, work, (received) => {
      report.warn(`${received}: stopping cleanly; a second one ends it at once`);
      patience = setInterval(() => {
        if (output.abandon()) report.warn("stdout is not read: the records left are not shown");
      }, UNREAD_MS);
    });
  } finally {
    clearInterval(patience);
  }
}

/** Stdout that makes room on a terminal which the live line is shown on too. */
function besideLiveLine(host: CliHost, report: RunReport): ByteSink {
  const { stdout, stderr } = host;
  if (!stdout.terminal || !stderr.terminal) return stdout;
  return {
    terminal: true,
    columns: () => stdout.columns(),
    async write(bytes) {
      report.holdLine();
      await stdout.write(bytes);
      // The line returns only below a finished line: redrawing erases the one it is on.
      if (bytes.at(-1) === 10) report.releaseLine();
    },
  };
}

function isStop(error: unknown): boolean {
  return error instanceof StopRequestedError || error instanceof LimitReachedError ||
    error instanceof PipeClosedError ||
    // What a request or a wait that was given the signal says of its end.
    (error instanceof Error && error.name === "AbortError");
}

function wantsColor(color: GlobalOptions["color"], host: CliHost): boolean {
  if (color !== "auto") return color === "always";
  return host.stdout.terminal && (host.env("NO_COLOR") ?? "") === "";
}

/** A word as a shell would need it, where it needs anything. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
