/** Shells of the system, asked what they complete a line with. */

/** Whether a shell is there; says so where it is not. */
export async function hasShell(shell: string): Promise<boolean> {
  try {
    await new Deno.Command(shell, { args: ["-c", "true"], stdout: "null", stderr: "null" })
      .output();
    return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.log(`not tested: ${shell} is not installed; on Debian: apt-get install ${shell}`);
    return false;
  }
}

async function said(shell: string, args: string[], dir: string): Promise<string[]> {
  const { stdout, stderr, success } = await new Deno.Command(shell, {
    args,
    cwd: dir,
    env: { HOME: dir, XDG_CONFIG_HOME: dir, XDG_DATA_HOME: dir, TERM: "dumb" },
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!success) throw new Error(`${shell}: ${text(stderr)}${text(stdout)}`);
  return text(stdout).split("\n").map((line) => line.trimEnd()).filter((line) => line !== "");
}

/** What bash offers: the function is called as readline calls it. */
export function askBash(script: string, line: string, dir: string): Promise<string[]> {
  // Readline cuts words at `=` as well.
  const words = line.split(" ").flatMap((word) => word.split(/(=)/)).filter((word, i, all) =>
    word !== "" || i === all.length - 1
  );
  const program = `source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMP_LINE="$*"; COMP_POINT=\${#COMP_LINE}
[[ $(complete -p ccrawl) == *_ccrawl* ]] || exit 9
_ccrawl ccrawl "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return said("bash", ["--norc", "--noprofile", "-c", program, "bash", script, ...words], dir);
}

/** What fish offers to each line, by its own `complete -C`. */
export async function askFish(script: string, lines: string[], dir: string): Promise<string[][]> {
  const program = 'source $argv[1]; for line in $argv[2..]; complete -C $line; echo "<END>"; end';
  const out = await said("fish", ["--no-config", "-c", program, script, ...lines], dir);
  return untilEnds(out.map((one) => one.split("\t")[0]!));
}

/** What zsh offers to each line: a shell on a terminal of its own, whose compadd says what it is given. */
export async function askZsh(script: string, lines: string[], dir: string): Promise<string[][]> {
  await Deno.writeTextFile(
    `${dir}/asked.zsh`,
    `PROMPT=
autoload -Uz compinit; compinit -C -d ${dir}/zcompdump
source ${script}
compadd() {
  # Calls that only ask what would match go through.
  if (( \${argv[(I)-[OAD]]} > 0 )); then builtin compadd "$@"; return; fi
  local -a found
  local each
  builtin compadd -O found "$@"
  for each in $found; do print -r -- "<$each>"; done
  builtin compadd "$@"
}
finish() { zle complete-word; BUFFER=; print -r -- "<END>"; }
zle -C complete-word complete-word _main_complete
zle -N finish
bindkey '^X' finish
# Longer keys begin with it: it would wait for them.
KEYTIMEOUT=1
print -r -- "<READY>"
`,
  );
  const program = `zmodload zsh/zpty
zpty asked zsh -f -i
zpty -w asked "source asked.zsh"
zpty -r -m asked text '*<READY>*'
for line in "$@"; do
  zpty -w -n asked "$line"$'\\C-x'
  zpty -r -m asked text '*<END>*'
  print -r -- $text
done
zpty -d asked`;
  const out = await said("zsh", ["-f", "-c", program, "zsh", ...lines], dir);
  return untilEnds(out.flatMap((text) => [...text.matchAll(/<[^<>]*>/g)].map(([word]) => word)))
    .map((words) => words.map((word) => word.slice(1, -1)));
}

/** Words up to each `<END>`. */
function untilEnds(words: readonly string[]): string[][] {
  const out: string[][] = [[]];
  for (const word of words) {
    if (word === "<END>") out.push([]);
    else out.at(-1)!.push(word);
  }
  return out.slice(0, -1);
}
