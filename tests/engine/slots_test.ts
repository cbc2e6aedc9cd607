import assert from "node:assert/strict";
import { type Slot, SlotTable } from "../../lib/engine/_slots.ts";

/** A slot of one page, due `inMs` after 0. */
function add(table: SlotTable, id: number, inMs: number): Slot {
  const urls = [{ id, url: `http://h${id}.test/`, priority: 1, depth: 0, attempts: 0 }];
  const lease = { host: `h${id}.test`, notBefore: inMs, failures: 0, deferrals: 0, urls };
  return table.add(lease, 1000, 0, 0);
}

Deno.test("SlotTable.withdrawLast() takes those that are due last, and leaves the others in order", () => {
  const table = new SlotTable();
  const times = [50, 9000, 700, 3000, 8000, 20, 5000, 9000, 100, 6000];
  const slots = times.map((at, id) => add(table, id, at));
  slots[4]!.jobs[0]!.tries = 1; // between two attempts
  const taken = table.withdrawLast(3, 1000);
  assert.deepEqual(taken.map(({ nextAt }) => nextAt).sort(), [6000, 9000, 9000]);
  assert.ok(taken.every(({ host }) => table.get(host) === undefined));
  assert.equal(table.size, 7);
  assert.deepEqual(
    table.withdrawLast(100, 1000).map(({ nextAt }) => nextAt).sort(),
    [3000, 5000],
    "none that is due before, none whose page was tried",
  );
  assert.deepEqual(table.withdrawLast(100, 1000), []);
  assert.deepEqual(table.withdrawLast(0, 0), []);
  assert.deepEqual(table.withdrawLast(-5, 0), []);
  const left: number[] = [];
  for (let at = table.nextAt(); at !== undefined; at = table.nextAt()) {
    left.push(table.take(at)!.nextAt);
  }
  assert.deepEqual(left, [20, 50, 100, 700, 8000]);
});

Deno.test("SlotTable.withdrawLast() looks at each slot a few times, however many it takes", () => {
  const table = new SlotTable();
  const n = 20_000;
  let looks = 0;
  for (let id = 0; id < n; id++) {
    const at = 1000 + (id * 7919) % n;
    const slot = add(table, id, at);
    Object.defineProperty(slot, "nextAt", { get: () => (looks++, at) });
  }
  looks = 0;
  assert.equal(table.withdrawLast(1000, 0).length, 1000);
  assert.ok(looks < 100 * n, `${looks} looks at ${n} slots`);
});
