/**
 * Precedence: where each option's value comes from.
 *
 * Sources are asked in order and the first that has the option wins; below them stands the built-in
 * value. Each value remembers its source, so that a bad one can be named and a configuration shown.
 *
 * @module
 */

import { UsageError } from "../errors.ts";
import {
  type AnyOptionSpec,
  type AnyOptionTable,
  defaultText,
  displayName,
  optionName,
  type OptionTable,
  type Values,
  variableName,
} from "./spec.ts";
import { yesNo } from "./types.ts";

/** Texts that one source has for one option. */
export interface SourceEntry {
  readonly texts: readonly string[];
  /** How to name it in a message, with the text: `CCRAWL_WORKERS=abc`, `--delay=x`. */
  readonly label: (text: string) => string;
  /** Where it is set: `--workers`, `CCRAWL_WORKERS`, `config.toml:12`. */
  readonly where: string;
  /** The texts are the option's opposite: `CCRAWL_NO_ROBOTS=1`. */
  readonly negated?: boolean;
}

/** One place values come from: the command line, the environment, a profile, a file. */
export interface OptionSource {
  /** What `config show` prints: `option`, `environment`, … */
  readonly name: string;
  lookup(key: string, spec: AnyOptionSpec): SourceEntry | undefined;
}

/** Where a resolved value came from. */
export interface Provenance {
  /** The source's name; `default` for the built-in value. */
  readonly source: string;
  /** The value as text, as that source has it. */
  readonly text: string;
  /** Where that source sets it; empty for the built-in value. */
  readonly where: string;
}

/** A table's values, each with its source. */
export interface Resolved<O extends Values> {
  readonly values: O;
  readonly sources: Readonly<Record<keyof O & string, Provenance>>;
}

/** Values given as options, by key, in the order given. */
export function commandLineSource(given: ReadonlyMap<string, readonly string[]>): OptionSource {
  return {
    name: "option",
    lookup(key, spec) {
      const texts = given.get(key);
      if (texts === undefined) return undefined;
      const name = spec.kind === "flag" ? optionName(key) : displayName(key, spec).slice(2);
      return { texts, label: (text) => `--${name}=${text}`, where: `--${name}` };
    },
  };
}

/** `CCRAWL_<OPTION>`; an empty variable is one that is not set. */
export function environmentSource(env: (name: string) => string | undefined): OptionSource {
  return {
    name: "environment",
    lookup(key, spec) {
      const name = variableName(key);
      const set = env(name);
      const plain = set === undefined || set === "" ? undefined : set;
      if (spec.kind === "flag") {
        const opposite = variableName(key, true);
        const text = env(opposite);
        if (text !== undefined && text !== "") {
          if (plain !== undefined) {
            throw new UsageError(`${name} and ${opposite} are both set: unset one of them`);
          }
          return {
            texts: [text],
            negated: true,
            label: (t) => `${opposite}=${t}`,
            where: opposite,
          };
        }
      }
      return plain === undefined
        ? undefined
        : { texts: [plain], label: (t) => `${name}=${t}`, where: name };
    },
  };
}

/**
 * Resolve every option of `table` from `sources`, highest first.
 *
 * @throws {UsageError} on a bad value, naming its source, and on a required option that nothing sets.
 */
export function resolveOptions<O extends Values>(
  table: OptionTable<O>,
  sources: readonly OptionSource[],
): Resolved<O> {
  const values: Record<string, unknown> = {};
  const from: Record<string, Provenance> = {};
  const late: [string, AnyOptionSpec][] = [];
  for (const [key, spec] of Object.entries(table as AnyOptionTable)) {
    const found = firstOf(sources, key, spec);
    if (found !== undefined) {
      values[key] = parse(spec, found.entry);
      const { texts, where } = found.entry;
      from[key] = { source: found.source, text: texts.join(","), where };
      continue;
    }
    if (spec.kind === "value" && spec.required) {
      throw new UsageError(
        `--${optionName(key)} is needed`,
        `give --${optionName(key)} ${spec.type.placeholder}, or set ${variableName(key)}`,
      );
    }
    if (spec.kind === "value" && spec.computed !== undefined) late.push([key, spec]);
    values[key] = spec.default;
    from[key] = { source: "default", text: defaultText(spec) ?? "", where: "" };
  }
  for (const [key, spec] of late) {
    if (spec.kind !== "value" || spec.computed === undefined) continue;
    const value = spec.computed(values);
    values[key] = value;
    const text = value === undefined ? spec.defaultText ?? "" : spec.type.format(value);
    from[key] = { source: "default", text, where: "" };
  }
  return { values: values as O, sources: from as Resolved<O>["sources"] };
}

function firstOf(
  sources: readonly OptionSource[],
  key: string,
  spec: AnyOptionSpec,
): { source: string; entry: SourceEntry } | undefined {
  for (const source of sources) {
    const entry = source.lookup(key, spec);
    if (entry !== undefined) return { source: source.name, entry };
  }
  return undefined;
}

function parse(spec: AnyOptionSpec, entry: SourceEntry): unknown {
  const read = <T>(type: { parse(text: string): T }, text: string): T => {
    try {
      return type.parse(text);
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      throw new UsageError(`${entry.label(text)}: ${cause.message}`, undefined, { cause });
    }
  };
  switch (spec.kind) {
    case "flag":
      return read(yesNo, entry.texts.at(-1)!) !== (entry.negated === true);
    case "value":
      return read(spec.type, entry.texts.at(-1)!);
    case "list": {
      const parts = entry.texts.flatMap((text) => text.split(spec.commas ? "," : "\n"));
      const kept = parts.map((part) => part.trim()).filter((part) => part !== "");
      return kept.map((part) => read(spec.type, part));
    }
  }
}
