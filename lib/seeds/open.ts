/**
 * Opening a rank table: a release's, or one of one's own.
 *
 * @module
 */

import { whyUnread } from "../files/mod.ts";
import { isRemote, openBytes, WorkListError } from "../worklist/mod.ts";
import { frontToBack } from "./_chunks.ts";
import { RankTableError } from "./errors.ts";
import { unpacked } from "./_gunzip.ts";
import { findRelease, rankTableUrl, type ReleaseOptions } from "./release.ts";

/** Bytes that a site is asked for at once, so that the way to it is not what a table takes. */
const MOST_REMOTE = 8 << 20;
const MOST_LOCAL = 1 << 20;

/** Options of {@linkcode openRanks}. */
export interface OpenRanksOptions extends ReleaseOptions {
  /** A release of the web graph, or `latest`. @default "latest" */
  readonly graph?: string;
  /** A table of one's own, which goes before `graph`: a path, a URL, or `-` for `stdin`. */
  readonly ranks?: string;
  /** Which table of the release. @default "host" */
  readonly kind?: "host" | "domain";
  /** What `-` stands for. */
  readonly stdin?: () => AsyncIterable<Uint8Array>;
}

/** A rank table that can be read, once. */
export interface RankTable {
  /** Path or URL. */
  readonly name: string;
  /** Its release; empty for a table of one's own. */
  readonly release: string;
  /**
   * Its bytes, unpacked, in pieces that last until the next is asked for. Nothing of it is read before,
   * and nothing more once this is left.
   *
   * @throws {RankTableError} If it cannot be had or is damaged; a {@linkcode HubError} tells that a
   * site did not give it.
   */
  read(): AsyncGenerator<Uint8Array, void, unknown>;
}

/**
 * Finds the table.
 *
 * @throws {ReleaseError} If there is no such release, or the newest cannot be told.
 */
export async function openRanks(options: OpenRanksOptions = {}): Promise<RankTable> {
  const { ranks } = options;
  if (ranks === "-") {
    const stdin = options.stdin ?? (() => Deno.stdin.readable);
    return { name: "-", release: "", read: () => unpacked("-", stdin()) };
  }
  const graph = options.graph ?? "latest";
  const release = ranks !== undefined
    ? ""
    : graph === "latest"
    ? await findRelease(options)
    : graph;
  const name = ranks ?? rankTableUrl(release, options.kind ?? "host", options);
  return {
    name,
    release,
    async *read() {
      const source = await openBytes(name, options).catch((error) => {
        throw plainly(name, error);
      });
      try {
        yield* unpacked(name, frontToBack(source, isRemote(name) ? MOST_REMOTE : MOST_LOCAL));
      } catch (error) {
        throw plainly(name, error);
      } finally {
        await source[Symbol.asyncDispose]();
      }
    },
  };
}

/** A file's failure is told as a rank table's; a site's own are left as they are, exit codes and all. */
function plainly(name: string, error: unknown): unknown {
  if (isRemote(name) || !(error instanceof WorkListError)) return error;
  const { cause } = error;
  return new RankTableError(name, cause instanceof Error ? whyUnread(cause) : error.message, {
    cause: error,
  });
}
