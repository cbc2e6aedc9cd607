import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StateLockedError } from "../../lib/files/errors.ts";
import { lockFile } from "../../lib/files/lock.ts";
import { PartChangedError, PublishError, PublishMismatchError } from "../../lib/publish/errors.ts";
import { publish } from "../../lib/publish/publisher.ts";
import {
  attempt,
  checkCounts,
  committed,
  ledgerOf,
  pathOf,
  published,
  REPO,
  toward,
  withHub,
} from "./_publish.ts";
import { FakeTime } from "../worklist/_fake_time.ts";

Deno.test("publish() puts parts into a new repo, with ledger and card, and deletes them", () =>
  withHub(async (hub, run) => {
    const names = [run.seal(3), run.seal(4), run.seal(5)];
    const paths = names.map((name) => pathOf(run, name));
    const parts = await published(toward(run, hub));
    const [commit] = hub.commits(REPO);
    assert.deepEqual(
      parts.map((p) => [p.part, p.path, p.rows, p.outcome, p.commit]),
      names.map((name, i) => [name, paths[i], 3 + i, "published", commit?.oid]),
    );
    assert.deepEqual(run.parts(), []);
    assert.deepEqual(hub.paths(REPO), [
      "README.md",
      ...paths.toSorted(),
      "ledger/server1-shard0of1.csv",
    ]);
    assert.equal(hub.look(REPO)?.private, false);
    checkCounts(hub, 12);
    const row = ledgerOf(hub);
    assert.deepEqual([row.part, row.row, row.done], [0, 12, false]);
    assert.match(hub.text(REPO, "README.md"), /\| Rows \| 12 \|/);
  }));

Deno.test("publish() makes a private repo where it is asked for one", () =>
  withHub(async (hub, run) => {
    run.seal();
    await published(toward(run, hub, { private: true }));
    assert.equal(hub.look(REPO)?.private, true);
  }));

Deno.test("publish() takes parts in the order they were sealed in, so many in a commit", () =>
  withHub(async (hub, run) => {
    const paths = Array.from({ length: 7 }, () => pathOf(run, run.seal(1)));
    await published(toward(run, hub, { commitEvery: 3 }));
    assert.deepEqual(committed(hub), [paths.slice(0, 3), paths.slice(3, 6), paths.slice(6)]);
    checkCounts(hub, 7);
  }));

Deno.test("publish() takes only parts that the checkpoint knows", () =>
  withHub(async (hub, run) => {
    const known = run.seal();
    const unknown = run.seal(3, { known: false });
    writeFileSync(join(run.dir, "ccrawl-recrawl-00009.parquet.open"), "half");
    assert.deepEqual((await published(toward(run, hub))).map(({ part }) => part), [known]);
    assert.deepEqual(run.parts(), [unknown]);
    run.know(unknown);
    assert.deepEqual((await published(toward(run, hub))).map(({ part }) => part), [unknown]);
    checkCounts(hub, 6);
  }));

Deno.test("publish() deletes what the hub has already, and does not count it again", () =>
  withHub(async (hub, run) => {
    const name = run.seal(), bytes = run.bytes(name);
    await published(toward(run, hub));
    // as after a kill between the commit and the deletion
    writeFileSync(join(run.dir, name), bytes);
    run.know(name);
    const more = run.seal(4);
    const taken = hub.taken;
    const parts = await published(toward(run, hub));
    assert.deepEqual(parts.map(({ part, outcome }) => [part, outcome]), [
      [name, "present"],
      [more, "published"],
    ]);
    assert.deepEqual(run.parts(), []);
    assert.equal(committed(hub).length, 2);
    assert.ok(hub.taken - taken < 2 * bytes.length, "it is not sent again");
    checkCounts(hub, 7);
  }));

Deno.test("publish() leaves parts that are published where it is told to, and hashes none twice", () =>
  withHub(async (hub, run) => {
    const names = [run.seal(), run.seal()];
    assert.equal((await published(toward(run, hub, { keep: true }))).length, 2);
    assert.deepEqual(run.parts(), names);
    const remembered = Deno.readTextFileSync(`${run.state}.publish`).trim().split("\n");
    assert.equal(remembered.length, 2);
    const again = await published(toward(run, hub, { keep: true }));
    assert.deepEqual(again.map(({ outcome }) => outcome), ["present", "present"]);
    assert.deepEqual(Deno.readTextFileSync(`${run.state}.publish`).trim().split("\n"), remembered);
    assert.equal(committed(hub).length, 1);
    checkCounts(hub, 6);
    await published(toward(run, hub));
    assert.deepEqual(run.parts(), []);
  }));

