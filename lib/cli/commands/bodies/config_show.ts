/**
 * The work of `config show`.
 *
 * @module
 */

import type { CommandIo, RegisteredCommand } from "../../command.ts";
import { ExitCode, UsageError } from "../../errors.ts";
import { globalOptions } from "../../options/global.ts";
import { resolveOptions } from "../../options/resolve.ts";
import {
  type AnyOptionSpec,
  type AnyOptionTable,
  optionName,
  type OptionTable,
} from "../../options/spec.ts";
import type { ConfigShowArguments } from "../config_show.ts";

/** Variables that are no options: their default, or that they are a secret. */
const VARIABLES: readonly (readonly [name: string, byDefault: string | undefined])[] = [
  ["HF_ENDPOINT", "https://huggingface.co"],
  ["HF_TOKEN", undefined],
];

/** A record an option. */
export async function run(options: ConfigShowArguments, io: CommandIo): Promise<number> {
  const table = options.command.length === 0
    ? everythingSet(io)
    : { ...globalOptions as AnyOptionTable, ...commandNamed(options.command, io.commands) };
  const { values, sources } = resolveOptions(
    table as OptionTable<Record<string, unknown>>,
    io.sources,
  );
  for (const [key, spec] of Object.entries(table)) {
    const { source, text, where } = sources[key]!;
    const open = spec.kind === "value" && spec.computed !== undefined && values[key] === undefined;
    const value = withoutPassword(open ? text : valueText(spec, values[key]));
    await io.output.write({ key: optionName(key), value, source, where });
  }
  for (const [key, byDefault] of VARIABLES) {
    const set = io.host.env(key) ?? "";
    const shown = byDefault === undefined ? "set, not shown" : withoutPassword(set);
    await io.output.write(
      set === ""
        ? { key, value: byDefault ?? "", source: "default", where: "" }
        : { key, value: shown, source: "environment", where: key },
    );
  }
  if (io.configPath !== undefined) io.report.message(`read ${io.configPath}`);
  return ExitCode.done;
}

/** The global options, and those of any command that something sets. */
function everythingSet(io: CommandIo): AnyOptionTable {
  const table: Record<string, AnyOptionSpec> = { ...globalOptions as AnyOptionTable };
  for (const { spec } of io.commands) {
    for (const [key, option] of Object.entries(optional(spec.options))) {
      if (key in table) continue;
      if (io.sources.some((source) => source.lookup(key, option) !== undefined)) {
        table[key] = option;
      }
    }
  }
  return table;
}

/** @throws {UsageError} */
function commandNamed(
  words: readonly string[],
  commands: readonly RegisteredCommand[],
): AnyOptionTable {
  const name = words.join(" ");
  const found = commands.find(({ path }) => path.join(" ") === name);
  if (found !== undefined) return optional(found.spec.options);
  throw new UsageError(
    `config show: there is no command ${JSON.stringify(name)}`,
    `commands: ${commands.map(({ path }) => path.join(" ")).join(", ")}`,
  );
}

/** The table, none of which has to be given: here nothing is run. */
function optional(table: AnyOptionTable): AnyOptionTable {
  return Object.fromEntries(
    Object.entries(table).map(([key, spec]): [string, AnyOptionSpec] => {
      if (spec.kind !== "value") return [key, spec];
      const { computed } = spec;
      const free = { ...spec, required: false };
      return [key, computed ? { ...free, computed: knownOnly(computed, table) } : free];
    }),
  );
}

/** A default that follows from an option that must be given and is not can be told in words alone. */
function knownOnly(compute: Compute, table: AnyOptionTable): Compute {
  return (values) => {
    let known = true;
    const seen = new Proxy(values, {
      get(target, key: string): unknown {
        const spec = table[key];
        if (spec?.kind === "value" && spec.required && target[key] === undefined) known = false;
        return target[key];
      },
    });
    const value = compute(seen);
    return known ? value : undefined;
  };
}

type Compute = (values: Readonly<Record<string, unknown>>) => unknown;

function valueText(spec: AnyOptionSpec, value: unknown): string {
  if (value === undefined) return "";
  if (spec.kind === "flag") return String(value);
  if (spec.kind === "list") return (value as readonly unknown[]).map(spec.type.format).join(",");
  return spec.type.format(value);
}

/** A URL's user and password are left out. */
function withoutPassword(text: string): string {
  return text.replace(/:\/\/[^/@\s]*@/g, "://***@");
}
