import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { diskFs } from "../../lib/files/fs.ts";
import { type Checkpoint, CheckpointFile } from "../../lib/worklist/checkpoint.ts";
import { workList } from "../../lib/worklist/_list.ts";
import type { Part } from "../../lib/worklist/_part.ts";
import { LAST_ROW, normalRanges } from "../../lib/worklist/ranges.ts";
import { type PartOnDisk, type PartRowsInfo, reconcile } from "../../lib/worklist/reconcile.ts";
import { WorkProgress } from "../../lib/worklist/progress.ts";
import { ReorderBuffer } from "../../lib/worklist/reorder.ts";
import type { WorkRow } from "../../lib/worklist/types.ts";

const BASE: Checkpoint = {
  source: "s",
  release: "r",
  shard: 0,
  shards: 1,
  run: "run-1",
  part: 2,
  partName: "p2",
  row: 100,
  pending: [{ part: 1, first: 50, last: 59 }, { part: 2, first: 10, last: 10 }],
  sealed: ["x-00000.parquet", "x-00001.parquet"],
  highestPart: 1,
  done: false,
  fetched: 1000,
  rows: 1200,
  suffixList: "",
};
const part = (number: number): PartOnDisk => ({
  name: `x-${String(number).padStart(5, "0")}.parquet`,
  number,
});
const never = () => assert.fail("no footer is to be read");

Deno.test("reconcile() changes nothing where parts and checkpoint agree", async () => {
  const { state, ...found } = await reconcile(BASE, [part(0), part(1)], never);
  const { part: p, partName, row, pending, sealed, highestPart, fetched, rows, done } = BASE;
  assert.deepEqual(state, {
    part: p,
    partName,
    row,
    pending,
    sealed,
    highestPart,
    fetched,
    rows,
    done,
  });
  assert.deepEqual(found, { adopted: [], gone: [], foreign: [], damaged: [] });
});

Deno.test("reconcile() takes in a part that was renamed and not checkpointed", async () => {
  const info = {
    run: "run-1",
    ranges: [{ part: 1, first: 52, last: 52 }, { part: 2, first: 120, last: 129 }],
    fetched: 9,
  };
  const { state, adopted } = await reconcile(BASE, [part(0), part(1), part(2)], () => info);
  assert.deepEqual(adopted, [part(2).name]);
  assert.deepEqual(state, {
    part: 2,
    partName: "p2",
    row: 130,
    pending: [
      { part: 1, first: 50, last: 51 },
      { part: 1, first: 53, last: 59 },
      { part: 2, first: 10, last: 10 },
      { part: 2, first: 100, last: 119 },
    ],
    sealed: [part(0).name, part(1).name, part(2).name],
    highestPart: 2,
    fetched: 1009,
    rows: 1211,
    done: false,
  });
});

Deno.test("reconcile() reads the rest of a part again when a durable row is in the next", async () => {
  const info = { run: "run-1", ranges: [{ part: 3, first: 4, last: 5 }] };
  const before = { ...BASE, lastPart: "of before the list grew", pending: [] };
  const { state } = await reconcile(before, [part(2)], () => info);
  assert.deepEqual([state.part, state.partName, state.lastPart, state.row], [3, "", "", 6]);
  assert.deepEqual(state.pending, [{ part: 2, first: 100, last: LAST_ROW }, {
    part: 3,
    first: 0,
    last: 3,
  }]);
});

Deno.test("reconcile() drops the names of parts that were published, and never goes back in numbers", async () => {
  const { state, gone } = await reconcile({ ...BASE, highestPart: 9 }, [part(1)], never);
  assert.deepEqual(gone, [part(0).name]);
  assert.deepEqual(state.sealed, [part(1).name]);
  assert.equal(state.highestPart, 9);
});

Deno.test("reconcile() leaves alone what another run wrote and what cannot be read, but not their numbers", async () => {
  const broken = new Error("no footer");
  const read = (name: string): PartRowsInfo => {
    if (name === part(5).name) throw broken;
    return name === part(6).name
      ? { run: "run-1", ranges: [{ part: 0, first: 5, last: 4 }] }
      : { run: "run-2", ranges: [{ part: 2, first: 100, last: 900 }] };
  };
  const { state, adopted, foreign, damaged } = await reconcile(
    BASE,
    [part(7), part(6), part(5), part(0), part(1)],
    read,
  );
  assert.deepEqual(adopted, []);
  assert.deepEqual(foreign, [part(7).name]);
  assert.deepEqual(damaged.map((d) => d.name), [part(5).name, part(6).name]);
  assert.equal(damaged[0]!.reason, broken);
  assert.deepEqual([state.part, state.row, state.highestPart], [2, 100, 7]);
  assert.deepEqual(state.pending, BASE.pending);
});

Deno.test("WorkProgress refuses a list whose parts are others than those that were counted", () => {
  const parts = ["a", "b"].map((name): Part => ({
    name,
    read: () => assert.fail("nothing is to be read"),
  }));
  const list = workList("folder", "", parts, {
    rows: 0,
    bad: 0,
    bytes: 0,
    requests: 0,
    retries: 0,
  });
  const at = (part: number, partName: string) => ({ part, partName, row: 5, pending: [] });
  new WorkProgress(list, at(1, "b"));
  new WorkProgress(list, at(2, ""));
  assert.throws(() => new WorkProgress(list, at(1, "a2")), /part number 1 was "a2" and is now "b"/);
  assert.throws(() => new WorkProgress(list, at(2, "c")), /was "c" and is now missing/);
});