Deno.test("publish() without pushing writes nothing but a preview, and needs no token", () =>
  withHub(async (hub, run) => {
    run.seal(3);
    run.seal(4);
    const { parts, events, error } = await attempt(toward(run, hub, { push: false, token: "" }));
    assert.equal(error, undefined);
    assert.deepEqual(parts.map(({ rows, outcome }) => [rows, outcome]), [
      [3, "pending"],
      [4, "pending"],
    ]);
    assert.deepEqual(events, [{ type: "preview", dir: `${run.state}.preview` }]);
    assert.equal(run.parts().length, 2);
    assert.equal(hub.look(REPO), undefined);
    const read = (path: string) => Deno.readTextFileSync(`${run.state}.preview/${path}`);
    assert.match(read("README.md"), /\| Rows \| 7 \|/);
    assert.match(read("ledger/server1-shard0of1.csv"), /\nserver1,0,1,2,7,/);
    assert.ok(hub.log.every(({ method }) => method === "GET"));
  }));

Deno.test("publish() without pushing does not wait an hour for a hub that is not there", () =>
  withHub(async (hub, run) => {
    run.seal();
    const time = new FakeTime();
    const { error } = await attempt(toward(run, hub, {
      ...{ push: false, token: "", sleep: time.sleep, now: time.now },
      fetch: () => Promise.reject(new TypeError("refused")),
    }));
    assert.equal(error?.name, "HubNetworkError");
    assert.ok(time.now() <= 30_000, `${time.now()} ms`);
    assert.equal(existsSync(`${run.state}.preview`), false);
  }));

Deno.test("publish() goes on past a part that is taken away before it is sent", () =>
  withHub(async (hub, run) => {
    const [first] = [run.seal(3), run.seal(4), run.seal(5)];
    const parts = await published(toward(run, hub, {
      commitEvery: 2,
      fetch: (url, init) => {
        if (url.includes("paths-info")) rmSync(`${run.dir}/${first}`, { force: true });
        return fetch(url, init);
      },
    }));
    assert.deepEqual(parts.map(({ rows }) => rows), [4, 5]);
    assert.equal(run.parts().length, 0);
    checkCounts(hub, 9);
  }));

Deno.test("publish() watches until the run is done and nothing is left", () =>
  withHub(async (hub, run) => {
    const waits: number[] = [];
    const steps = [
      () => run.seal(2),
      () => {},
      () => {
        run.seal(3);
        run.seal(1);
      },
      () => run.finish(),
    ];
    const parts = await published(toward(run, hub, {
      watchMs: 60_000,
      sleep: (ms) => {
        waits.push(ms);
        steps.shift()?.();
        return Promise.resolve();
      },
    }));
    assert.deepEqual(parts.map(({ rows }) => rows), [2, 3, 1]);
    assert.deepEqual(waits, [60_000, 60_000, 60_000, 60_000]);
    assert.equal(ledgerOf(hub).done, true);
    checkCounts(hub, 6);
    const commits = hub.commits(REPO).length;
    assert.deepEqual(await published(toward(run, hub, { watchMs: 60_000 })), []);
    assert.equal(hub.commits(REPO).length, commits, "what is done is done");
  }));

Deno.test("publish() waits for a run that has no state yet, and says so once", () =>
  withHub(async (hub, run) => {
    const state = join(run.folder, "later", "state.json");
    let looks = 0;
    const { parts, events, error } = await attempt(toward(run, hub, {
      state,
      watchMs: 1000,
      sleep: () => {
        if (++looks === 3) {
          run.seal(2);
          run.finish();
          Deno.copyFileSync(run.state, state);
        }
        return Promise.resolve();
      },
    }));
    assert.equal(error, undefined);
    assert.deepEqual(parts.map(({ rows }) => rows), [2]);
    assert.deepEqual(events.filter(({ type }) => type === "no-state"), [
      { type: "no-state", state },
    ]);
    const missing = await attempt(toward(run, hub, { state: join(run.folder, "none.json") }));
    assert.match(missing.error!.message, /^Cannot publish: there is no state .*none\.json\. Give/);
  }));

Deno.test("publish() says in the last commit that the list has been worked off", () =>
  withHub(async (hub, run) => {
    run.seal();
    run.finish();
    await published(toward(run, hub));
    assert.equal(hub.commits(REPO).length, 1, "with the last part where that is known by then");
    assert.equal(ledgerOf(hub).done, true);
    assert.match(hub.text(REPO, "README.md"), /\| server1 \| 0 of 1 \| 1 \| 3 \| .* \| all \|/);
  }));

Deno.test("publish() of a share without rows says that it is done", () =>
  withHub(async (hub, run) => {
    run.finish();
    assert.deepEqual(await published(toward(run, hub)), []);
    const { files, rows, done } = ledgerOf(hub);
    assert.deepEqual([files, rows, done], [0, 0, true]);
  }));

Deno.test("publish() stops at its limit", () =>
  withHub(async (hub, run) => {
    for (let i = 0; i < 5; i++) run.seal(1);
    assert.equal((await published(toward(run, hub, { limit: 3, commitEvery: 2 }))).length, 3);
    assert.equal(run.parts().length, 2);
    assert.equal(committed(hub).flat().length, 3);
    checkCounts(hub, 3);
  }));

