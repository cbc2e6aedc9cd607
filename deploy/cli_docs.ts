/**
 * Writes docs/cli.md from the commands' tables, so that it says what `--help` says: `deno task docs`.
 *
 * @module
 */

import type { RegisteredCommand } from "../lib/cli/command.ts";
import { commands } from "../lib/cli/commands/registry.ts";
import { globalOptions } from "../lib/cli/options/global.ts";
import {
  type AnyOptionTable,
  defaultText,
  displayName,
  variableName,
} from "../lib/cli/options/spec.ts";

/** Where the page lies. */
export const CLI_DOCS: URL = new URL("../docs/cli.md", import.meta.url);

/** The text of the page. */
export function cliDocs(): string {
  const names = commands.map(({ path }) => path.join(" "));
  const contents = commands.map(({ spec }, i) => [
    `[\`${names[i]}\`](#ccrawl-${names[i]!.replaceAll(" ", "-")})`,
    prose(spec.brief),
  ]);
  return [
    "# The command line",
    "",
    "<!-- Made from the commands' tables by `deno task docs`; not to be edited. -->",
    "",
    "`ccrawl COMMAND --help` says the same. Options stand before or behind the command;",
    "[configuration.md](configuration.md) says where else they can be set, [output.md](output.md) what",
    "is written, [exit-codes.md](exit-codes.md) what the end means.",
    "",
    "Durations are written `250ms`, `1s`, `2m`, `1h30m`; sizes `512MB`, `1GB` (powers of 1024) or bytes.",
    "",
    ...table(["command", "what it does"], contents),
    "",
    "## Global options",
    "",
    "Every command takes these. `--workers`, `--timeout` and `--retries` mean something where a command",
    "gives them a default.",
    "",
    ...optionTable(globalOptions as AnyOptionTable),
    ...commands.flatMap(commandDocs),
    "",
  ].join("\n");
}

function commandDocs({ path, spec }: RegisteredCommand): string[] {
  const whole = `ccrawl ${path.join(" ")}`;
  const usage = spec.args === undefined ? whole : `${whole} ${spec.args.usage}`;
  return [
    "",
    `## ${whole}`,
    "",
    `${spec.brief}.`,
    ...(spec.description ?? []).flatMap((text) => ["", prose(text)]),
    "",
    "```sh",
    `${usage} [OPTIONS]`,
    "",
    ...spec.examples.flatMap(([example, what]) => [`# ${what}`, example]),
    "```",
    ...(spec.args === undefined ? [] : ["", `\`${spec.args.usage}\`: ${prose(spec.args.help)}.`]),
    ...(Object.keys(spec.options).length === 0 ? [] : ["", ...optionTable(spec.options)]),
    ...(spec.fields.length === 0 ? [] : [
      "",
      "Fields of its records:",
      "",
      ...table(
        ["field", "type", "what it holds"],
        spec.fields.map(({ name, type, help }) => [`\`${name}\``, type, prose(help)]),
      ),
    ]),
  ];
}

function optionTable(options: AnyOptionTable): string[] {
  return table(
    ["option", "default", "what it does", "variable"],
    Object.entries(options).map(([key, spec]) => {
      const value = spec.kind === "flag" ? "" : ` ${spec.type.placeholder}`;
      const short = spec.short === undefined ? "" : `\`-${spec.short}\`, `;
      const byDefault = spec.kind === "value" && spec.required ? "needed" : defaultText(spec) ?? "";
      const off = spec.kind === "flag" && spec.default;
      return [
        `${short}\`${displayName(key, spec)}${value}\``,
        prose(byDefault),
        prose(spec.help),
        `\`${variableName(key, off)}\``,
      ];
    }),
  );
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)];
}

/** Help's words as Markdown takes them literally. */
function prose(text: string): string {
  // What stands in backticks is shown as it is.
  return text.replace(/`[^`]*`|[*_<>[\]]/g, (found) => found[0] === "`" ? found : `\\${found}`);
}

if (import.meta.main) Deno.writeTextFileSync(CLI_DOCS, cliDocs());
