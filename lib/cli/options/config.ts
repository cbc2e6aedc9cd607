/**
 * The configuration file: TOML, whose table `[default]` always counts and whose other tables are
 * profiles, each a set of options by their names.
 *
 * @module
 */

import { join } from "node:path";
import { whyUnread } from "../../files/mod.ts";
import { UsageError } from "../errors.ts";
import { didYouMean } from "../suggest.ts";
import type { OptionSource, SourceEntry } from "./resolve.ts";
import { type AnyOptionSpec, type AnyOptionTable, optionName } from "./spec.ts";

/** Where a configuration is looked for, and what may stand in it. */
export interface ConfigOptions {
  /** `--config`; undefined takes the user's own file, where there is one. */
  readonly config: string | undefined;
  /** `--profile`. */
  readonly profile: string | undefined;
  readonly env: (name: string) => string | undefined;
  /** Every option of every command. */
  readonly known: readonly AnyOptionTable[];
}

/** A configuration that was read. */
export interface Config {
  /** The file; undefined where there is none. */
  readonly path: string | undefined;
  /** Its profile and its defaults, in the order in which they are asked. */
  readonly sources: readonly OptionSource[];
}

const DEFAULT = "default";
/** Options that say where a configuration is cannot stand in one. */
const OUTSIDE: ReadonlySet<string> = new Set(["config", "profile"]);
/** Larger than any configuration is. */
const MOST_BYTES = 1 << 20;

/**
 * The user's own file: `config.toml` in `CCRAWL_CONFIG_DIR`, `XDG_CONFIG_HOME/ccrawl` or
 * `~/.config/ccrawl`, the first of the three that is set; undefined where none is.
 */
export function configPath(env: (name: string) => string | undefined): string | undefined {
  const set = (name: string) => env(name) || undefined;
  const home = set("HOME") ?? set("USERPROFILE");
  const xdg = set("XDG_CONFIG_HOME") ?? (home === undefined ? undefined : join(home, ".config"));
  const dir = set("CCRAWL_CONFIG_DIR") ?? (xdg === undefined ? undefined : join(xdg, "ccrawl"));
  return dir === undefined ? undefined : join(dir, "config.toml");
}

/**
 * Reads the configuration. Its library is loaded only where there is a file.
 *
 * @throws {UsageError} when a file that was named is not there, when one cannot be read, is no TOML or
 * holds what is no option, with the file and the line; and on a profile that it does not have.
 */
export async function readConfig(options: ConfigOptions): Promise<Config> {
  const path = options.config ?? configPath(options.env);
  const text = path === undefined ? undefined : readText(path, options.config !== undefined);
  if (path === undefined || text === undefined) {
    if (options.profile === undefined || options.profile === DEFAULT) {
      return { path: undefined, sources: [] };
    }
    throw new UsageError(
      `--profile=${options.profile}: there is no configuration`,
      path === undefined ? "name a file with --config" : `write one: ${path}`,
    );
  }
  const tables = checked(await parse(path, text), path, text, options.known);
  const names = [...tables.keys()].filter((name) => name !== DEFAULT);
  const { profile } = options;
  if (profile !== undefined && profile !== DEFAULT && !tables.has(profile)) {
    const has = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
    throw new UsageError(
      `--profile=${profile}: ${path} has no table [${profile}]`,
      didYouMean(profile, names) ?? has,
    );
  }
  const sources: OptionSource[] = [];
  for (const [name, source] of [[profile, `profile ${profile}`], [DEFAULT, "config"]] as const) {
    const table = name === undefined ? undefined : tables.get(name);
    if (table === undefined || (source !== "config" && name === DEFAULT)) continue;
    sources.push({ name: source, lookup: (key) => table.get(optionName(key)) });
  }
  return { path, sources };
}

/** The text of a file, a pipe or a device: its size is known when it has been read. */
function boundedText(path: string): string {
  using file = Deno.openSync(path);
  const bytes = new Uint8Array(MOST_BYTES + 1);
  let size = 0;
  for (let n; size < bytes.length && (n = file.readSync(bytes.subarray(size))) !== null;) size += n;
  if (size > MOST_BYTES) throw new RangeError("it is larger than 1 MB");
  return new TextDecoder().decode(bytes.subarray(0, size));
}

