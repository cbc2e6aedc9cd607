/**
 * Completions for zsh.
 *
 * @module
 */

import { shellQuote as quote } from "../quote.ts";
import type { CompletionNode, CompletionOption } from "./describe.ts";

/** The script, to lie in a folder of `fpath` as `_ccrawl`, or to be sourced after `compinit`. */
export function zshCompletions(nodes: readonly CompletionNode[]): string {
  return `#compdef ccrawl
# Completions of ccrawl for zsh. Once: ccrawl completions zsh > "\${fpath[1]}/_ccrawl"

${nodes.map(placeFunction).join("\n\n")}

if [[ \${funcstack[1]} == _ccrawl ]]; then
  _ccrawl "$@"
else
  compdef _ccrawl ccrawl
fi
`;
}

function functionName(path: readonly string[]): string {
  return ["_ccrawl", ...path].join("_").replaceAll("-", "_");
}

function placeFunction({ path, children, options, args }: CompletionNode): string {
  const specs = options.flatMap(optionSpecs).map((spec) => `    ${quote(spec)} \\`);
  if (children.length === 0) {
    const rest = args === undefined ? [] : [`    ${quote(`*:argument:${valueAction(args)}`)} \\`];
    return `${functionName(path)}() {
  _arguments -s -S \\
${[...specs, ...rest].join("\n")}
    && return 0
}`;
  }
  const commands = children.map(([name, help]) => `    ${quote(`${name}:${help}`)}`);
  const cases = children.map(([name]) => `        ${name}) ${functionName([...path, name])} ;;`);
  return `${functionName(path)}() {
  local curcontext="$curcontext" state line
  local -A opt_args
  local -a commands
  commands=(
${commands.join("\n")}
  )
  _arguments -C -s -A '-*' \\
${specs.join("\n")}
    '1: :->command' \\
    '*:: :->rest' \\
    && return 0
  case $state in
    command) _describe -t commands command commands ;;
    rest)
      case \${words[1]} in
${cases.join("\n")}
      esac
      ;;
  esac
}`;
}

/** An option as `_arguments` has it, once for each of its names. */
function optionSpecs(option: CompletionOption): string[] {
  const { name, short, help, value, placeholder, repeatable, commas } = option;
  const names = short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
  const exclusive = repeatable ? "*" : names.length > 1 ? `(${names.join(" ")})` : "";
  const text = `[${help.replace(/[\\[\]]/g, "\\$&")}]`;
  const what = placeholder.includes("|") ? "value" : placeholder.replaceAll(":", "\\:");
  const action = value === undefined ? "" : `:${what}:${valueAction(value, commas)}`;
  return names.map((one) => {
    const joined = value === undefined ? "" : one.startsWith("--") ? "=" : "+";
    return `${exclusive}${one}${joined}${text}${action}`;
  });
}

function valueAction(value: readonly string[] | "files" | "text", commas = false): string {
  if (value === "files") return "_files";
  if (value === "text") return " ";
  return commas ? `_sequence compadd - ${value.join(" ")}` : `(${value.join(" ")})`;
}
