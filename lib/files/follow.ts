/**
 * Where a path leads that is a symbolic link.
 *
 * @module
 */

import { basename, dirname, join, resolve } from "node:path";

/** As many as Linux follows. */
const MAX_LINKS = 40;

/**
 * The path of the file that `path` names by symbolic links, there or not: what stands beside a state
 * (its lock, its commands) must be the same whatever name it goes by. `path` itself where it is no link.
 */
export function follow(path: string): string {
  let at = path;
  for (let links = 0; links < MAX_LINKS && isLink(at); links++) {
    // From where the link really is: `..` in it means that folder's parent.
    const folder = Deno.realPathSync(dirname(at));
    at = resolve(folder, Deno.readLinkSync(join(folder, basename(at))));
  }
  return at;
}

function isLink(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSymlink;
  } catch {
    return false; // not there, or not ours to see: opening it will say so
  }
}
