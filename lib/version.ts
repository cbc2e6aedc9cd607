/**
 * Which ccrawl this is, and how it names itself to the sites it asks.
 *
 * @module
 */

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
  const built = read("../commit.txt") ?? head();
  return built !== undefined && /^[0-9a-f]{12,64}$/.test(built) ? built.slice(0, 12) : undefined;
}

function head(): string | undefined {
  const text = read("../.git/HEAD");
  const ref = /^ref: (refs\/\S+)$/.exec(text ?? "")?.[1];
  if (ref === undefined || ref.includes("..")) return text;
  const loose = read(`../.git/${ref}`);
  if (loose !== undefined) return loose;
  for (const line of (read("../.git/packed-refs") ?? "").split("\n")) {
    if (line.endsWith(` ${ref}`)) return line.slice(0, line.indexOf(" "));
  }
  return undefined;
}

function read(path: string): string | undefined {
  const url = new URL(path, import.meta.url);
  if (url.protocol !== "file:") return undefined;
  try {
    return Deno.readTextFileSync(url).trim();
  } catch (error) {
    const absent = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory || error instanceof Deno.errors.NotCapable ||
      error instanceof Deno.errors.PermissionDenied;
    if (absent) return undefined;
    throw error;
  }
}
