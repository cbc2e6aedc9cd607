/**
 * Opening a work list by its name.
 *
 * @module
 */

import { resolve } from "node:path";
import {
  HubAccessError,
  type HubClientOptions,
  HubMissingError,
  hubOptions,
  type HubSettings,
  isRepoName,
} from "../hub/mod.ts";
import { WorkListError } from "./errors.ts";
import { failureFilter } from "./_failures.ts";
import { hubParquets, hubParts } from "./_hub.ts";
import { workList } from "./_list.ts";
import { localParts, stdinParts } from "./_local.ts";
import type { ByteSource } from "./_source.ts";
import type { WorkList, WorkListStats } from "./types.ts";

/** Options of {@linkcode openWorkList}. */
export interface OpenWorkListOptions extends HubSettings {
  /**
   * `domains` or `urls` for the published lists; another dataset repo (`owner/name`); a path of a file or
   * folder of `.parquet`, `.jsonl`, `.txt`, `.warc` or `.warc.gz`; `-` for standard input. What is on disk goes
   * before a repo of the same name.
   */
  readonly from: string;
  /**
   * Column of Parquet parts, field of JSON lines.
   *
   * @default the published list's own, else `url`, else (in Parquet) `domain`
   */
  readonly column?: string;
  /**
   * Takes only rows of an earlier pass that failed in these ways: `all`, or classes of failures as they
   * stand in the column, or the field, `error`. The list is then captures, or records as JSON lines.
   */
  readonly failed?: readonly string[];
  /** Folder of the repo that holds the release; no list on disk has one. @default the newest */
  readonly dir?: string;
  /** Release a run was begun with, taken instead of the newest when `dir` names none. */
  readonly release?: string;
  /** Folder for parts of servers that give no ranges. @default the system's for temporary files */
  readonly scratch?: string;
  /** Standard input. */
  readonly stdin?: AsyncIterable<Uint8Array>;
}

const PUBLISHED: Readonly<Record<string, { repo: string; column: string }>> = {
  domains: { repo: "open-index/ccrawl-domains", column: "domain" },
  urls: { repo: "open-index/ccrawl-urls", column: "url" },
};

/**
 * Opens a work list: lists its files and, on the hub, picks the release. Rows come with
 * {@linkcode WorkList.read}.
 *
 * @throws {WorkListError} If there is no such list; a {@linkcode HubError} if the hub does not give it.
 *
 * @example The first URLs of the newest list of domains
 * ```ts ignore
 * const list = await openWorkList({ from: "domains" });
 * console.log(list.release, list.parts.length);
 * for await (const { rows } of list.read({ batch: 10 })) {
 *   console.log(rows.map((row) => row.url));
 *   break;
 * }
 * ```
 */
export async function openWorkList(options: OpenWorkListOptions): Promise<WorkList> {
  const { from } = options;
  const stats: WorkListStats = { rows: 0, bad: 0, bytes: 0, requests: 0, retries: 0 };
  const failed = options.failed === undefined || options.failed.length === 0
    ? undefined
    : failureFilter(options.failed);
  const named = (source: string, column?: string) =>
    withFailed(withColumn(source, column), options.failed);
  if (from === "-") {
    const parts = stdinParts(
      options.stdin ?? Deno.stdin.readable,
      options.column,
      stats,
      failed,
      options.signal,
    );
    // Another field is another list; the usual one has always gone without saying.
    const field = options.column === "url" ? undefined : options.column;
    return workList(named("-", field), "", parts, stats);
  }
  const published = Object.hasOwn(PUBLISHED, from) ? PUBLISHED[from] : undefined;
  if (published === undefined && (!isRepo(from) || await exists(from))) {
    if (options.dir !== undefined) {
      throw new WorkListError(
        `Cannot read the release "${options.dir}" of the work list "${from}": files on disk have no ` +
          "releases. Leave --dir out; the folder to write into is --out.",
      );
    }
    const parts = await localParts(from, options.column, stats, failed);
    return workList(named(resolve(from), options.column), "", parts, stats);
  }
  const repo = published?.repo ?? from;
  const column = options.column ?? published?.column;
  const listed = hubParts(repo, {
    ...clientOptions(options, stats),
    dir: options.dir ?? options.release,
    column,
    failed,
  });
  const { release, parts } = await listed.catch((error) => {
    throw published === undefined ? orPath(error, from) : error;
  });
  return workList(named(repo, column), release, parts, stats);
}

