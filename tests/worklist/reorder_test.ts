import assert from "node:assert/strict";
import fc from "fast-check";
import { ReorderBuffer } from "../../lib/worklist/reorder.ts";
import type { WorkBatch, WorkRow } from "../../lib/worklist/types.ts";

function rowsOf(hosts: readonly string[]): WorkRow[] {
  return hosts.map((host, row) => ({ part: 0, row, url: `https://${host}/${row}`, host }));
}

async function* batches(rows: readonly WorkRow[], size: number): AsyncGenerator<WorkBatch> {
  for (let at = 0; at < rows.length; at += size) {
    const slice = rows.slice(at, at + size);
    yield await Promise.resolve({
      rows: slice,
      next: { part: 0, row: at + slice.length },
      unread: [],
    });
  }
}

async function drain(buffer: ReorderBuffer): Promise<WorkRow[]> {
  const out: WorkRow[] = [];
  for (let row; (row = await buffer.next()) !== undefined;) out.push(row);
  return out;
}

/** The rule as it is told: no structure, no cleverness. */
function naive(
  rows: readonly WorkRow[],
  batch: number,
  workers: number,
  maxRows: number,
): WorkRow[] {
  let read = 0;
  let held: WorkRow[] = [];
  let turns: string[] = [];
  const out: WorkRow[] = [];
  for (;;) {
    while (
      read < rows.length && held.length < maxRows && new Set(held.map((r) => r.host)).size < workers
    ) {
      const more = rows.slice(read, read + batch);
      read += more.length;
      held.push(...more);
      for (const { host } of more) if (!turns.includes(host)) turns.push(host);
    }
    if (held.length === 0) return out;
    const host = turns[0]!;
    const row = held.find((r) => r.host === host)!;
    held = held.filter((r) => r !== row);
    turns = turns.slice(1);
    if (held.some((r) => r.host === host)) turns.push(host);
    out.push(row);
  }
}

Deno.test("ReorderBuffer hands out what the rule says, row for row", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(fc.tuple(fc.nat(9), fc.integer({ min: 1, max: 8 })), { maxLength: 20 }),
    fc.integer({ min: 1, max: 6 }),
    fc.integer({ min: 1, max: 9 }),
    fc.integer({ min: 1, max: 60 }),
    async (runs, workers, batch, maxRows) => {
      const rows = rowsOf(runs.flatMap(([host, count]) => Array(count).fill(`h${host}`)));
      const out = await drain(new ReorderBuffer(batches(rows, batch), { workers, maxRows }));
      assert.deepEqual(out, naive(rows, batch, workers, maxRows));
    },
  ));
});

Deno.test("ReorderBuffer keeps each host's own order and loses nothing", async () => {
  const rows = rowsOf(Array.from({ length: 5000 }, (_, i) => `h${Math.floor(i / 70) % 23}`));
  const out = await drain(new ReorderBuffer(batches(rows, 100), { workers: 8, maxRows: 1600 }));
  assert.deepEqual([...out].sort((a, b) => a.row - b.row), rows);
  const last = new Map<string, number>();
  for (const { host, row } of out) {
    assert.ok((last.get(host) ?? -1) < row);
    last.set(host, row);
  }
});

Deno.test("ReorderBuffer gives every window of a list sorted by host as many hosts as there are workers", async () => {
  const workers = 64;
  const hosts: string[] = [];
  // One host's 3000 rows in a run, 300 hosts.
  for (let h = 0; h < 300; h++) {
    for (let i = 0; i < (h === 40 ? 3000 : 100); i++) hosts.push(`h${h}`);
  }
  const rows = rowsOf(hosts);
  const buffer = new ReorderBuffer(batches(rows, 2000), { workers });
  const out: WorkRow[] = [];
  const inHand: number[] = [];
  for (let row; (row = await buffer.next()) !== undefined;) {
    out.push(row);
    inHand.push(buffer.hosts);
  }
  assert.equal(out.length, rows.length);
  let full = 0;
  for (let at = 0; at + workers <= out.length; at++) {
    const window = out.slice(at, at + workers);
    if (inHand.slice(at, at + workers).some((count) => count < workers)) continue;
    full++;
    assert.equal(new Set(window.map((r) => r.host)).size, workers, `window at ${at}`);
  }
  assert.ok(full > 20_000, `${full} windows`);
});

