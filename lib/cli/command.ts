/**
 * What a command is: its description as data, and the function that does its work.
 *
 * @module
 */

import type { RunReport } from "../report/report.ts";
import type { CliHost } from "./host.ts";
import type { GlobalOptions } from "./options/global.ts";
import type { OptionSource } from "./options/resolve.ts";
import type { AnyOptionTable, OptionTable } from "./options/spec.ts";
import type { FieldSpec } from "./output/fields.ts";
import type { RecordWriter } from "./output/writer.ts";

/** What a command's work is given besides its options. */
export interface CommandIo {
  /** Records on stdout. Its `stopped` is part of `signal`. */
  readonly output: RecordWriter;
  /**
   * Aborted when the command should stop cleanly: seal, checkpoint, summary, exit 0. The reason is a
   * `StopRequestedError`, `LimitReachedError` or `PipeClosedError`.
   */
  readonly signal: AbortSignal;
  /** Progress, messages, summary. A command that is not a run uses `message` and `warn` alone. */
  readonly report: RunReport;
  readonly host: CliHost;
  /** The exact command, for WARC's warcinfo: `ccrawl crawl run --seeds seeds.jsonl`. */
  readonly commandLine: string;
  /** Where an option's value came from: `option`, `environment`, …, `default`. */
  readonly sourceOf: (key: string) => string;
  /** What options are asked of, highest first. */
  readonly sources: readonly OptionSource[];
  /** The configuration that was read; undefined where there is none. */
  readonly configPath: string | undefined;
  /** Every command there is. */
  readonly commands: readonly RegisteredCommand[];
}

/**
 * The work of a command. Resolves to the exit code; an error it rejects with is shown, and its
 * `exitCode` or class decides the code.
 */
export type CommandBody<O> = (options: O, io: CommandIo) => Promise<number>;

/** A command's arguments beside the options. */
export interface ArgumentsSpec<A> {
  /** As in the usage line: `URL`, `PATH…`. Empty for none. */
  readonly usage: string;
  readonly help: string;
  readonly min: number;
  readonly max: number;
  /** What a shell completes them with: words, or the names of files. @default neither */
  readonly complete?: readonly string[] | "files";
  /**
   * Turn them into values, which stand beside the options'.
   * @throws {UsageError}
   */
  parse(args: readonly string[]): A;
}

/** A command as data. `O` are its resolved options, global ones included; `A` its arguments' values. */
export interface CommandSpec<O extends GlobalOptions, A extends object> {
  /** One line, for lists. */
  readonly brief: string;
  /** Paragraphs for `--help`. */
  readonly description?: readonly string[];
  readonly args?: ArgumentsSpec<A>;
  /** Its own options, and global ones that it gives a default. */
  readonly options: OptionTable<Omit<O, Exclude<keyof GlobalOptions, Overridden<O>>>>;
  /** Fields its records can have, in their order. */
  readonly fields: readonly FieldSpec[];
  /** Those that the records have with these options, where it depends on them. */
  fieldsFor?(options: O & A): readonly FieldSpec[];
  /** Whether it can write bodies (`-o raw`); `always` for one that has no records, and no formats. */
  readonly raw?: boolean | "always";
  readonly examples: readonly (readonly [command: string, what: string])[];
  /** What options must hold together. @throws {UsageError} */
  check?(options: O & A): void;
}

/** Global options whose type a command narrows: those it gives a default. */
type Overridden<O extends GlobalOptions> = {
  [K in keyof GlobalOptions]: undefined extends GlobalOptions[K]
    ? (undefined extends O[K] ? never : K)
    : never;
}[keyof GlobalOptions];

/** A command in the tree, its types hidden. */
export interface RegisteredCommand {
  /** `["crawl", "run"]`. */
  readonly path: readonly string[];
  readonly spec: AnyCommandSpec;
  /** Loads the work, when the command is run. */
  readonly load: () => Promise<{ readonly run: CommandBody<never> }>;
}

/** A command's description, its types hidden. */
export interface AnyCommandSpec {
  readonly brief: string;
  readonly description?: readonly string[];
  readonly args?: ArgumentsSpec<object>;
  readonly options: AnyOptionTable;
  readonly fields: readonly FieldSpec[];
  fieldsFor?(options: never): readonly FieldSpec[];
  readonly raw?: boolean | "always";
  readonly examples: readonly (readonly [command: string, what: string])[];
  check?(options: never): void;
}

/** Put a command into the tree: `register("crawl run", crawlRun, () => import("./bodies/….ts"))`. */
export function register<O extends GlobalOptions, A extends object>(
  path: string,
  spec: CommandSpec<O, A>,
  load: () => Promise<{ readonly run: CommandBody<O & A> }>,
): RegisteredCommand {
  return {
    path: path.split(" "),
    spec: spec as unknown as AnyCommandSpec,
    load: load as RegisteredCommand["load"],
  };
}
