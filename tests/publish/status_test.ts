import assert from "node:assert/strict";
import { main } from "../../lib/cli/app.ts";
import { testHost } from "../cli/_host.ts";
import { startHub } from "../web/hub.ts";
import { published, REPO, toward, withHub } from "./_publish.ts";
import { localRun } from "./_run.ts";

async function status(hub: string, ...args: string[]) {
  const host = testHost({ env: { HF_ENDPOINT: hub } });
  const code = await main(["recrawl", "status", "-o", "jsonl", ...args], host);
  const records = host.out().split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  return { code, records, err: host.err() };
}

Deno.test("recrawl status shows checkpoints, and with --hub the ledgers of the fleet", () =>
  withHub(async (hub, run) => {
    await using other = await localRun({ shard: 1, shards: 2 });
    run.seal(3);
    other.seal(4);
    other.finish();
    await published(toward(run, hub));
    await published(toward(other, hub, { server: "server2" }));

    const alone = await status(hub.url, "--state", run.state);
    assert.equal(alone.code, 0, alone.err);
    assert.deepEqual(alone.records.map(({ state, row, done }) => [state, row, done]), [
      [run.state, 3, 3],
    ]);
    assert.ok(!("server" in alone.records[0]));

    const fleet = await status(hub.url, "--hub", "--repo", REPO);
    assert.deepEqual(Object.keys(fleet.records[0]), [
      ...["repo", "server", "shard", "shards", "files", "rows", "bytes", "part", "row"],
      ...["finished", "first_committed", "last_committed"],
    ]);
    assert.deepEqual(
      fleet.records.map((r) => [r.server, r.shard, r.shards, r.files, r.rows, r.finished]),
      [["server1", 0, 1, 1, 3, false], ["server2", 1, 2, 1, 4, true]],
    );

    const both = await status(hub.url, "--state", run.state, "--hub", "--repo", REPO);
    assert.deepEqual(both.records.map(({ state, server }) => state || server), [
      ...[run.state, "server1", "server2"],
    ]);
  }));

Deno.test("recrawl status --hub asks for the fleet of the list that a state is of", async () => {
  await using hub = startHub();
  await using run = await localRun({ source: "open-index/ccrawl-domains#domain" });
  hub.repo("open-index/ccrawl-recrawl-domains");
  const { code, records, err } = await status(hub.url, "--hub", "--state", run.state);
  assert.deepEqual([code, records.length], [0, 1], err);
  assert.ok(hub.log.every(({ target }) => target.includes("ccrawl-recrawl-domains")));
});

Deno.test("recrawl status --hub shows no name that acts on a terminal", async () => {
  await using hub = startHub();
  hub.put(REPO, "ledger/\x1b[2Jx.csv", new Uint8Array((1 << 20) + 1));
  const { code, err } = await status(hub.url, "--hub", "--repo", REPO);
  assert.equal(code, 3, err);
  assert.match(err, /ledger\/\?\[2Jx\.csv of someone\/captures is left out: /);
});

Deno.test("recrawl status --hub of repos that are not there finds nothing, and says so", async () => {
  await using hub = startHub();
  const { code, records, err } = await status(hub.url, "--hub");
  assert.deepEqual([code, records], [3, []]);
  assert.match(err, /ccrawl-recrawl-domains is not there yet, or is private\n/);
  assert.match(err, /ccrawl-recrawl-urls is not there yet, or is private\n/);
  const named = await status(hub.url, "--hub", "--repo", REPO);
  assert.equal(named.code, 4);
});