Deno.test("ReorderBuffer reads no further than one host a worker, and no more than its bound", async () => {
  let read = 0;
  const onBatch = (batch: WorkBatch) => read += batch.rows.length;
  const different = rowsOf(Array.from({ length: 50_000 }, (_, i) => `h${i}`));
  const domains = new ReorderBuffer(batches(different, 2000), { workers: 64, onBatch });
  await domains.next();
  assert.equal(read, 2000);
  read = 0;
  const same = rowsOf(Array(100_000).fill("one.example"));
  const one = new ReorderBuffer(batches(same, 2000), { workers: 64, onBatch });
  for (let i = 0; i < 3000; i++) {
    await one.next();
    assert.ok(one.size < 34_000);
  }
  assert.ok(read >= 32_000 && read <= 36_000, `${read} rows read`);
});

Deno.test("hold() passes a host over, release() gives it its turn, and its order stays", async () => {
  const rows = rowsOf(["a", "a", "b", "b", "c", "a"]);
  const buffer = new ReorderBuffer(batches(rows, 6), { workers: 2 });
  assert.equal((await buffer.next())?.host, "a");
  buffer.hold("a");
  assert.deepEqual([
    (await buffer.next())?.host,
    (await buffer.next())?.host,
    (await buffer.next())?.host,
  ], [
    "b",
    "c",
    "b",
  ]);
  let got: WorkRow | undefined;
  const waiting = buffer.next().then((row) => got = row);
  await Promise.resolve();
  assert.equal(got, undefined);
  buffer.release("a");
  await waiting;
  assert.equal(got!.row, 1);
  assert.equal((await buffer.next())?.row, 5);
  assert.equal(await buffer.next(), undefined);
});

Deno.test("a host that is held while its rows are read has no turn before it is released", async () => {
  const rows = rowsOf(["b", "a", "b", "c"]);
  const buffer = new ReorderBuffer(batches(rows, 1), { workers: 1 });
  buffer.hold("b");
  assert.equal((await buffer.next())?.host, "a");
  assert.equal((await buffer.next())?.host, "c");
  buffer.release("b");
  assert.deepEqual((await drain(buffer)).map((r) => r.row), [0, 2]);
});

Deno.test("holding and releasing at random neither loses a row nor changes a host's order", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(fc.nat(5), { maxLength: 60 }),
    fc.array(fc.tuple(fc.boolean(), fc.nat(5)), { maxLength: 80 }),
    fc.integer({ min: 1, max: 4 }),
    async (hosts, steps, workers) => {
      const rows = rowsOf(hosts.map((h) => `h${h}`));
      const buffer = new ReorderBuffer(batches(rows, 3), { workers, maxRows: 12 });
      const held = new Set<string>();
      const out: WorkRow[] = [];
      for (const [hold, h] of steps) {
        const host = `h${h}`;
        if (hold) {
          buffer.hold(host);
          held.add(host);
        } else {
          buffer.release(host);
          held.delete(host);
        }
        await buffer.fill();
        const row = buffer.take();
        if (row === undefined) continue;
        assert.ok(!held.has(row.host));
        out.push(row);
      }
      for (const host of held) buffer.release(host);
      out.push(...await drain(buffer));
      assert.deepEqual([...out].sort((a, b) => a.row - b.row), rows);
      for (const [i, row] of out.entries()) {
        assert.ok(
          out.slice(0, i).every((before) => before.host !== row.host || before.row < row.row),
        );
      }
    },
  ));
});

Deno.test("an error of the list reaches whoever asks, and disposing ends who waits", async () => {
  const failing = new ReorderBuffer(
    (async function* (): AsyncGenerator<WorkBatch> {
      yield await Promise.resolve({ rows: rowsOf(["a"]), next: { part: 0, row: 1 }, unread: [] });
      throw new Error("cut");
    })(),
    { workers: 1 },
  );
  await failing.next();
  await assert.rejects(failing.next(), /cut/);
  const buffer = new ReorderBuffer(batches(rowsOf(["a"]), 1), { workers: 1 });
  buffer.hold("a");
  const waiting = buffer.next();
  await buffer.fill();
  await buffer[Symbol.asyncDispose]();
  assert.equal(await waiting, undefined);
});

Deno.test("ReorderBuffer refuses to work for nobody", () => {
  assert.throws(() => new ReorderBuffer(batches([], 1), { workers: 0 }), RangeError);
  assert.throws(() => new ReorderBuffer(batches([], 1), { workers: 1, maxRows: 0 }), RangeError);
});
