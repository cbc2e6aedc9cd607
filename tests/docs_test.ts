import assert from "node:assert/strict";
import { CLI_DOCS, cliDocs } from "../deploy/cli_docs.ts";
import { parseCommandLine } from "../lib/cli/_command_line.ts";
import { scan } from "../lib/cli/_scanner.ts";
import { commands } from "../lib/cli/commands/registry.ts";
import { ExitCode } from "../lib/cli/errors.ts";
import { commandHelp } from "../lib/cli/help.ts";
import { globalOptions } from "../lib/cli/options/global.ts";
import { commandLineSource, resolveOptions } from "../lib/cli/options/resolve.ts";
import { type AnyOptionTable, optionName, type OptionTable } from "../lib/cli/options/spec.ts";

const ROOT = new URL("../", import.meta.url);

/** Options of other programs that the documentation speaks of. */
const FOREIGN: ReadonlySet<string> = new Set([
  // deno
  "allow-env",
  "allow-ffi",
  "allow-net",
  "allow-read",
  "allow-run",
  "allow-sys",
  "allow-write",
  // deno task web
  "hosts",
  "pages",
  "scheme",
  // systemctl
  "now",
]);

/** Options of the scripts in deploy/, as those name them. */
function deployOptions(): string[] {
  const folder = new URL("deploy/", ROOT);
  return [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile).flatMap(({ name }) => {
    const text = Deno.readTextFileSync(new URL(name, folder));
    return [...text.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map(([, option]) => option!);
  });
}

/** Every page of documentation, with its path from the root. */
const pages = new Map<string, string>();
for (const folder of ["./", "./docs/"]) {
  for (const { name } of Deno.readDirSync(new URL(folder, ROOT))) {
    if (!name.endsWith(".md")) continue;
    pages.set(`${folder.slice(2)}${name}`, Deno.readTextFileSync(new URL(folder + name, ROOT)));
  }
}

/** Each code block, without its fences. */
function blocks(page: string): string[] {
  return [...page.matchAll(/^```\w*\n([^]*?)^```$/gm)].map(([, block]) => block!);
}

/** Words of a command line, as far as examples need a shell: quotes, `|`, `>`, `<`, comments. */
function words(line: string): string[] {
  const out: string[] = [];
  for (const [word, single, double] of line.matchAll(/'([^']*)'|"([^"]*)"|[^\s'"]+/g)) {
    if (/^(?:[|<>]|#|2>|&|;|\\$)/.test(word)) break;
    // A reader puts the port there that they were told.
    out.push((single ?? double ?? word).replace(":PORT", ":8080"));
  }
  return out;
}

/** Words behind `ccrawl` of every command line of ours in a text; lines may go on behind `\`. */
function commandLines(text: string): string[][] {
  const lines = text.replaceAll("\\\n", " ").split("\n");
  return lines.flatMap((line) =>
    [...line.matchAll(/(?:^|[|(] ?|\$ )ccrawl( [^|)]*)/g)].map(([, rest]) => words(rest!))
  );
}

/** Command lines that a text shows to be refused, by the message that it shows below them. */
function refused(text: string): [line: string, message: string][] {
  return [...text.replaceAll("\\\n", " ").matchAll(/^(\$ ccrawl .*)\nccrawl: (.*)$/gm)]
    .map(([, line, message]) => [commandLines(line!)[0]!.join(" "), message!]);
}

/** Fails where a command line is none: of its command, options and values. */
async function check(line: readonly string[], where: string): Promise<void> {
  const { command, rest, help } = parseCommandLine(line, commands);
  if (command === undefined || help) return;
  const table: AnyOptionTable = {
    ...globalOptions as AnyOptionTable,
    ...command.spec.options,
  };
  const { given, args } = await scan(rest, table, command.spec.args, where);
  const options = resolveOptions(table as OptionTable<object>, [commandLineSource(given)]).values;
  command.spec.args?.parse(args);
  command.spec.check?.({ ...options, ...command.spec.args?.parse(args) } as never);
}

Deno.test("docs/cli.md says what the commands' tables say", () => {
  assert.equal(
    pages.get("docs/cli.md"),
    cliDocs(),
    `${CLI_DOCS.pathname} is not up to date: run deno task docs`,
  );
});

Deno.test("help has every option, and docs/cli.md has every line of help", () => {
  const page = pages.get("docs/cli.md")!;
  const plain = page.replaceAll(/\\(.)/g, "$1");
  for (const { path, spec } of commands) {
    const help = commandHelp({ path, spec, load: () => Promise.reject(new Error()) });
    for (const [key, option] of Object.entries(spec.options)) {
      const name = `--${option.kind === "flag" && option.default ? "no-" : ""}${optionName(key)}`;
      assert(help.includes(name), `${path.join(" ")} ${name} is not in its help`);
      assert(plain.includes(option.help), `${path.join(" ")} ${name} is not in docs/cli.md`);
      assert(option.help !== "" && !option.help.endsWith("."), `help of ${name}`);
    }
  }
});

Deno.test("every example of help is a command line that is taken", async () => {
  for (const { path, spec } of commands) {
    for (const [example] of spec.examples) {
      const lines = commandLines(example);
      assert(lines.length > 0, `${path.join(" ")}: no ccrawl in ${example}`);
      for (const line of lines) await check(line, example);
    }
  }
});

Deno.test("every ccrawl command line in the documentation is one that is taken", async () => {
  let checked = 0;
  for (const [name, page] of pages) {
    if (name === "docs/cli.md" || name === "CHANGELOG.md") continue;
    const refusals = new Map(blocks(page).flatMap(refused));
    for (const line of blocks(page).flatMap(commandLines)) {
      // An ellipsis stands for what is up to the reader.
      if (line.some((word) => word.includes("…"))) continue;
      const where = `${name}: ccrawl ${line.join(" ")}`;
      checked++;
      const refusal = refusals.get(line.join(" "));
      if (refusal !== undefined) {
        await assert.rejects(check(line, where), { message: refusal }, where);
        continue;
      }
      await check(line, where).catch((cause) => {
        throw new Error(`${where}: ${cause.message}`, { cause });
      });
    }
  }
  assert(checked > 10, `${checked} command lines were found`);
});

Deno.test("every option that the documentation names is one", () => {
  const known = new Set(["help", "version", ...FOREIGN, ...deployOptions()]);
  for (const table of [globalOptions, ...commands.map(({ spec }) => spec.options)]) {
    for (const [key, option] of Object.entries(table as AnyOptionTable)) {
      known.add(optionName(key));
      if (option.kind === "flag") known.add(`no-${optionName(key)}`);
    }
  }
  for (const [name, page] of pages) {
    // Programs of others, whose lines have options of their own.
    const text = page.split("\n").filter((line) =>
      !/^\s*(?:\$ )?(?:deno|npx|npm|apt-get|docker|systemctl|ssh|curl)\b/.test(line)
    ).join("\n");
    for (const [, option] of text.matchAll(/(?<![\w-])--([a-z][a-z\d-]*)/g)) {
      assert(known.has(option!), `${name} names --${option}, which no command has`);
    }
  }
});

Deno.test("docs/exit-codes.md has every exit code, and no other", () => {
  const page = pages.get("docs/exit-codes.md")!;
  const documented = new Set<number>();
  for (const [, cell] of page.matchAll(/^\| ([\d, ]+?) +\|/gm)) {
    for (const code of cell!.split(",")) documented.add(Number(code));
  }
  // What the shell says of a process that a signal ended.
  const signals = [130, 143];
  assert.deepEqual(
    [...documented].sort((a, b) => a - b),
    [...Object.values(ExitCode), ...signals].sort((a, b) => a - b),
  );
});

Deno.test("exit codes are those that are documented, wherever one is set", () => {
  const codes: ReadonlySet<number> = new Set(Object.values(ExitCode));
  const look = (folder: URL): void => {
    for (const { name, isDirectory } of Deno.readDirSync(folder)) {
      const at = new URL(isDirectory ? `${name}/` : name, folder);
      if (isDirectory) look(at);
      else if (name.endsWith(".ts")) {
        const text = Deno.readTextFileSync(at);
        for (const [, code] of text.matchAll(/\bexitCode(?:: number)?(?::| =) (\d+)\b/g)) {
          assert(codes.has(Number(code)), `${at.pathname} exits with ${code}`);
        }
      }
    }
  };
  look(new URL("lib/", ROOT));
});

Deno.test("links between the pages lead somewhere", () => {
  for (const [name, page] of pages) {
    for (const [, target] of page.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)) {
      const [path, anchor] = target!.split("#") as [string, string | undefined];
      const url = new URL(path === "" ? name : path, new URL(name, ROOT));
      const file = path === "" ? new URL(name, ROOT) : url;
      const text = Deno.statSync(file).isDirectory ? "" : Deno.readTextFileSync(file);
      if (anchor === undefined) continue;
      const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
        heading!.toLowerCase().replace(/[^\p{L}\p{N} -]/gu, "").replaceAll(" ", "-")
      );
      assert(anchors.includes(anchor), `${name} leads to ${target}, which is not there`);
    }
  }
});
