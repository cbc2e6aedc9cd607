import assert from "node:assert/strict";
import { fleetLedgers } from "../../lib/publish/fleet.ts";
import { formatLedger, ledgerTime, ledgerTotals } from "../../lib/publish/ledger.ts";
import { startHub } from "../web/hub.ts";
import {
  attempt,
  committed,
  ledgerOf,
  published,
  REPO,
  TOKEN,
  toward,
  withHub,
} from "./_publish.ts";
import { type LocalRun, localRun } from "./_run.ts";

/** Three machines, each with its share. */
async function fleet(test: (runs: readonly LocalRun[]) => Promise<void>): Promise<void> {
  await using first = await localRun({ shard: 0, shards: 3 });
  await using second = await localRun({ shard: 1, shards: 3 });
  await using third = await localRun({ shard: 2, shards: 3 });
  await test([first, second, third]);
}

Deno.test("three machines that commit at the same time lose no numbers", () =>
  fleet(async (runs) => {
    await using hub = startHub({ token: TOKEN });
    for (const [i, run] of runs.entries()) for (let n = 0; n < 4; n++) run.seal(1 + i);
    // The first commits wait for each other, so that only one of them finds the head it was made on.
    const all = Promise.withResolvers<void>();
    let waiting = 0;
    const meet = async (url: string, init: RequestInit) => {
      if (url.endsWith("/commit/main") && waiting < runs.length) {
        if (++waiting === runs.length) all.resolve();
        await all.promise;
      }
      return await fetch(url, init);
    };
    const parts = await Promise.all(
      runs.map((run, i) =>
        published(toward(run, hub, { server: `server${i + 1}`, commitEvery: 1, fetch: meet }))
      ),
    );
    assert.deepEqual(parts.map(({ length }) => length), [4, 4, 4]);
    assert.equal(committed(hub).flat().length, 12);
    assert.ok(hub.log.some(({ to, status }) => to === "commit" && status === 412), "they met");
    const slices = [0, 1, 2].map((i) => `server${i + 1}-shard${i}of3`);
    assert.deepEqual(
      slices.map((slice) => [ledgerOf(hub, slice).files, ledgerOf(hub, slice).rows]),
      [[4, 4], [4, 8], [4, 12]],
    );
    const card = hub.text(REPO, "README.md");
    assert.match(card, /\| Rows \| 24 \|\n\| Files \| 12 \|/);
    for (const i of [0, 1, 2]) {
      assert.match(card, new RegExp(`\\| server${i + 1} \\| ${i} of 3 \\| 4 \\| ${4 + 4 * i} \\|`));
    }
    const ledgers = await fleetLedgers(REPO, { hub: hub.url });
    assert.deepEqual(ledgers.map(({ server }) => server), ["server1", "server2", "server3"]);
    const { files, rows, servers } = ledgerTotals(ledgers);
    assert.deepEqual([files, rows, servers], [12, 24, 3]);
  }));

Deno.test("a machine that was away for a day finds the others' numbers, and puts its own beside them", () =>
  fleet(async ([first, second]) => {
    await using hub = startHub({ token: TOKEN });
    first!.seal(2);
    await published(toward(first!, hub, { server: "a" }));
    for (let n = 0; n < 30; n++) second!.seal(1);
    const names = second!.parts();
    const parts = await published(toward(second!, hub, { server: "b" }));
    assert.deepEqual(parts.map(({ part }) => part), names, "every part, in order, once");
    assert.equal(hub.commits(REPO).length, 1 + 8);
    const { rows } = ledgerTotals(await fleetLedgers(REPO, { hub: hub.url }));
    assert.equal(rows, 32);
    committed(hub);
  }));

Deno.test("ledgers that lie on many pages of a listing are all read", () =>
  withHub(async (hub, run) => {
    for (let i = 0; i < 7; i++) {
      const row = {
        server: `s${i}`,
        shard: i,
        shards: 8,
        files: 1,
        rows: 10,
        bytes: 100,
        part: 0,
        row: 0,
        done: false,
        firstCommitted: "2026-01-01T00:00:00Z",
        lastCommitted: "2026-01-02T00:00:00Z",
      };
      hub.put(REPO, `ledger/s${i}-shard${i}of8.csv`, new TextEncoder().encode(formatLedger([row])));
    }
    hub.put(REPO, "ledger/notes.txt", new Uint8Array(3));
    run.seal(5);
    await published(toward(run, hub));
    assert.equal((await fleetLedgers(REPO, { hub: hub.url })).length, 8);
    assert.match(hub.text(REPO, "README.md"), /\| Rows \| 75 \|/);
    assert.ok(hub.count({ to: "tree" }).requests >= 4);
  }, { hub: { pageSize: 3 } }));

Deno.test("a ledger is read again only when it has changed", () =>
  withHub(async (hub, run) => {
    hub.put(REPO, "ledger/x.csv", new TextEncoder().encode(formatLedger([])));
    for (let i = 0; i < 3; i++) run.seal(1);
    await published(toward(run, hub, { commitEvery: 1 }));
    assert.equal(hub.count({ to: "resolve", path: "ledger/x.csv" }).requests, 1);
  }));

Deno.test("another machine's ledger that is damaged is told of, and left out", () =>
  withHub(async (hub, run) => {
    hub.put(REPO, "ledger/other-shard1of3.csv", new TextEncoder().encode("what,ever\n1,2\n"));
    run.seal(4);
    const { parts, events, error } = await attempt(toward(run, hub));
    assert.equal(error, undefined);
    assert.equal(parts.length, 1);
    const [warning, ...more] = events.filter(({ type }) => type === "warning");
    assert.deepEqual(more, []);
    assert.match(
      (warning as { text: string }).text,
      /^ledger\/other-shard1of3\.csv of someone\/captures is left out: Cannot read the ledger/,
    );
    assert.equal(hub.text(REPO, "ledger/other-shard1of3.csv"), "what,ever\n1,2\n");
    await assert.rejects(fleetLedgers(REPO, { hub: hub.url }), /it has no column server/);
  }));

Deno.test("ledgers that have no end are read up to a bound, and the rest is left out", () =>
  withHub(async (hub, run) => {
    const row = {
      ...{ server: "other", shard: 0, shards: 9999, files: 1, rows: 1, bytes: 1, part: 0, row: 1 },
      ...{ done: false, firstCommitted: ledgerTime(0), lastCommitted: ledgerTime(0) },
    };
    const many = Array.from({ length: 6000 }, (_, shard) => ({ ...row, shard }));
    for (const name of ["x", "y", "z"]) {
      const rows = many.map((one) => ({ ...one, server: name }));
      hub.put(REPO, `ledger/${name}.csv`, new TextEncoder().encode(formatLedger(rows)));
    }
    run.seal(4);
    const { parts, events, error } = await attempt(toward(run, hub));
    assert.equal(error, undefined);
    assert.equal(parts.length, 1);
    const texts = events.flatMap((event) => event.type === "warning" ? [event.text] : []);
    assert.deepEqual(texts.map((text) => text.split(":")[0]), [
      "ledger/y.csv of someone/captures is left out",
      "ledger/z.csv of someone/captures is left out",
    ]);
    assert.match(hub.text(REPO, "README.md"), /\| Machines \| 2 \|/);
  }));

Deno.test("fleetLedgers() of a repo that is not there says so", async () => {
  await using hub = startHub({ token: TOKEN });
  await assert.rejects(
    fleetLedgers("someone/nothing", { hub: hub.url, token: TOKEN }),
    /^HubMissingError: Cannot read someone\/nothing: there is no such dataset/,
  );
});