/** A file that lies on the hub, or on disk, and is read by pieces. */
export interface HubFile {
  /** What messages call it. */
  readonly name: string;
  /** Its size. */
  readonly byteLength: number;
  /**
   * Reads the bytes from `start` to before `end`.
   *
   * @throws {HubError} If the hub does not give them.
   */
  slice(start: number, end?: number): Promise<ArrayBuffer>;
}

/** What {@linkcode openHubFiles} may be told of {@linkcode OpenWorkListOptions}. */
export type OpenHubFilesOptions = Omit<
  OpenWorkListOptions,
  "from" | "column" | "dir" | "release" | "stdin"
>;

/**
 * The Parquet files of a dataset repo, one after the other; each can be read until the next is asked for.
 *
 * @param repo `owner/name`. What is on disk under that name goes before it.
 * @returns Nothing where `repo` is no name of a repo, or something on disk has it.
 * @throws {HubError} If the hub does not give them.
 */
export async function openHubFiles(
  repo: string,
  options: OpenHubFilesOptions = {},
): Promise<AsyncGenerator<HubFile, void, undefined> | undefined> {
  if (!isRepo(repo) || await exists(repo)) return undefined;
  const stats: WorkListStats = { rows: 0, bad: 0, bytes: 0, requests: 0, retries: 0 };
  return byPieces(repo, hubParquets(repo, clientOptions(options, stats)));
}

async function* byPieces(
  repo: string,
  sources: AsyncGenerator<ByteSource, void, undefined>,
): AsyncGenerator<HubFile, void, undefined> {
  try {
    for await (const { name, size, read } of sources) {
      yield {
        name,
        byteLength: size,
        async slice(start, end = size) {
          const bytes = new Uint8Array(Math.max(0, Math.min(end, size) - start));
          if (bytes.length > 0) await read(start, bytes);
          return bytes.buffer;
        },
      };
    }
  } catch (error) {
    throw orPath(error, repo);
  }
}

/** A repo that the hub does not give, told to someone who may have meant a path. */
function orPath(error: unknown, from: string): unknown {
  const Same = [HubMissingError, HubAccessError].find((type) => error instanceof type);
  if (Same === undefined || !(error instanceof Same)) return error;
  if (!error.url.endsWith(`/api/datasets/${from}`)) return error;
  const message = `${error.message.replace(/\.$/, "")}. On this disk there is no file or folder ` +
    `"${from}" either.`;
  return new Same(message, error.url, error.status, { cause: error });
}

function clientOptions(
  options: OpenHubFilesOptions,
  stats: WorkListStats,
): HubClientOptions & { readonly scratch: string | undefined } {
  return { ...hubOptions(options), scratch: options.scratch, stats };
}

function withColumn(source: string, column: string | undefined): string {
  return column === undefined ? source : `${source}#${column}`;
}

/** Other failures are another list, whose rows a checkpoint must not take for its own. */
function withFailed(source: string, failed: readonly string[] = []): string {
  return failed.length === 0 ? source : `${source} failed ${[...new Set(failed)].sort().join(",")}`;
}

/** Whether this could be `owner/name`. */
function isRepo(from: string): boolean {
  return isRepoName(from) && !/\.(parquet|jsonl|txt|warc|gz)$/i.test(from);
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return false;
    }
    throw error;
  }
}
