/**
 * `index build`: documents into a full-text index.
 *
 * @module
 */

import type { CommandSpec } from "../command.ts";
import { UsageError } from "../errors.ts";
import { type GlobalOptions, retriesType, timeoutType, workersType } from "../options/global.ts";
import { flag, list, required, value } from "../options/spec.ts";
import { duration, path, text } from "../options/types.ts";
import { parseUrlArgument } from "./arguments.ts";
import { type RunOptions, runOptions } from "./run_options.ts";

/** Resolved options of `index build`. */
export interface IndexBuildOptions
  extends GlobalOptions, Pick<RunOptions, "minFree" | "insecure" | "caCert"> {
  /** Folder of the index. */
  readonly dir: string;
  /** Files, folders, `-`. */
  readonly input: readonly string[];
  /** URLs to fetch, as they were given: several in one text. */
  readonly urls: readonly string[];
  readonly optimize: boolean;
  readonly workers: number;
  readonly robots: boolean;
  /** Milliseconds. */
  readonly delay: number;
  readonly timeout: number;
  readonly retries: number;
}

/**
 * The URLs of a list with commas between them. A comma that no URL begins after is part of one.
 *
 * @throws {UsageError} when one is no http or https URL.
 */
export function splitUrls(texts: readonly string[]): string[] {
  return texts.flatMap((text) =>
    text.split(/[\s,]+(?=[a-z][a-z0-9+.-]*:\/\/)|\s+|,+$/i)
      .flatMap((part) => (part.includes("://") ? [part] : part.split(",")))
  ).filter((part) => part !== "").map((part) => parseUrlArgument(part).href);
}

/** The command. */
export const indexBuild: CommandSpec<IndexBuildOptions, object> = {
  brief: "Put documents into a full-text index",
  description: [
    "Documents are JSON objects a line (url, title, text or markdown, language, doc_id), the records of " +
    "WET files, the pages of WARC files and of captures, or pages that are fetched now (--urls: politely, " +
    "robots.txt obeyed). One that is in the index already, by its doc_id or else its URL, is replaced; one " +
    "that has not changed is left alone, so that running it again after a kill is quick.",
    "What was committed (every few thousand documents) survives a kill. Memory does not follow the number " +
    "of documents. 3 when there was none.",
  ],
  options: {
    dir: required(path("DIR"), "Folder of the index; made when missing"),
    input: list(
      path("PATH", { stdin: true }),
      "Read documents from this file or folder (JSONL, WET, WARC, captures), or -; repeatable",
    ),
    urls: list(text("URL,URL"), "Fetch these pages; https:// is added where no scheme is given"),
    optimize: flag(
      false,
      "Merge the index into one piece at the end: searches are faster, but it is written anew",
    ),
    workers: value(workersType, 16, "Fetches in flight at once, each at another host", {
      short: "j",
    }),
    robots: flag(true, "Fetch what robots.txt disallows too"),
    delay: value(duration(), 1000, "Least time between two requests to one host"),
    timeout: value(timeoutType, 30_000, "Budget of one page: connecting, fetching, redirects"),
    retries: value(retriesType, 0, "Retries after a transport failure; a status is an answer"),
    minFree: runOptions.minFree,
    insecure: runOptions.insecure,
    caCert: runOptions.caCert,
  },
  fields: [
    { name: "dir", type: "string", help: "folder of the index" },
    { name: "added", type: "integer", help: "documents that were not in it" },
    { name: "replaced", type: "integer", help: "documents that were in it with other content" },
    { name: "unchanged", type: "integer", help: "documents that were in it just so" },
    { name: "skipped", type: "integer", help: "lines and records that held no document" },
    { name: "failed", type: "integer", help: "pages that could not be fetched" },
    { name: "documents", type: "integer", help: "documents in the index" },
    { name: "bytes", type: "integer", help: "size of the index" },
  ],
  examples: [
    ["ccrawl index build --dir idx/ --input docs.jsonl", "documents that carry their text"],
    ["ccrawl index build --dir idx/ --input captures/ --input x.warc.wet.gz", "a recrawl, and WET"],
    [
      "ccrawl parse x.warc.gz --lang deu --text -o jsonl | ccrawl index build --dir idx/ --input -",
      "German pages alone",
    ],
    ["ccrawl index build --dir idx/ --urls https://go.dev/,https://deno.com/", "fetched now"],
  ],
  check({ input, urls }) {
    if (input.length === 0 && urls.length === 0) {
      throw new UsageError(
        "index build needs documents",
        "give --input FILE, --input - for stdin, or --urls",
      );
    }
    splitUrls(urls);
  },
};
