/**
 * A work list in a dataset repo of the hub.
 *
 * @module
 */

import { open } from "node:fs/promises";
import { HubClient, type HubClientOptions } from "../hub/mod.ts";
import { openHubFile } from "./_hub_file.ts";
import { layOut, listHubFiles } from "./_hub_layout.ts";
import { WorkListError } from "./errors.ts";
import type { Part } from "./_part.ts";
import { captureListPart, type FailureFilter } from "./_failures.ts";
import { type ByteSource, openFile, reason } from "./_source.ts";

/** What the hub has. */
export interface HubParts {
  readonly release: string;
  readonly parts: readonly Part[];
}

/**
 * Lists a repo, picks its release, and makes parts of its files.
 *
 * @throws {WorkListError} If the repo cannot be listed or has no release that can be picked.
 */
export async function hubParts(
  repo: string,
  options: HubClientOptions & {
    readonly column: string | undefined;
    readonly dir: string | undefined;
    readonly scratch: string | undefined;
    readonly failed: FailureFilter | undefined;
  },
): Promise<HubParts> {
  const client = new HubClient(options);
  const { release, paths } = layOut(repo, await listHubFiles(client, repo), options.dir);
  const spool = (name: string, body: AsyncIterable<Uint8Array>) =>
    spoolToDisk(name, body, options.scratch, options);
  return {
    release,
    parts: paths.map((path) =>
      captureListPart(
        path,
        () => openHubFile(client, repo, path, options.now, spool),
        options.column,
        options.failed,
      )
    ),
  };
}

/**
 * The Parquet files of a repo, whatever they hold, each open until the next is asked for.
 *
 * @throws {HubError} If the repo cannot be listed or a file cannot be had.
 */
export async function* hubParquets(
  repo: string,
  options: HubClientOptions & { readonly scratch: string | undefined },
): AsyncGenerator<ByteSource, void, undefined> {
  const client = new HubClient(options);
  const paths = (await listHubFiles(client, repo)).filter((path) => path.endsWith(".parquet"));
  for (const path of paths.sort()) {
    await using source = await openHubFile(
      client,
      repo,
      path,
      options.now,
      (name, body) => spoolToDisk(name, body, options.scratch, options),
    );
    yield source;
  }
}

/** Puts a file on disk, under a name that goes when it is closed. */
export async function spoolToDisk(
  name: string,
  body: AsyncIterable<Uint8Array>,
  dir: string | undefined,
  { stats }: Pick<HubClientOptions, "stats">,
): Promise<ByteSource> {
  const path = await Deno.makeTempFile({
    prefix: "ccrawl-part-",
    ...(dir === undefined ? {} : { dir }),
  });
  try {
    const file = await open(path, "w");
    try {
      for await (const chunk of body) {
        for (let done = 0; done < chunk.length;) {
          done += (await file.write(chunk, done)).bytesWritten;
        }
      }
    } catch (cause) {
      if (typeof (cause as { code?: unknown }).code !== "string") throw cause;
      throw new WorkListError(`Cannot put the part ${name} on disk: ${reason(cause)}`, { cause });
    } finally {
      await file.close();
    }
    const source = await openFile(path, stats);
    return {
      ...source,
      name,
      async [Symbol.asyncDispose]() {
        await source[Symbol.asyncDispose]();
        await Deno.remove(path);
      },
    };
  } catch (error) {
    await Deno.remove(path);
    throw error;
  }
}