function readText(path: string, named: boolean): string | undefined {
  try {
    return boundedText(path);
  } catch (cause) {
    const absent = cause instanceof Deno.errors.NotFound ||
      cause instanceof Deno.errors.NotADirectory;
    if (absent && !named) return undefined;
    const why = whyUnread(cause);
    throw new UsageError(`Cannot read the configuration ${path}: ${why}`, undefined, { cause });
  }
}

async function parse(path: string, text: string): Promise<Record<string, unknown>> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    // Its message goes on with the lines around, which may hold what is nobody's business.
    const [what = ""] = cause.message.split("\n");
    throw new UsageError(
      `${path}:${cause.line}: ${what.replace(/^Invalid TOML document: /, "")}`,
      `column ${cause.column}; the file is TOML, see docs/configuration.md`,
      { cause },
    );
  }
}

/** The tables, each value as text of its option. */
function checked(
  document: Record<string, unknown>,
  path: string,
  text: string,
  known: readonly AnyOptionTable[],
): Map<string, ReadonlyMap<string, SourceEntry>> {
  const specs = new Map<string, AnyOptionSpec>();
  for (const table of known) {
    for (const [key, spec] of Object.entries(table)) specs.set(optionName(key), spec);
  }
  const tables = new Map<string, ReadonlyMap<string, SourceEntry>>();
  for (const [name, table] of Object.entries(document)) {
    if (!isTable(table)) {
      const where = place(path, text, undefined, name);
      throw new UsageError(`${where}: ${name} stands in no table`, "put it below [default]");
    }
    const entries = new Map<string, SourceEntry>();
    for (const [option, value] of Object.entries(table)) {
      const where = place(path, text, name, option);
      const spec = specs.get(option);
      if (spec === undefined || OUTSIDE.has(option)) throw notAnOption(where, option, specs);
      const texts = textsOf(where, option, spec, value);
      entries.set(option, { texts, where, label: (text) => `${where}: ${option} = ${text}` });
    }
    tables.set(name, entries);
  }
  return tables;
}

function notAnOption(
  where: string,
  option: string,
  specs: ReadonlyMap<string, AnyOptionSpec>,
): UsageError {
  if (OUTSIDE.has(option)) {
    return new UsageError(`${where}: ${option} cannot be set in a configuration`);
  }
  const positive = option.startsWith("no-") ? option.slice(3) : "";
  const hint = specs.get(positive)?.kind === "flag"
    ? `write ${positive} = false`
    : didYouMean(option.replaceAll("_", "-"), specs.keys()) ?? "keys are the names of options";
  return new UsageError(`${where}: there is no option ${JSON.stringify(option)}`, hint);
}

function textsOf(where: string, option: string, spec: AnyOptionSpec, value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value];
  if (Array.isArray(value) && spec.kind !== "list") {
    throw new UsageError(`${where}: ${option} takes one value, not a list`);
  }
  return values.map((one: unknown) => {
    if (typeof one === "string") return one;
    if (["number", "bigint", "boolean"].includes(typeof one)) return String(one);
    throw new UsageError(`${where}: ${option} takes text, a number, true or false`);
  });
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof Date);
}

/** `config.toml:12`: where a key is set, by the look of the lines; the file alone where that fails. */
function place(path: string, text: string, table: string | undefined, key: string): string {
  let current: string | undefined;
  for (const [i, line] of text.split("\n").entries()) {
    const header = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line)?.[1];
    if (header !== undefined) current = unquoted(header);
    const name = header === undefined ? /^\s*([^=#]+?)\s*=/.exec(line)?.[1] : undefined;
    if (name === undefined) continue;
    const whole = current === undefined ? unquoted(name) : `${current}.${unquoted(name)}`;
    if (whole === (table === undefined ? key : `${table}.${key}`)) return `${path}:${i + 1}`;
  }
  return path;
}

function unquoted(name: string): string {
  return name.replaceAll(/["'\s]/g, "");
}
