/**
 * From the words of a command line to the command they name: options before it are moved behind it.
 *
 * @module
 */

import type { RegisteredCommand } from "./command.ts";
import { UsageError } from "./errors.ts";
import { globalOptions } from "./options/global.ts";
import { type AnyOptionTable, optionName } from "./options/spec.ts";
import { didYouMean } from "./suggest.ts";

/** What a command line names. */
export interface CommandLine {
  /** The command; undefined where a group, or nothing, was named. */
  readonly command: RegisteredCommand | undefined;
  /** Words of the command or group. */
  readonly path: readonly string[];
  /** What follows the command, with the options that stood before it. */
  readonly rest: readonly string[];
  /** `--help`, `-h` or `help` stands among them. */
  readonly help: boolean;
}

/** The option that a word like `--max-pages=3` or `-j64` names, and whether its value is in it. */
function globalNamed(word: string): { key: string; hasValue: boolean } | undefined {
  const table = globalOptions as AnyOptionTable;
  if (word.startsWith("--")) {
    const equals = word.indexOf("=");
    const name = word.slice(2, equals < 0 ? undefined : equals);
    const bare = name.startsWith("no-") ? name.slice(3) : undefined;
    for (const [key, spec] of Object.entries(table)) {
      const own = optionName(key);
      if (own === name) return { key, hasValue: equals >= 0 || spec.kind === "flag" };
      if (own === bare && spec.kind === "flag") return { key, hasValue: true };
    }
    return undefined;
  }
  const found = Object.entries(table).find(([, spec]) => spec.short === word[1]);
  if (found === undefined) return undefined;
  const [key, spec] = found;
  return { key, hasValue: spec.kind === "flag" || word.length > 2 };
}

function isHelp(word: string): boolean {
  return word === "--help" || word === "-h";
}

/**
 * Find the command.
 *
 * @throws {UsageError} on an unknown command, and on an option before the command that is not global.
 */
export function parseCommandLine(
  args: readonly string[],
  commands: readonly RegisteredCommand[],
): CommandLine {
  if (args[0] === "help") return parseCommandLine([...args.slice(1), "--help"], commands);
  if (args[0] === "--version" && args.length === 1) return parseCommandLine(["version"], commands);
  const before: string[] = [];
  let path: string[] = [];
  let command: RegisteredCommand | undefined;
  let at = 0;
  for (; at < args.length && command === undefined; at++) {
    const word = args[at]!;
    if (word.startsWith("-") && word !== "-" && word !== "--") {
      if (!isHelp(word)) {
        const option = globalNamed(word);
        if (option === undefined) throw unknownBefore(word, commands);
        if (!option.hasValue && at + 1 < args.length) before.push(word, args[++at]!);
        else before.push(word);
      } else before.push(word);
      continue;
    }
    const next = [...path, word];
    const under = commands.filter(({ path }) => next.every((part, i) => path[i] === part));
    if (under.length === 0) throw unknownCommand(word, path, commands);
    command = under.find(({ path }) => path.length === next.length);
    path = next;
  }
  const rest = [...before, ...args.slice(at)];
  const end = rest.indexOf("--");
  const help = rest.slice(0, end < 0 ? undefined : end).some(isHelp);
  return { command, path, rest, help };
}

function unknownBefore(word: string, commands: readonly RegisteredCommand[]): UsageError {
  const name = word.replace(/^-+/, "").replace(/=.*$/s, "");
  const owners = commands.filter(({ spec }) =>
    Object.keys(spec.options).some((key) => optionName(key) === name.replace(/^no-/, ""))
  );
  if (word.startsWith("--") && owners.length > 0) {
    const example = owners[0]!.path.join(" ");
    return new UsageError(
      `--${name} is an option of a command and stands behind it`,
      `write: ccrawl ${example} --${name} …`,
    );
  }
  const names = Object.keys(globalOptions).map((key) => `--${optionName(key)}`);
  return new UsageError(
    `unknown option ${JSON.stringify(word)}`,
    didYouMean(`--${name}`, names) ?? "see ccrawl --help",
  );
}

function unknownCommand(
  word: string,
  path: readonly string[],
  commands: readonly RegisteredCommand[],
): UsageError {
  const siblings = new Set(
    commands.filter((c) => path.every((part, i) => c.path[i] === part))
      .map((c) => c.path[path.length]!),
  );
  const whole = ["ccrawl", ...path].join(" ");
  // `ccrawl run` → `ccrawl crawl run`.
  const elsewhere = commands.filter((c) => c.path.at(-1) === word).map((c) => c.path.join(" "));
  const hint = didYouMean(word, siblings) ??
    (elsewhere.length > 0 ? `did you mean ${elsewhere.join(" or ")}?` : undefined);
  return new UsageError(
    `unknown command ${JSON.stringify([...path, word].join(" "))}`,
    hint ?? `see ${whole} --help`,
  );
}
