/**
 * Runs one command: options by precedence, output, report and signals around its work.
 *
 * @module
 */

import { RunReport } from "../report/report.ts";
import { scan } from "./_scanner.ts";
import type { CommandBody, CommandIo, RegisteredCommand } from "./command.ts";
import {
  ExitCode,
  LimitReachedError,
  PipeClosedError,
  StopRequestedError,
  UsageError,
} from "./errors.ts";
import type { ByteSink, CliHost } from "./host.ts";
import { type GlobalOptions, globalOptions } from "./options/global.ts";
import { readConfig } from "./options/config.ts";
import {
  commandLineSource,
  environmentSource,
  type OptionSource,
  type Resolved,
  resolveOptions,
} from "./options/resolve.ts";
import type { AnyOptionTable, OptionTable } from "./options/spec.ts";
import { openOutput } from "./output/mod.ts";
import { shellQuote } from "./quote.ts";
import { runWithSignals } from "./signals.ts";

/** How long a stop waits for a reader of stdout who does not read, and how often it looks. */
const UNREAD_MS = 5000;
const LOOK_MS = 500;

/**
 * Run `command` with the words behind its name.
 *
 * @param commands Every command there is: a configuration may set options of any.
 * @returns the exit code
 * @throws {UsageError} before anything is read or written; and whatever the work throws.
 */
export async function execute(
  command: RegisteredCommand,
  words: readonly string[],
  host: CliHost,
  commands: readonly RegisteredCommand[],
): Promise<number> {
  const { spec, path } = command;
  const name = path.join(" ");
  const table: AnyOptionTable = { ...globalOptions as AnyOptionTable, ...spec.options };
  const { given, args } = await scan(words, table, spec.args, `ccrawl ${name}`);
  const outer = [commandLineSource(given), environmentSource(host.env)];
  const { config, profile } = globalOptions;
  const place: OptionTable<Pick<GlobalOptions, "config" | "profile">> = { config, profile };
  const configuration = await readConfig({
    ...resolveOptions(place, outer).values,
    env: host.env,
    known: [globalOptions as AnyOptionTable, ...commands.map(({ spec }) => spec.options)],
  });
  const optionSources = [...outer, ...configuration.sources];
  const { values, sources } = resolveOptions(table as OptionTable<GlobalOptions>, optionSources);
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
  const output = await openOutput({
    format: spec.raw === "always" ? "raw" : options.output,
    fields: spec.raw === "always" ? [] : options.fields,
    template: spec.raw === "always" ? undefined : templateOf(options, sources, optionSources),
    header: options.header,
    limit: options.limit,
    color: wantsColor(options.color, host),
    known: spec.fieldsFor?.(options as never) ?? spec.fields,
    raw: spec.raw !== undefined && spec.raw !== false,
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
      sources: optionSources,
      configPath: configuration.path,
      commands,
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
        if (!output.abandon(UNREAD_MS)) return;
        report.warn("stdout is not read: the records left are not shown");
      }, LOOK_MS);
    });
  } finally {
    clearInterval(patience);
  }
}

/**
 * The template to write by: of it and `-o`, what was said nearer to the command counts.
 *
 * @throws {UsageError} where both were said in the same place.
 */
function templateOf(
  { template, output }: GlobalOptions,
  from: Resolved<GlobalOptions>["sources"],
  order: readonly OptionSource[],
): string | undefined {
  if (template === undefined) return undefined;
  const rank = (key: "template" | "output") => {
    const at = order.findIndex(({ name }) => name === from[key].source);
    return at < 0 ? Infinity : at;
  };
  if (rank("template") < rank("output")) return template;
  if (rank("template") > rank("output")) return undefined;
  throw new UsageError(`--template is a format of its own, and -o ${output} another`, "give one");
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
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word);
}
