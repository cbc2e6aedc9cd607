/**
 * DuckDB as a program on the path.
 *
 * @module
 */

import { delimiter, join } from "node:path";
import { readLines } from "../worklist/mod.ts";
import type { HostChanges } from "./_merge.ts";
import { SnapshotError } from "./errors.ts";

const MOST_TOLD = 500;

/** Where the program is; `undefined` when it is in no folder of the path. */
export async function findDuckdb(path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    if (folder === "") continue;
    for (const name of Deno.build.os === "windows" ? ["duckdb.exe"] : ["duckdb"]) {
      const file = join(folder, name);
      try {
        const { isFile, mode } = await Deno.stat(file);
        if (isFile && (mode === null || (mode & 0o111) !== 0)) return file;
      } catch (error) {
        // A folder of the path need not be there, nor be ours to look into.
        const expected = error instanceof Deno.errors.NotFound ||
          error instanceof Deno.errors.PermissionDenied ||
          error instanceof Deno.errors.NotADirectory;
        if (!expected) throw error;
      }
    }
  }
  return undefined;
}

/**
 * Runs a statement of {@linkcode diffSql} and gives its rows as they come.
 *
 * @throws {SnapshotError} If DuckDB fails, with what it says.
 */
export async function* runDuckdb(
  program: string,
  sql: string,
  signal?: AbortSignal,
): AsyncGenerator<HostChanges, void, unknown> {
  // The statement goes by a pipe: with thousands of files it is longer than an argument may be.
  const child = new Deno.Command(program, {
    args: ["-jsonlines", "-bail"],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    ...(signal === undefined ? {} : { signal }),
  }).spawn();
  let over = false;
  const told = tail(child.stderr);
  try {
    const input = child.stdin.getWriter();
    // It may have ended before: its own words say why.
    const given = input.write(new TextEncoder().encode(`${sql};\n`))
      .then(() => input.close()).catch(() => {});
    for await (const line of readLines(child.stdout)) {
      if (line === undefined || line.length === 0) continue;
      yield rowOf(new TextDecoder().decode(line));
    }
    await given;
    const { code } = await child.status;
    over = true;
    if (code !== 0) {
      const words = await told;
      throw new SnapshotError(
        `Cannot compare by DuckDB: it ended with ${code}${words === "" ? "" : `: ${words}`}`,
      );
    }
  } finally {
    if (!over) end(child);
    await child.status;
    await told;
  }
}

function end(child: Deno.ChildProcess): void {
  try {
    child.kill();
  } catch (error) {
    // It ended by itself.
    if (!(error instanceof TypeError)) throw error;
  }
}

function rowOf(line: string): HostChanges {
  let row: { host?: unknown; total_urls?: unknown; changed_urls?: unknown };
  try {
    row = JSON.parse(line);
  } catch (cause) {
    throw new SnapshotError(
      `Cannot compare by DuckDB: it writes what is no JSON: ${line.slice(0, MOST_TOLD)}`,
      { cause },
    );
  }
  // Numbers that are 64 bits wide and more may be text in its JSON.
  const [total, changed] = [Number(row.total_urls), Number(row.changed_urls)];
  if (typeof row.host !== "string" || !Number.isSafeInteger(total) || !(changed <= total)) {
    throw new SnapshotError(
      `Cannot compare by DuckDB: it writes another row: ${line.slice(0, MOST_TOLD)}`,
    );
  }
  return { host: row.host, total, changed };
}

/** The end of what a program says. */
async function tail(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    text = (text + chunk).slice(-MOST_TOLD);
  }
  return text.trim();
}
