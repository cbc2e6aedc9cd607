/** Refetches of the local web, for tests. */

import { join } from "node:path";
import { INFO, members, response } from "../parse/_archives.ts";
import type { LocalWeb } from "../web/mod.ts";

/** A shard in which these pages were once. */
export async function writeShard(
  dir: string,
  name: string,
  urls: readonly string[],
): Promise<void> {
  const pages = urls.map((url) => response(url, `<p>${url}`));
  await Deno.writeFile(join(dir, name), members([INFO, ...pages]));
}

/** The words of a refetch of a folder's shards. */
export function refetchArgs(web: LocalWeb, dir: string, ...more: string[]): string[] {
  return [
    ..."markdown refetch --allow-private --min-free 0 -o jsonl --progress none".split(" "),
    ...["--ca-cert", web.caFile, "--out", join(dir, "out"), dir, "--delay", "5ms"],
    ...web.resolvers.flatMap((resolver) => ["--resolver", resolver]),
    ...["--extractors", "1", ...more],
  ];
}

/** The ledger, by shard. */
export async function readLedger(dir: string): Promise<Record<string, Record<string, string>>> {
  const text = await Deno.readTextFile(join(dir, "out", "ledger.csv"));
  const [head, ...rows] = text.trimEnd().split("\n").map((line) => line.split(","));
  const objects = rows.map((row) => Object.fromEntries(row.map((cell, i) => [head![i]!, cell])));
  return Object.fromEntries(objects.map((row) => [row.shard!, row]));
}
