/**
 * Which files of a hub repo are the work list.
 *
 * @module
 */

import { newestFirst } from "../webgraph/mod.ts";
import { cutShort, encodePath, type HubClient, HubError } from "../hub/mod.ts";
import { WorkListError } from "./errors.ts";
import { compareNames } from "./_names.ts";

/** A repo's listing may take this much; an entry of it is some 100 bytes. */
const MAX_LISTING = 128 << 20;

/** A release and its files. */
export interface HubLayout {
  /** Name of the folder below `data/`; empty when files lie in `data/` or at the root. */
  readonly release: string;
  /** Paths in the repo, in reading order. */
  readonly paths: readonly string[];
}

/**
 * Paths of all files of a dataset repo.
 *
 * @throws {HubError} If the hub does not give them.
 */
export async function listHubFiles(client: HubClient, repo: string): Promise<string[]> {
  const url = `${client.hub}/api/datasets/${encodePath(repo)}`;
  const text = await client.get(url, { accept: "application/json" }, async (answer) => {
    const length = Number(answer.response.headers.get("content-length") ?? NaN);
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of answer.body()) {
      size += chunk.length;
      if (size > MAX_LISTING) {
        throw new HubError(
          `Cannot read ${url}: the listing is longer than ${MAX_LISTING} bytes`,
          url,
          200,
        );
      }
      pieces.push(chunk);
    }
    if (length > size) throw cutShort();
    const bytes = new Uint8Array(size);
    let at = 0;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return new TextDecoder().decode(bytes);
  });
  let siblings: unknown;
  try {
    siblings = (JSON.parse(text) as { siblings?: unknown } | null)?.siblings;
  } catch (cause) {
    throw new HubError(`Cannot read ${url}: the answer is no JSON`, url, 200, { cause });
  }
  if (!Array.isArray(siblings)) {
    throw new HubError(`Cannot read ${url}: the answer lists no files`, url, 200);
  }
  const paths: string[] = [];
  for (const sibling of siblings as { rfilename?: unknown }[]) {
    const path = sibling?.rfilename;
    if (typeof path === "string" && isPlainPath(path)) paths.push(path);
  }
  return paths;
}

/**
 * Picks the release: the folder that is named, else the newest below `data/` (of web-graph releases, or
 * of monthly crawls where there are none), else, in repos that have no releases, `data/` itself or the
 * root.
 *
 * @param dir A folder below `data/` or of the repo; the empty string for `data/` or the root themselves.
 * @throws {WorkListError} If there is none, or none that can be told to be the one.
 */
export function layOut(repo: string, files: readonly string[], dir: string | undefined): HubLayout {
  const folders = new Map<string, string[]>();
  for (const path of files) {
    if (!path.endsWith(".parquet")) continue;
    const slash = path.lastIndexOf("/");
    const folder = slash < 0 ? "" : path.slice(0, slash);
    const list = folders.get(folder);
    if (list === undefined) folders.set(folder, [path]);
    else list.push(path);
  }
  const pick = (folder: string): HubLayout => ({
    release: folder.startsWith("data/") ? folder.slice(5) : folder === "data" ? "" : folder,
    paths: folders.get(folder)!.sort(compareNames),
  });
  const names = [...folders.keys()].filter((f) =>
    f.startsWith("data/") && !f.slice(5).includes("/")
  )
    .map((f) => f.slice(5));
  const graphs = newestFirst(names);
  const known = graphs.length > 0 ? graphs : newestCrawls(names);
  const choice = known.length > 0 ? known : names.sort();
  if (dir !== undefined && dir !== "") {
    let wanted = dir;
    while (wanted.endsWith("/")) wanted = wanted.slice(0, -1);
    for (const folder of [`data/${wanted}`, wanted]) if (folders.has(folder)) return pick(folder);
    throw new WorkListError(
      `Cannot read the work list ${repo}: it has no .parquet files in "${dir}". It has ` +
        `${choice.length === 0 ? "no releases" : choice.slice(0, 12).join(", ")}.`,
    );
  }
  if (dir === undefined && known.length > 0) return pick(`data/${known[0]}`);
  if (dir === undefined && names.length === 1) return pick(`data/${names[0]}`);
  if (folders.has("data")) return pick("data");
  if (folders.has("")) return pick("");
  throw new WorkListError(
    names.length > 1
      ? `Cannot read the work list ${repo}: which of its folders is the newest cannot be told. ` +
        `Name one with --dir: ${choice.slice(0, 12).join(", ")}.`
      : `Cannot read the work list ${repo}: it has no .parquet files below data/`,
  );
}

/** Those that are ids of monthly crawls, `CC-MAIN-2026-30` (year and week), the newest first. */
function newestCrawls(names: readonly string[]): string[] {
  return names.filter((name) => /^cc-main-\d{4}-\d{2}$/i.test(name))
    .sort((a, b) => a.slice(-7) < b.slice(-7) ? 1 : -1);
}

/** Whether a path names a file below the repo and nothing else. */
function isPlainPath(path: string): boolean {
  if (path.length === 0 || path.length > 1024 || path.startsWith("/")) return false;
  for (const piece of path.split("/")) {
    if (piece === "" || piece === "." || piece === "..") return false;
  }
  return true;
}
