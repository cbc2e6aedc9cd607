/**
 * The command line as completion scripts need it: at each place the words that may follow.
 *
 * @module
 */

import type { RegisteredCommand } from "../command.ts";
import { globalOptions } from "../options/global.ts";
import {
  type AnyOptionSpec,
  type AnyOptionTable,
  displayName,
  optionName,
} from "../options/spec.ts";

/** What a value can be: one of these words, a path, or anything. */
export type CompletionValue = readonly string[] | "files" | "text";

/** One option at one place. */
export interface CompletionOption {
  /** `output`, without dashes; `no-robots` for what is on by default. */
  readonly name: string;
  readonly short: string | undefined;
  readonly help: string;
  /** Undefined for a flag. */
  readonly value: CompletionValue | undefined;
  /** As in help: `FILE`. */
  readonly placeholder: string;
  readonly repeatable: boolean;
  /** Whether one value may hold several, separated by commas. */
  readonly commas: boolean;
}

/** A place in the tree: the root, a group, or a command. */
export interface CompletionNode {
  /** Words that lead here; none for the root. */
  readonly path: readonly string[];
  /** Words that may follow, each with what it is. */
  readonly children: readonly (readonly [name: string, help: string])[];
  readonly options: readonly CompletionOption[];
  /** What arguments may be; undefined where there are none. */
  readonly args: CompletionValue | undefined;
}

/** Every place, the root first. */
export function describeTree(
  commands: readonly RegisteredCommand[],
  groups: Readonly<Record<string, string>>,
): CompletionNode[] {
  const inner = new Map<string, Map<string, string>>([["", new Map()]]);
  for (const { path, spec } of commands) {
    for (let depth = 0; depth < path.length; depth++) {
      const at = path.slice(0, depth).join(" ");
      const whole = path.slice(0, depth + 1).join(" ");
      if (!inner.has(at)) inner.set(at, new Map());
      inner.get(at)!.set(
        path[depth]!,
        depth + 1 === path.length ? spec.brief : groups[whole] ?? "",
      );
    }
  }
  const nodes: CompletionNode[] = [...inner].map(([at, children]) => ({
    path: at === "" ? [] : at.split(" "),
    children: [...children],
    options: [...optionsOf(globalOptions as AnyOptionTable), HELP],
    args: undefined,
  }));
  for (const { path, spec } of commands) {
    const { output, fields } = globalOptions;
    const here: AnyOptionTable = { ...globalOptions as AnyOptionTable, ...spec.options };
    const words = new Map<AnyOptionSpec, readonly string[]>([
      [fields, spec.fields.map(({ name }) => name)],
      [
        output,
        output.type.values!.filter((name) => name !== "raw" || (spec.raw ?? false) !== false),
      ],
    ]);
    nodes.push({
      path,
      children: [],
      options: [...optionsOf(here, words), HELP],
      args: spec.args === undefined ? undefined : spec.args.complete ?? "text",
    });
  }
  return nodes;
}

const HELP: CompletionOption = {
  name: "help",
  short: "h",
  help: "Show help",
  value: undefined,
  placeholder: "",
  repeatable: false,
  commas: false,
};

function optionsOf(
  table: AnyOptionTable,
  words: ReadonlyMap<AnyOptionSpec, readonly string[]> = new Map(),
): CompletionOption[] {
  return Object.entries(table).map(([key, spec]) => {
    const shared = { short: spec.short, help: spec.help };
    if (spec.kind === "flag") return { ...HELP, ...shared, name: displayName(key, spec).slice(2) };
    const { placeholder, values } = spec.type;
    const isPath = /^(?:FILE|DIR|PATH|LIST)\b/.test(placeholder);
    return {
      ...shared,
      name: optionName(key),
      value: words.get(spec) ?? values ?? (isPath ? "files" : "text"),
      placeholder,
      repeatable: spec.kind === "list",
      commas: spec.kind === "list" && spec.commas,
    };
  });
}
