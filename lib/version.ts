/**
 * Which ccrawl this is, and how it names itself to the sites it asks.
 *
 * @module
 */

import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The version, as deno.json has it. */
export const VERSION = "0.10.0";

/** Where a site's operator reads who is asking and how to keep it away. */
export const BOT_PAGE = "https://jsr.io/@ccrawl/cli";

/** The User-Agent of pages and of robots.txt alike. */
export const USER_AGENT: string = `CCrawl/2.0 (+${BOT_PAGE})`;

/**
 * The commit this was built from, abbreviated to twelve digits: from the `commit.txt` that a build
 * puts beside deno.json, else from the checkout the code runs in. Undefined where neither is there
 * (the published package) or may be read.
 */
export function commit(): string | undefined {
  const root = new URL("..", import.meta.url);
  if (root.protocol !== "file:") return undefined;
  const folder = fileURLToPath(root);
  const built = read(join(folder, "commit.txt")) ?? head(join(folder, ".git"));
  return built !== undefined && /^[0-9a-f]{12,64}$/.test(built) ? built.slice(0, 12) : undefined;
}

function head(git: string): string | undefined {
  // In a worktree, `.git` is a file that names the folder of its HEAD; branches are with the others'.
  const elsewhere = /^gitdir: (.+)$/.exec(read(git) ?? "")?.[1];
  const own = elsewhere === undefined ? git : resolve(git, "..", elsewhere);
  const shared = resolve(own, read(join(own, "commondir")) ?? ".");
  const text = read(join(own, "HEAD"));
  const ref = /^ref: (refs\/\S+)$/.exec(text ?? "")?.[1];
  if (ref === undefined || ref.includes("..")) return text;
  const loose = read(join(shared, ref));
  if (loose !== undefined) return loose;
  for (const line of (read(join(shared, "packed-refs")) ?? "").split("\n")) {
    if (line.endsWith(` ${ref}`)) return line.slice(0, line.indexOf(" "));
  }
  return undefined;
}

function read(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path).trim();
  } catch (error) {
    const absent = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory || error instanceof Deno.errors.IsADirectory ||
      error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied;
    if (absent) return undefined;
    throw error;
  }
}
