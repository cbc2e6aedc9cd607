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
      const options = { workers, maxRows, packedBytes: 0 };
      const out = await drain(new ReorderBuffer(batches(rows, batch), options));
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
  const each = 3000;
  async function* list(hosts: number): AsyncGenerator<WorkBatch> {
    for (let row = 0; row < hosts * each; row += 2000) {
      const rows = Array.from({ length: 2000 }, (_, i) => {
        const host = `h${Math.floor((row + i) / each)}.example`;
        return { part: 0, row: row + i, url: `https://${host}/some/page/${row + i}.html`, host };
      });
      yield await Promise.resolve({ rows, next: { part: 0, row: row + 2000 }, unread: [] });
    }
  }
  for (const [workers, hosts] of [[64, 120], [256, 300]] as const) {
    const buffer = new ReorderBuffer(list(hosts), { workers });
    const next = Array.from({ length: hosts }, (_, i) => i * each);
    const window = new Map<string, number>(), order: string[] = [];
    let most = 0, packed = 0, full = 0;
    for (let row; (row = await buffer.next()) !== undefined;) {
      const { host } = row;
      assert.equal(row.row, next[Number(host.slice(1, -8))]!++);
      assert.equal(row.url, `https://${host}/some/page/${row.row}.html`);
      order.push(host);
      window.set(host, (window.get(host) ?? 0) + 1);
      if (order.length > workers) {
        const out = order[order.length - 1 - workers]!;
        if (window.get(out) === 1) window.delete(out);
        else window.set(out, window.get(out)! - 1);
      }
      if (order.length >= workers && buffer.hosts >= workers) {
        full++;
        if (window.size < workers) assert.fail(`${window.size} hosts before ${order.length}`);
      }
      most = Math.max(most, buffer.size - buffer.packed.rows);
      packed = Math.max(packed, buffer.packed.bytes);
    }
    assert.equal(order.length, hosts * each);
    // Until fewer hosts than workers are left there is no other window.
    assert.ok(full > 0.99 * workers * each, `${full} windows`);
    assert.ok(most < 34_000, `${most} rows in hand`);
    assert.ok(packed > 0 && packed < 20 << 20, `${packed} bytes`);
    assert.deepEqual(buffer.packed, { rows: 0, bytes: 0 });
  }
});

Deno.test("ReorderBuffer packs no more than it may, and gives what it packed in order", async () => {
  let read = 0;
  const rows = rowsOf(Array.from({ length: 100_000 }, (_, i) => i % 7 === 0 ? "b" : "a"));
  const buffer = new ReorderBuffer(batches(rows, 500), {
    workers: 3,
    maxRows: 2000,
    packedBytes: 40_000,
    onBatch: (batch) => read += batch.rows.length,
  });
  const first = await buffer.next();
  assert.ok(buffer.packed.bytes > 40_000 && buffer.packed.bytes < 60_000);
  assert.ok(read < 50_000, `${read} rows read`);
  const out = [first!, ...await drain(buffer)];
  for (const host of ["a", "b"]) {
    assert.deepEqual(
      out.filter((row) => row.host === host),
      rows.filter((row) => row.host === host),
    );
  }
});

Deno.test("packing neither loses a row nor changes a host's order, nor does holding meanwhile", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 150 })), { maxLength: 12 }),
    fc.array(fc.tuple(fc.boolean(), fc.nat(5)), { maxLength: 80 }),
    fc.integer({ min: 1, max: 8 }),
    fc.constantFrom(0, 300, 1 << 20),
    async (runs, steps, workers, packedBytes) => {
      const rows = rowsOf(runs.flatMap(([h, count]) => Array<string>(count).fill(`h${h}`)));
      const buffer = new ReorderBuffer(batches(rows, 9), { workers, maxRows: 40, packedBytes });
      const held = new Set<string>();
      const out: WorkRow[] = [];
      for (const [hold, h] of steps) {
        const host = `h${h}`;
        if (hold) buffer.hold(host);
        else buffer.release(host);
        if (hold) held.add(host);
        else held.delete(host);
        await buffer.fill();
        const row = buffer.take();
        if (row === undefined) continue;
        assert.ok(!held.has(row.host));
        out.push(row);
      }
      for (const host of held) buffer.release(host);
      out.push(...await drain(buffer));
      assert.deepEqual([...out].sort((a, b) => a.row - b.row), rows);
      const last = new Map<string, number>();
      for (const { host, row } of out) {
        assert.ok((last.get(host) ?? -1) < row);
        last.set(host, row);
      }
    },
  ));
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
  const one = new ReorderBuffer(batches(same, 2000), { workers: 64, onBatch, packedBytes: 0 });
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
