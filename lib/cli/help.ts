/**
 * Help, from the commands' tables.
 *
 * @module
 */

import type { RegisteredCommand } from "./command.ts";
import { globalOptions } from "./options/global.ts";
import { type AnyOptionTable, defaultText, displayName, optionName } from "./options/spec.ts";

const WIDTH = 100;
const INDENT = "  ";

/** Words of `text` in lines no longer than `width`. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines;
}

/** Two columns: names, and what they are, wrapped. */
function columns(rows: readonly (readonly [string, string])[], widest: number): string[] {
  const width = Math.min(widest, Math.max(0, ...rows.map(([name]) => name.length)));
  return rows.flatMap(([name, what]) => {
    const lines = wrap(what, WIDTH - width - 2 * INDENT.length);
    const first = name.length > width
      ? [`${INDENT}${name}`, `${INDENT}${" ".repeat(width)}${INDENT}${lines[0]}`]
      : [`${INDENT}${name.padEnd(width)}${INDENT}${lines[0]}`];
    return [
      ...first,
      ...lines.slice(1).map((line) => `${INDENT}${" ".repeat(width)}${INDENT}${line}`),
    ];
  });
}

function paragraphs(texts: readonly string[]): string[] {
  return texts.flatMap((text) => ["", ...wrap(text, WIDTH)]);
}

/** Help of everything, or of the group `path`. */
export function groupHelp(
  path: readonly string[],
  commands: readonly RegisteredCommand[],
  groups: Readonly<Record<string, string>>,
): string {
  const under = commands.filter((c) => path.every((part, i) => c.path[i] === part));
  const whole = ["ccrawl", ...path].join(" ");
  const brief = path.length === 0
    ? "A web crawler: fetch pages politely, archive them, crawl them again."
    : `${groups[path.join(" ")] ?? ""}.`;
  const rows = under.map((c) => [c.path.join(" "), c.spec.brief] as const);
  return [
    brief,
    "",
    `Usage: ${whole} COMMAND [OPTIONS]`,
    "",
    "Commands:",
    ...columns(rows, 24),
    "",
    ...globalHelp({}),
    ...(path.length === 0 ? ["", `${whole} COMMAND --help tells about a command.`] : []),
    "",
  ].join("\n");
}

/** Help of one command. */
export function commandHelp(command: RegisteredCommand): string {
  const { path, spec } = command;
  const whole = ["ccrawl", ...path].join(" ");
  const needed = Object.entries(spec.options).flatMap(([key, option]) =>
    option.kind === "value" && option.required
      ? [`--${optionName(key)} ${option.type.placeholder}`]
      : []
  );
  const usage = [whole, ...needed, spec.args?.usage ?? "", "[OPTIONS]"].filter((part) => part);
  const lines = [
    `${spec.brief}.`,
    "",
    `Usage: ${usage.join(" ")}`,
    ...paragraphs(spec.description ?? []),
  ];
  if (spec.args !== undefined) {
    lines.push("", "Arguments:", ...columns([[spec.args.usage, spec.args.help]], 24));
  }
  const own = optionRows(spec.options);
  if (own.length > 0) lines.push("", "Options:", ...columns(own, 28));
  lines.push("", ...globalHelp(spec.options), "", "Examples:");
  for (const [example, what] of spec.examples) {
    lines.push(`${INDENT}# ${what}`, `${INDENT}${example}`);
  }
  if (spec.fields.length > 0) {
    const names = spec.fields.map((field) => field.name).join(", ");
    lines.push("", "Fields of its records:", ...wrap(names, WIDTH - 2).map((l) => INDENT + l));
  }
  lines.push(
    "",
    ...wrap(
      "Durations are written 250ms, 1s, 2m, 1h30m; sizes 512MB, 1GB (powers of 1024) or bytes. " +
        "Every option can be set by an environment variable: --max-pages is CCRAWL_MAX_PAGES, " +
        "--no-robots is CCRAWL_NO_ROBOTS; and in a configuration, see ccrawl config show --help.",
      WIDTH,
    ),
    "",
  );
  return lines.join("\n");
}

function globalHelp(without: AnyOptionTable): string[] {
  const shown = Object.entries(globalOptions as AnyOptionTable).filter(([key, spec]) =>
    // One without a default means nothing where a command does not give it one.
    !(key in without) && !(spec.kind === "value" && ["workers", "timeout", "retries"].includes(key))
  );
  return ["Global options:", ...columns(optionRows(Object.fromEntries(shown)), 28)];
}

function optionRows(table: AnyOptionTable): [string, string][] {
  return Object.entries(table).map(([key, spec]) => {
    const short = spec.short === undefined ? "" : `-${spec.short}, `;
    const placeholder = spec.kind === "flag" ? "" : ` ${spec.type.placeholder}`;
    const byDefault = defaultText(spec);
    const note = spec.kind === "value" && spec.required
      ? " (needed)"
      : byDefault === undefined || byDefault === ""
      ? ""
      : ` (default ${byDefault})`;
    return [`${short}${displayName(key, spec)}${placeholder}`, `${spec.help}${note}`];
  });
}