Deno.test("publish() refuses a state of another share, or of the other list", () =>
  withHub(async (hub, run) => {
    run.seal();
    const cases = [
      [{ shard: 1 }, /the shard of the state ".*" is 0, --shard is 1\./],
      [{ shards: 3 }, /the shards of the state ".*" is 1, --shards is 3\./],
      [
        { kind: "domains" },
        /is of open-index\/ccrawl-urls#url, --kind is domains\. Give --kind urls/,
      ],
    ] as const;
    for (const [more, message] of cases) {
      const { error } = await attempt(toward(run, hub, more));
      assert.ok(error instanceof PublishMismatchError);
      assert.match(error.message, message);
    }
    const { error } = await attempt(toward(run, hub, { dir: join(run.folder, "captured") }));
    assert.ok(error instanceof PublishError);
    assert.match(error.message, /there is no folder .*captured\. Give the one/);
    assert.deepEqual(
      [hub.count().requests, hub.look(REPO)],
      [0, undefined],
      "found without the hub",
    );
    assert.equal(run.parts().length, 1);
    assert.equal((await published(toward(run, hub, { shard: 0, shards: 1 }))).length, 1);
  }));

Deno.test("publish() leaves a damaged part, publishes the others, and says so in the end", () =>
  withHub(async (hub, run) => {
    const bad = run.seal(2);
    Deno.truncateSync(join(run.dir, bad), 1000);
    run.seal(3);
    const { parts, events, error } = await attempt(toward(run, hub));
    assert.deepEqual(parts.map(({ rows }) => rows), [3]);
    assert.deepEqual(run.parts(), [bad]);
    assert.equal(events.filter(({ type }) => type === "warning").length, 1);
    assert.ok(error instanceof PublishError);
    assert.match(error.message, new RegExp(`^Cannot publish ${bad}: damaged\\.`));
    checkCounts(hub, 3);
  }));

Deno.test("publish() refuses a folder that is another run's", () =>
  withHub(async (hub, run) => {
    run.seal(3, { run: crypto.randomUUID() });
    const { error } = await attempt(toward(run, hub));
    assert.match(error!.message, /the state names it, and it is of another run\. Give the folder/);
    assert.equal(run.parts().length, 1);
  }));

Deno.test("publish() does not call a share done whose parts it has never seen", () =>
  withHub(async (hub, run) => {
    const name = run.seal();
    run.finish();
    Deno.mkdirSync(join(run.folder, "other"));
    const wrong = await attempt(toward(run, hub, { dir: join(run.folder, "other") }));
    assert.match(wrong.error!.message, /has written 1 parts, none of them is in the folder/);
    assert.equal(hub.commits(REPO).length, 0);
    const none = await attempt(toward(run, hub, { dir: join(run.folder, "none") }));
    assert.match(none.error!.message, /^Cannot publish: there is no folder .*none\. Give the one/);
    assert.deepEqual((await published(toward(run, hub))).map(({ part }) => part), [name]);
    assert.equal(ledgerOf(hub).done, true);
  }));

Deno.test("publish() overwrites nothing: what the repo has under a part's name is not the part", () =>
  withHub(async (hub, run) => {
    const name = run.seal();
    hub.put(REPO, pathOf(run, name), new Uint8Array(100));
    const { error } = await attempt(toward(run, hub));
    assert.ok(error instanceof PartChangedError);
    assert.match(error.message, /someone\/captures has something else at data\/server1-shard0of1-/);
    assert.deepEqual(run.parts(), [name]);
    assert.equal((hub.file(REPO, pathOf(run, name)) as Uint8Array).length, 100);
  }));

Deno.test("publish() is refused beside another of the same state, and not beside the run", () =>
  withHub(async (hub, run) => {
    run.seal();
    {
      using _other = lockFile(`${run.state}.publish`);
      const { error } = await attempt(toward(run, hub));
      assert.ok(error instanceof StateLockedError);
      assert.equal(error.pid, Deno.pid);
    }
    assert.equal((await published(toward(run, hub))).length, 1, "the run has its state locked");
  }));

Deno.test("publish() yields a part when it is deleted, and can be left at any part", () =>
  withHub(async (hub, run) => {
    for (let i = 0; i < 4; i++) run.seal(1);
    const publishing = publish(toward(run, hub, { commitEvery: 2 }));
    for await (const { part } of publishing) {
      assert.ok(!run.parts().includes(part));
      break;
    }
    assert.equal(run.parts().length, 2);
    const { published: count, waiting, commits } = publishing.figures;
    assert.deepEqual([count, waiting, commits], [2, 2, 1]);
    await published(toward(run, hub));
    checkCounts(hub, 4);
  }));

Deno.test("publish() refuses options that are out of their range", () => {
  const base = { dir: "d", state: "s", kind: "urls", hub: "http://127.0.0.1:1" } as const;
  assert.throws(() => publish({ ...base, commitEvery: 0 }), /commitEvery must be 1 or more/);
  assert.throws(() => publish({ ...base, repo: "captures" }), /a repo is owner\/name/);
  assert.throws(() => publish({ ...base, server: "..." }), RangeError);
});