Deno.test("WorkProgress at the end of a list knows its last part: none may come in front, more may follow", async () => {
  const listOf = (...names: string[]) =>
    workList(
      "folder",
      "",
      names.map((name): Part => ({
        name,
        async *read() {
          yield await Promise.resolve({ row: 0, values: ["a.example"] });
        },
      })),
      { rows: 0, bad: 0, bytes: 0, requests: 0, retries: 0 },
    );
  const list = listOf("b", "c");
  const progress = new WorkProgress(list, { part: 0, partName: "", row: 0, pending: [] });
  for await (const batch of list.read(progress.readOptions())) progress.read(batch);
  const state = progress.state();
  assert.deepEqual(state, {
    part: 2,
    partName: "",
    lastPart: "c",
    row: 0,
    pending: [{ part: 0, first: 0, last: 0 }, { part: 1, first: 0, last: 0 }],
  });
  new WorkProgress(list, state);
  assert.equal(new WorkProgress(listOf("b", "c", "d"), state).state().partName, "d");
  for (const names of [["a", "b", "c"], ["c"], ["b", "d"]]) {
    assert.throws(
      () => new WorkProgress(listOf(...names), state),
      /its part number 1 was "c" and is now/,
    );
  }
});

/** A run that is killed where `kill` says so: reading, parts, checkpoints are the real ones. */
async function simulate(seed: number, path: string): Promise<void> {
  let random = seed >>> 0;
  const chance = (n: number) => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(random / 2 ** 32 * n);
  };
  const lengths = Array.from({ length: 3 }, () => 40 + chance(60));
  const parts: Part[] = lengths.map((length, p) => ({
    name: `part-${p}`,
    async *read(wanted) {
      for (const { start, end } of wanted) {
        for (let row = start; row < Math.min(end, length); row += 10) {
          const values = [];
          for (let r = row; r < Math.min(row + 10, end, length); r++) {
            values.push(`https://h${(p * 7 + Math.floor(r / 9)) % 13}.example/${p}/${r}`);
          }
          yield await Promise.resolve({ row, values });
        }
      }
    },
  }));
  // What syncing is for, a kill of the process does not show.
  const fs = { ...diskFs, sync: () => {}, syncDir: () => {} };
  const disk = new Map<string, { number: number; info: PartRowsInfo }>();
  const published: PartRowsInfo[] = [];
  class Killed extends Error {}
  const mayDie = () => {
    if (chance(14) === 0) throw new Killed();
  };
  for (let life = 0; life < 400; life++) {
    const identity = { source: "s", release: "", shard: 0, shards: 1 };
    using file = CheckpointFile.open(path, identity, { fs });
    try {
      const onDisk = [...disk].map(([name, { number }]) => ({ name, number }));
      const { state } = await reconcile(file.state, onDisk, (name) => disk.get(name)!.info);
      mayDie();
      file.save(state);
      mayDie();
      if (file.state.done) {
        const held = [...published, ...[...disk.values()].map((d) => d.info)].flatMap((info) =>
          info.ranges
        );
        const expected = lengths.map((length, p) => ({ part: p, first: 0, last: length - 1 }));
        assert.deepEqual(normalRanges(held), expected, "every row is in a part");
        const total = held.reduce((sum, r) => sum + r.last - r.first + 1, 0);
        assert.equal(total, lengths.reduce((a, b) => a + b), "no row is in two parts");
        return;
      }
      const list = workList("s", "", parts, { rows: 0, bad: 0, bytes: 0, requests: 0, retries: 0 });
      const progress = new WorkProgress(list, file.state);
      await using buffer = new ReorderBuffer(list.read({ ...progress.readOptions(), batch: 20 }), {
        workers: 4,
        maxRows: 60,
        onBatch: (batch) => progress.read(batch),
      });
      let { highestPart } = file.state;
      const writers: WorkRow[][] = [[], []];
      const straggler = `h${chance(13)}.example`;
      const late: WorkRow[] = [];
      const seal = (done: boolean) => {
        const names: string[] = [];
        const rows: WorkRow[] = [];
        for (const written of writers) {
          if (written.length === 0) continue;
          const number = ++highestPart;
          const name = `p-${number}`;
          assert.ok(!disk.has(name), "a number is used again");
          mayDie();
          const ranges = normalRanges(
            written.map((r) => ({ part: r.part, first: r.row, last: r.row })),
          );
          // The rename: from here on the part is there.
          disk.set(name, { number, info: { run: file.state.run, ranges } });
          names.push(name);
          rows.push(...written);
          written.length = 0;
          mayDie();
        }
        assert.equal(progress.retire(rows), rows.length);
        file.save({
          ...progress.state(),
          sealed: [...file.state.sealed.filter((n) => disk.has(n)), ...names],
          highestPart,
          done,
        });
        mayDie();
        for (const name of file.state.sealed) {
          if (chance(3) > 0 || !disk.has(name)) continue;
          published.push(disk.get(name)!.info);
          disk.delete(name);
        }
      };
      for (let row; (row = await buffer.next()) !== undefined;) {
        if (row.host === straggler) late.push(row);
        else writers[chance(2)]!.push(row);
        if (chance(25) === 0) seal(false);
      }
      writers[0]!.push(...late);
      seal(true);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
  assert.fail("the run never ended");
}

Deno.test("killed at any moment, published at any moment: every row is in one part, and in one only", async () => {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-reconcile-" });
  try {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), (seed) => simulate(seed, join(dir, `${n++}.json`))),
      { numRuns: 40 },
    );
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
