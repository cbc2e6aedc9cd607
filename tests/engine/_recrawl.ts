/** Recrawls of the local web, for tests. */

import assert from "node:assert/strict";
import { listParts } from "../../lib/capture/part_sequence.ts";
import { readCaptures, readPartInfo } from "../../lib/capture/reader.ts";
import type { CaptureColumnName, CaptureRow } from "../../lib/capture/schema.ts";
import type { SmallRow } from "../../lib/capture/small_row.ts";
import { recrawl, type RecrawlRun } from "../../lib/engine/recrawl.ts";
import type { RecrawlOptions } from "../../lib/engine/recrawl_options.ts";
import { type Fault, verifyPaths } from "../../lib/engine/verify.ts";
import type { LocalWeb } from "../web/mod.ts";

/** What a test gives of the options: the list may be the URLs themselves. */
export type RecrawlTestOptions = Omit<Partial<RecrawlOptions>, "from"> & {
  readonly from: string | readonly string[];
};

/** Options that point a recrawl at `web`, quick and without a disk floor. */
export function toward(web: LocalWeb, dir: string, options: RecrawlTestOptions): RecrawlOptions {
  const { from, ...rest } = options;
  return {
    from: typeof from === "string" ? from : writeList(dir, from),
    out: `${dir}/out`,
    resolvers: web.resolvers,
    allowPrivate: true,
    caCerts: [Deno.readTextFileSync(web.caFile)],
    delayMs: 5,
    minFree: 0,
    extractors: 1,
    extractor: "none",
    ...rest,
  };
}

/** A work list of these URLs. */
export function writeList(dir: string, urls: Iterable<string>, name = "list.txt"): string {
  Deno.writeTextFileSync(`${dir}/${name}`, [...urls].join("\n") + "\n");
  return `${dir}/${name}`;
}

/** Runs a recrawl to its end. */
export async function collect(
  web: LocalWeb,
  dir: string,
  options: RecrawlTestOptions,
): Promise<{ records: SmallRow[]; run: RecrawlRun }> {
  const run = recrawl(toward(web, dir, options));
  const records: SmallRow[] = [];
  for await (const record of run) records.push(record);
  return { records, run };
}

/** Runs a recrawl to its end and gives the rows that it wrote, by URL. */
export async function rowsOfRun(
  web: LocalWeb,
  dir: string,
  options: RecrawlTestOptions,
): Promise<Map<string, CaptureRow>> {
  await collect(web, dir, options);
  await verifyClean(`${dir}/out`);
  return byUrl(await readRows(`${dir}/out`));
}

/** The words of a recrawl of `web` into `dir`. */
export function recrawlArgs(web: LocalWeb, dir: string, ...more: string[]): string[] {
  return [
    ..."recrawl run --allow-private --min-free 0 -o jsonl --progress none".split(" "),
    ...["--ca-cert", web.caFile, "--from", `${dir}/list.txt`],
    ...["--state", `${dir}/state.json`, "--out", `${dir}/out`],
    ...web.resolvers.flatMap((resolver) => ["--resolver", resolver]),
    ...more,
  ];
}

/** Every row of a folder's parts. */
export async function readRows<K extends CaptureColumnName = CaptureColumnName>(
  dir: string,
  columns?: readonly K[],
): Promise<Pick<CaptureRow, K>[]> {
  const rows: Pick<CaptureRow, K>[] = [];
  for await (
    const row of readCaptures(dir, columns === undefined ? {} : { columns: [...columns] })
  ) {
    rows.push(row as Pick<CaptureRow, K>);
  }
  return rows;
}

/** @throws {AssertionError} Where a URL has two rows. */
export function byUrl<R extends { readonly url: string }>(rows: readonly R[]): Map<string, R> {
  const found = new Map<string, R>();
  for (const row of rows) {
    assert.ok(!found.has(row.url), `${row.url} has two rows`);
    found.set(row.url, row);
  }
  return found;
}

/** `meta_json`, read. */
export function metaOf(row: Pick<CaptureRow, "meta_json">): Record<string, unknown> {
  return JSON.parse(row.meta_json) as Record<string, unknown>;
}

/**
 * The shortest time between two pages of a host by the run's own clock, in ms, over rows without
 * redirects. Unlike the server's figure, nothing else on the machine moves it.
 */
export function shortestGap(
  rows: readonly Pick<SmallRow, "host" | "fetched_at" | "status">[],
): number {
  const last = new Map<string, number>();
  let gap = Infinity;
  const answered = rows.filter(({ status }) => status !== 0);
  for (const { host, fetched_at } of answered.sort((a, b) => a.fetched_at - b.fetched_at)) {
    gap = Math.min(gap, fetched_at - (last.get(host) ?? -Infinity));
    last.set(host, fetched_at);
  }
  return gap;
}

/** Rows in a folder's parts, by their footers. */
export async function countRows(dir: string): Promise<number> {
  let count = 0;
  for (const name of listParts(dir)) count += (await readPartInfo(`${dir}/${name}`)).rows;
  return count;
}

/** @throws {AssertionError} When a check finds a fault in what a recrawl left. */
export async function verifyClean(out: string, state?: string): Promise<void> {
  const faults: Fault[] = [];
  for await (const fault of verifyPaths([out], state === undefined ? {} : { state })) {
    if (faults.push(fault) === 10) break;
  }
  assert.deepEqual(faults, []);
}
