/**
 * From a command's words to the texts of its options and arguments. Flags are declared to the scanner
 * from the command's table; defaults and meaning are left to the precedence rules.
 *
 * @module
 */

import {
  AliasNotFoundError,
  buildApplication,
  buildCommand,
  type CommandContext,
  FlagNotFoundError,
  InvalidNegatedFlagSyntaxError,
  run,
  text_en,
  UnexpectedPositionalError,
  UnsatisfiedFlagError,
} from "@stricli/core";
import type { ArgumentsSpec } from "./command.ts";
import { UsageError } from "./errors.ts";
import {
  type AnyOptionSpec,
  type AnyOptionTable,
  displayName,
  optionName,
} from "./options/spec.ts";
import { didYouMean } from "./suggest.ts";

/** What was written on the command line. */
export interface Scanned {
  /** Option key → the texts given, in their order. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly args: readonly string[];
}

/**
 * Scan `words`.
 *
 * @throws {UsageError} on an unknown option, a missing value, a surplus argument.
 */
export async function scan(
  words: readonly string[],
  table: AnyOptionTable,
  spec: ArgumentsSpec<object> | undefined,
  where: string,
): Promise<Scanned> {
  const given = new Map<string, readonly string[]>();
  let args: readonly string[] = [];
  const command = buildCommand<Record<string, unknown>, string[], CommandContext>({
    docs: { brief: where },
    parameters: {
      // No prototype: `--constructor` is as unknown as any other.
      flags: Object.assign(Object.create(null), flagsOf(table)),
      aliases: aliasesOf(table),
      positional: {
        kind: "array",
        parameter: { brief: "", parse: String },
        maximum: spec?.max ?? 0,
      },
    },
    func(flags: Record<string, unknown>, ...rest: string[]): void {
      args = rest;
      for (const [key, value] of Object.entries(flags)) {
        if (value !== undefined) {
          given.set(key, (Array.isArray(value) ? value : [value]).map(String));
        }
      }
    },
  });
  const app = buildApplication(command, {
    name: "ccrawl",
    scanner: { caseStyle: "allow-kebab-for-camel", allowArgumentEscapeSequence: true },
    localization: {
      text: {
        ...text_en,
        exceptionWhileParsingArguments: (error) => {
          throw asUsageError(error, table, where);
        },
        exceptionWhileRunningCommand: (error) => {
          throw error;
        },
      },
    },
  }, {});
  const silent = { write: (): void => {} };
  await run(app, expand(words, table, spec), { process: { stdout: silent, stderr: silent } });
  if (args.length < (spec?.min ?? 0)) {
    throw new UsageError(`${spec!.usage} is needed: ${spec!.help}`, `see ${where} --help`);
  }
  return { given, args };
}

function flagsOf(table: AnyOptionTable): Record<string, never> {
  const flags = Object.entries(table).map(([key, spec]) => [
    key,
    spec.kind === "flag"
      ? { kind: "boolean", brief: spec.help, optional: true, withNegated: true }
      : { kind: "parsed", brief: spec.help, optional: true, variadic: true, parse: String },
  ]);
  // The table's types are data, which the scanner's cannot follow.
  return Object.fromEntries(flags) as Record<string, never>;
}

function aliasesOf(table: AnyOptionTable): Record<string, string> {
  const aliases: Record<string, string> = {};
  for (const [key, spec] of Object.entries(table)) {
    if (spec.short !== undefined) aliases[spec.short] = key;
  }
  return aliases;
}

/** Names that the scanner can look up; it takes other words for arguments. */
const OPTION_WORD = /^--([a-z][a-z\d._-]+)(=.+)?$/is;

/**
 * Words in the forms that the scanner takes: `-j64` and `-vj64` split up; of a yes-or-no option given
 * twice the last.
 *
 * @throws {UsageError} on `--x=` with nothing behind it, and on words that begin like options and
 * which the scanner would take for arguments.
 */
function expand(
  words: readonly string[],
  table: AnyOptionTable,
  args: ArgumentsSpec<object> | undefined,
): string[] {
  const shorts = new Map<string, AnyOptionSpec>();
  const flags = new Map<string, string>();
  const takers = new Set<string>();
  for (const [key, spec] of Object.entries(table)) {
    const names = [`--${optionName(key)}`];
    if (spec.kind === "flag") names.push(`--no-${optionName(key)}`);
    if (spec.short !== undefined) {
      names.push(`-${spec.short}`);
      shorts.set(spec.short, spec);
    }
    for (const name of names) spec.kind === "flag" ? flags.set(name, key) : takers.add(name);
  }
  const end = words.indexOf("--");
  const out: string[] = [];
  for (const word of end < 0 ? words : words.slice(0, end)) {
    if (takers.has(out.at(-1) ?? "")) out.push(word);
    else if (word.startsWith("--")) out.push(checkLong(word));
    else if (word.startsWith("-") && word !== "-") out.push(...splitShorts(word, shorts, args));
    else out.push(word);
  }
  const last = new Map<string, number>();
  out.forEach((word, i) => {
    const key = flags.get(word);
    if (key !== undefined) last.set(key, i);
  });
  const kept = out.filter((word, i) => (last.get(flags.get(word) ?? "") ?? i) === i);
  return end < 0 ? kept : [...kept, ...words.slice(end)];
}

function checkLong(word: string): string {
  if (/^--[^=]+=$/s.test(word)) throw new UsageError(`${word.slice(0, -1)} needs a value`);
  const name = OPTION_WORD.exec(word)?.[1];
  // The scanner looks some names up in plain objects, where `constructor` is always found.
  const camel = name?.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  if (camel === undefined || camel in Object.prototype) {
    throw new UsageError(`unknown option ${JSON.stringify(word)}`);
  }
  return word;
}

function splitShorts(
  word: string,
  shorts: ReadonlyMap<string, AnyOptionSpec>,
  args: ArgumentsSpec<object> | undefined,
): string[] {
  const split: string[] = [];
  for (let i = 1; i < word.length; i++) {
    const spec = shorts.get(word[i]!);
    if (spec === undefined) {
      throw new UsageError(
        `unknown option ${JSON.stringify(word)}`,
        args && args.max > 0 ? `if it is meant as an argument, write: -- ${word}` : undefined,
      );
    }
    split.push(`-${word[i]}`);
    if (spec.kind === "flag") continue;
    const value = word.slice(word[i + 1] === "=" ? i + 2 : i + 1);
    if (value !== "") split.push(value);
    break;
  }
  return split;
}

function asUsageError(error: unknown, table: AnyOptionTable, where: string): unknown {
  const hint = `see ${where} --help`;
  if (error instanceof FlagNotFoundError) {
    const names = Object.entries(table).flatMap(([key, spec]) =>
      spec.kind === "flag" && spec.default
        ? [displayName(key, spec), `--${optionName(key)}`]
        : [`--${optionName(key)}`]
    );
    const near = didYouMean(`--${error.input}`, [...names, "--help"]);
    return new UsageError(`unknown option --${error.input}`, near ?? hint);
  }
  if (error instanceof AliasNotFoundError) {
    return new UsageError(`unknown option -${error.input}`, hint);
  }
  if (error instanceof UnsatisfiedFlagError) {
    return new UsageError(`--${error.externalFlagName} needs a value`, hint);
  }
  if (error instanceof InvalidNegatedFlagSyntaxError) {
    return new UsageError(`--${error.externalFlagName} takes no value`, hint);
  }
  if (error instanceof UnexpectedPositionalError) {
    const many = error.expectedCount === 0 ? "takes no argument" : "takes no further argument";
    return new UsageError(`${where} ${many}: ${JSON.stringify(error.input)}`, hint);
  }
  if (error instanceof UsageError || !(error instanceof Error)) return error;
  return new UsageError(error.message, hint, { cause: error });
}
