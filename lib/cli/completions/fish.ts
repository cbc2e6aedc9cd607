/**
 * Completions for fish.
 *
 * @module
 */

import type { CompletionNode, CompletionOption } from "./describe.ts";

/** The script, to lie in `~/.config/fish/completions` as `ccrawl.fish`. */
export function fishCompletions(nodes: readonly CompletionNode[]): string {
  const taking = new Set<string>();
  const lines: string[] = [];
  for (const { path, children, options, args } of nodes) {
    const here = `complete -c ccrawl -n ${quote(`__ccrawl_at ${quote(path.join(" "))}`)}`;
    for (const [name, help] of children) lines.push(`${here} -a ${name} -d ${quote(help)}`);
    if (args === "files") lines.push(`${here} -F`);
    else if (Array.isArray(args)) lines.push(`${here} -a ${quote(args.join(" "))}`);
    for (const option of options) {
      const { name, short, help, value } = option;
      if (value !== undefined) {
        taking.add(`--${name}`);
        if (short !== undefined) taking.add(`-${short}`);
      }
      const letter = short === undefined ? "" : ` -s ${short}`;
      lines.push(`${here} -l ${name}${letter}${valueWords(option)} -d ${quote(help)}`);
    }
  }
  const places = nodes.filter(({ path }) => path.length > 0).map(({ path }) =>
    quote(path.join(" "))
  );
  return `# Completions of ccrawl for fish. Once:
#   ccrawl completions fish > ~/.config/fish/completions/ccrawl.fish

# Whether the words before the cursor lead to this command or group.
function __ccrawl_at
    set -l at ''
    set -l value no
    for word in (commandline -opc)[2..-1]
        if test $value = yes
            set value no
            continue
        end
        switch $word
            case ${[...taking].join(" ")}
                set value yes
            case '-*'
            case '*'
                set -l next (string trim -- "$at $word")
                contains -- $next ${places.join(" ")}; and set at $next
        end
    end
    test "$at" = "$argv[1]"
end

complete -c ccrawl -f
${lines.join("\n")}
`;
}

function valueWords({ value, commas }: CompletionOption): string {
  if (value === undefined) return "";
  if (value === "files") return " -r -F";
  if (value === "text") return " -x";
  const words = quote(value.join(" "));
  return commas ? ` -x -a ${quote(`(__fish_append , ${value.join(" ")})`)}` : ` -x -a ${words}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
