/**
 * What goes into an executable: the program's sources in their own layout, so that each Worker is found where
 * the code looks for it; the dependencies that they name; the commit.
 */

import { join, relative } from "node:path";
import { commit } from "../lib/version.ts";

/** The checkout. */
export const ROOT = new URL("..", import.meta.url).pathname;

/** A folder to build from, outside the checkout. */
export interface Stage {
  readonly dir: string;
  /** Modules that start a thread or a process, which no import leads to; paths below `dir`. */
  readonly entries: readonly string[];
  /** What the program imports of its dependencies. */
  readonly specifiers: readonly string[];
}

/**
 * Makes a stage in `dir`.
 *
 * @param config Added to the stage's deno.json.
 * @param change What becomes of each module's text.
 */
export async function stage(
  dir: string,
  config: Record<string, unknown> = {},
  change: (text: string, path: string) => string = (text) => text,
): Promise<Stage> {
  const sources = ["cli.ts", ...await modules("lib")];
  const entries = new Set<string>();
  const texts: string[] = [];
  for (const path of sources) {
    const text = await Deno.readTextFile(join(ROOT, path));
    const code = text.replaceAll(/^\s*(?:\*|\/[/*]).*$/gm, ""); // comments speak of modules too
    texts.push(code);
    for (
      const [, entry] of code.matchAll(/new URL\(\s*"(\.[^"]+\.ts)",\s*import\.meta\.url,?\s*\)/g)
    ) {
      entries.add(relative(ROOT, join(ROOT, path, "..", entry!)));
    }
    const to = join(dir, path);
    await Deno.mkdir(join(to, ".."), { recursive: true });
    await Deno.writeTextFile(to, change(text, path));
  }
  for (const entry of entries) {
    if (!sources.includes(entry)) throw new Error(`Cannot build: there is no ${entry} to start`);
  }
  const { imports, specifiers } = await dependencies(texts);
  await Deno.writeTextFile(join(dir, "deno.json"), JSON.stringify({ imports, ...config }));
  await Deno.copyFile(join(ROOT, "deno.lock"), join(dir, "deno.lock"));
  const built = commit();
  if (built === undefined) {
    throw new Error("Cannot build: neither .git nor commit.txt says which commit this is");
  }
  await Deno.writeTextFile(join(dir, "commit.txt"), `${built}\n`);
  return { dir, entries: [...entries].sort(), specifiers };
}

/**
 * Runs deno in a folder.
 *
 * @param speak Let its output through; else it is told only when it fails.
 */
export async function deno(args: readonly string[], cwd: string, speak = false): Promise<void> {
  const out = speak ? "inherit" : "piped";
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd,
    stdout: out,
    stderr: out,
  })
    .spawn();
  const said = speak ? undefined : await child.output();
  const { success, code } = said ?? await child.status;
  if (success) return;
  const why = said === undefined ? "" : `: ${new TextDecoder().decode(said.stderr).trim()}`;
  throw new Error(`Cannot build: deno ${args[0]} ended with ${code}${why}`);
}

async function modules(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(join(ROOT, folder))) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...await modules(path));
    else if (name.endsWith(".ts")) found.push(path);
  }
  return found.sort();
}

/** The imports of deno.json that the program names, and as what; the others are for tests. */
async function dependencies(texts: readonly string[]): Promise<{
  imports: Record<string, string>;
  specifiers: string[];
}> {
  const config = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  const all = config.imports as Record<string, string>;
  const imports: Record<string, string> = {};
  const specifiers = new Set<string>();
  for (const text of texts) {
    for (const [, specifier] of text.matchAll(/(?:\bfrom |\bimport\()"([^".][^"]*)"/g)) {
      const name = Object.keys(all).find((key) => `${specifier}/`.startsWith(`${key}/`));
      if (name === undefined) continue; // of the runtime, or in an example
      imports[name] = all[name]!;
      specifiers.add(specifier!);
    }
  }
  return { imports, specifiers: [...specifiers].sort() };
}
