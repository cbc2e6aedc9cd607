/**
 * Completions for bash, 3.2 and later.
 *
 * @module
 */

import { shellQuote as quote } from "../quote.ts";
import type { CompletionNode, CompletionOption } from "./describe.ts";

/** The script. It needs nothing but bash: no helper of a distribution's. */
export function bashCompletions(nodes: readonly CompletionNode[]): string {
  const taking = new Set<string>();
  const places: string[] = [];
  const values: string[] = [];
  for (const { path, children, options, args } of nodes) {
    const at = path.join(" ");
    const offered = options.map(({ name }) => `--${name}`).join(" ");
    const words = Array.isArray(args) ? args : children.map(([name]) => name);
    const files = args === "files" ? " files=1" : "";
    places.push(
      `    ${quote(at)}) words=${quote(words.join(" "))} options=${quote(offered)}${files} ;;`,
    );
    for (const option of options) {
      if (option.value === undefined) continue;
      for (const name of namesOf(option)) taking.add(name);
      const patterns = namesOf(option).map((name) => quote(`${at} ${name}`)).join("|");
      values.push(`    ${patterns}) ${action(option)} ;;`);
    }
  }
  const nested = nodes.filter(({ path }) => path.length > 0).map(({ path }) =>
    quote(path.join(" "))
  );
  return `# Completions of ccrawl for bash. In ~/.bashrc: eval "$(ccrawl completions bash)"

_ccrawl() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local at='' word next i=1 words='' options='' files='' values='' commas='' before=''
  COMPREPLY=()
  # To bash \`=\` is a word of its own.
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $prev == '=' ]]; then
    prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  while (( i < COMP_CWORD )); do
    word=\${COMP_WORDS[i]}
    case $word in
      ${[...taking].join("|")})
        [[ \${COMP_WORDS[i+1]} == '=' ]] && (( i += 1 ))
        (( i += 1 ))
        ;;
      -*|'=') ;;
      *)
        next="\${at:+$at }$word"
        case $next in
          ${nested.join("|")}) at=$next ;;
        esac
        ;;
    esac
    (( i += 1 ))
  done
  case $at in
${places.join("\n")}
  esac
  case "$at $prev" in
${values.join("\n")}
    *) prev='' ;;
  esac
  if [[ -n $prev ]]; then
    words=$values
    if [[ -n $commas && $cur == *,* ]]; then
      before=\${cur%,*},
      cur=\${cur##*,}
    fi
  else
    [[ $cur == -* ]] && words=$options files=''
  fi
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(
    compgen -P "$before" -W "$words" -- "$cur"
    [[ -n $files ]] && compgen -f -- "$cur"
  )
  if [[ -n $files ]]; then
    compopt -o filenames 2> /dev/null
  elif [[ -n $commas ]]; then
    compopt -o nospace 2> /dev/null
  fi
  return 0
}

complete -F _ccrawl ccrawl
`;
}

function namesOf({ name, short }: CompletionOption): string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
}

function action({ value, commas }: CompletionOption): string {
  if (value === "files") return "files=1";
  const words = value === "text"
    ? "files=''"
    : `values=${quote((value as readonly string[]).join(" "))} files=''`;
  return commas ? `${words} commas=1` : words;
}
