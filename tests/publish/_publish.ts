/** Publishing in the test's own process, to the local hub. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type LedgerRow, parseLedger } from "../../lib/publish/ledger.ts";
import { publish } from "../../lib/publish/publisher.ts";
import type { PublishedPart, PublishEvent, PublishOptions } from "../../lib/publish/types.ts";
import type { HubOptions, LocalHub } from "../web/hub.ts";
import { startHub } from "../web/hub.ts";
import { FakeTime } from "../worklist/_fake_time.ts";
import { type LocalRun, localRun, type LocalRunOptions } from "./_run.ts";

export const REPO = "someone/captures";
export const TOKEN = "hf_aVerySecretToken";

/** Options that publish a run to a hub, without waiting between attempts. */
export function toward(
  run: LocalRun,
  hub: LocalHub,
  more: Partial<PublishOptions> = {},
): PublishOptions {
  const time = new FakeTime();
  return {
    dir: run.dir,
    state: run.state,
    kind: "urls",
    repo: REPO,
    server: "server1",
    hub: hub.url,
    token: TOKEN,
    sleep: time.sleep,
    now: time.now,
    ...more,
  };
}

/** What publishing came to. */
export interface Outcome {
  readonly parts: PublishedPart[];
  readonly events: PublishEvent[];
  readonly error: Error | undefined;
}

/** Publishes to the end, whatever it is. */
export async function attempt(options: PublishOptions): Promise<Outcome> {
  const parts: PublishedPart[] = [], events: PublishEvent[] = [];
  let error: Error | undefined;
  try {
    const publishing = publish({ ...options, onEvent: (event) => events.push(event) });
    for await (const part of publishing) parts.push(part);
  } catch (e) {
    error = e as Error;
  }
  return { parts, events, error };
}

/** Publishes to the end, which must be a good one. */
export async function published(options: PublishOptions): Promise<PublishedPart[]> {
  const { parts, error } = await attempt(options);
  if (error !== undefined) throw error;
  return parts;
}

/** A hub and a run, for one test. */
export async function withHub(
  test: (hub: LocalHub, run: LocalRun) => Promise<void>,
  options: { hub?: HubOptions; run?: LocalRunOptions } = {},
): Promise<void> {
  await using hub = startHub({ token: TOKEN, ...options.hub });
  await using run = await localRun(options.run);
  await test(hub, run);
}

/** Path that a part has in the repo. */
export function pathOf(run: LocalRun, name: string, server = "server1"): string {
  const { shard, shards } = run.checkpoint;
  return `data/${server}-shard${shard}of${shards}-${sha256(run.bytes(name)).slice(0, 12)}.parquet`;
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The one row of a machine's ledger. */
export function ledgerOf(hub: LocalHub, slice = "server1-shard0of1"): LedgerRow {
  const rows = parseLedger(hub.text(REPO, `ledger/${slice}.csv`));
  assert.equal(rows.length, 1);
  return rows[0]!;
}

/** Paths of data that each commit added, in order; none twice. */
export function committed(hub: LocalHub): string[][] {
  const commits = hub.commits(REPO).map(({ paths }) =>
    paths.filter((path) => path.startsWith("data/"))
  );
  const all = commits.flat();
  assert.equal(new Set(all).size, all.length, "nothing is committed twice");
  return commits;
}

/** @throws {AssertionError} Where the ledger does not count what the repo has. */
export function checkCounts(hub: LocalHub, rows: number, slice = "server1-shard0of1"): void {
  const data = hub.paths(REPO).filter((path) => path.startsWith(`data/${slice}-`));
  const row = ledgerOf(hub, slice);
  assert.deepEqual([row.files, row.rows], [data.length, rows]);
  const sizes = data.map((path) => Deno.statSync(hub.file(REPO, path) as string).size);
  assert.equal(row.bytes, sizes.reduce((sum, size) => sum + size, 0));
}

/** Publishes, looks that the token is in nothing that is told, and that nothing is lost. */
export async function told(
  run: LocalRun,
  hub: LocalHub,
  more: Partial<PublishOptions> = {},
): Promise<Outcome> {
  const outcome = await attempt(toward(run, hub, more));
  let words = JSON.stringify([outcome.events, outcome.parts]);
  for (let e: unknown = outcome.error; e instanceof Error; e = e.cause) {
    words += `${e.message}\n${e.stack}`;
  }
  assert.ok(!words.includes(more.token ?? TOKEN) || more.token === "", words);
  assert.ok(!words.includes("signature="), "an address that may be written to");
  return outcome;
}
