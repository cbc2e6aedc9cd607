import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { publish } from "../../lib/publish/publisher.ts";
import { parseLedger } from "../../lib/publish/ledger.ts";
import type { PublishedPart, PublishOptions } from "../../lib/publish/types.ts";
import { type LocalHub, startHub } from "../web/hub.ts";
import { type LocalRun, localRun } from "./_run.ts";

const REPO = "someone/captures";
const TOKEN = "hf_secret";

function options(run: LocalRun, hub: LocalHub, more: Partial<PublishOptions> = {}): PublishOptions {
  return {
    dir: run.dir,
    state: run.state,
    kind: "urls",
    repo: REPO,
    server: "server1",
    hub: hub.url,
    token: TOKEN,
    sleep: () => Promise.resolve(),
    ...more,
  };
}

async function published(given: PublishOptions): Promise<PublishedPart[]> {
  const parts: PublishedPart[] = [];
  for await (const part of publish(given)) parts.push(part);
  return parts;
}

Deno.test("publish() puts parts into a new repo, with ledger and card, and deletes them", async () => {
  await using hub = startHub({ token: TOKEN });
  await using run = await localRun();
  const names = [run.seal(3), run.seal(4), run.seal(5)];
  const hashes = names.map((name) => createHash("sha256").update(run.bytes(name)).digest("hex"));
  const parts = await published(options(run, hub));
  assert.deepEqual(parts.map(({ part, rows, outcome }) => [part, rows, outcome]), [
    [names[0], 3, "published"],
    [names[1], 4, "published"],
    [names[2], 5, "published"],
  ]);
  assert.deepEqual(run.parts(), []);
  assert.deepEqual(hub.paths(REPO), [
    "README.md",
    ...hashes.map((hash) => `data/server1-shard0of1-${hash.slice(0, 12)}.parquet`).sort(),
    "ledger/server1-shard0of1.csv",
  ]);
  const [row, ...more] = parseLedger(hub.text(REPO, "ledger/server1-shard0of1.csv"));
  assert.deepEqual(more, []);
  assert.deepEqual([row!.files, row!.rows, row!.row, row!.done], [3, 12, 12, false]);
  assert.match(hub.text(REPO, "README.md"), /\| Rows \| 12 \|/);
  assert.equal(hub.commits(REPO).length, 1);
});
