/**
 * Documents from the web.
 *
 * @module
 */

import { join } from "node:path";
import { RunError } from "../engine/errors.ts";
import { recrawl } from "../engine/recrawl.ts";
import type { RecrawlOptions } from "../engine/recrawl_options.ts";
import { readDocuments, type ReadDocumentsOptions } from "./documents.ts";
import type { IndexDocument } from "./types.ts";

/** Options of {@linkcode fetchDocuments}: those of a recrawl, but for what it reads and writes. */
export type FetchDocumentsOptions =
  & Omit<RecrawlOptions, "from" | "out" | "state" | "format">
  & { readonly onFailure?: (url: string, error: string) => void };

/** Beginning of the folders' names. */
const SCRATCH = "fetch-";

/**
 * Fetches URLs as a recrawl does, and gives what they came to as documents.
 *
 * @param dir Folder in which the captures lie until they are read; nobody else fetches into it, so that
 *   what a killed run left there is removed.
 */
export async function* fetchDocuments(
  urls: readonly string[],
  dir: string,
  { onFailure, ...options }: FetchDocumentsOptions,
  reading: ReadDocumentsOptions = {},
): AsyncGenerator<IndexDocument, void, undefined> {
  for await (const { name } of Deno.readDir(dir)) {
    if (name.startsWith(SCRATCH)) await Deno.remove(join(dir, name), { recursive: true });
  }
  const scratch = await Deno.makeTempDir({ dir, prefix: SCRATCH });
  try {
    const list = join(scratch, "urls.txt"), out = join(scratch, "captures");
    await Deno.writeTextFile(list, urls.join("\n") + "\n");
    let rows = 0, end: RunError | undefined;
    try {
      await using run = recrawl({ ...options, from: list, out, storeBody: "none" });
      for await (const { url, error, status } of run) {
        rows++;
        if (error !== "") onFailure?.(url, error);
        else if (status < 200 || status > 299) onFailure?.(url, `status ${status}`);
      }
    } catch (error) {
      if (!(error instanceof RunError && error.exitCode === 75)) throw error;
      end = error; // all that was fetched is sealed
    }
    if (rows > 0) yield* readDocuments([out], reading);
    if (end !== undefined) throw end;
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}
