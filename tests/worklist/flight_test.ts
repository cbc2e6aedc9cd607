import assert from "node:assert/strict";
import fc from "fast-check";
import { FlightSet } from "../../lib/worklist/flight.ts";
import { LAST_ROW, MAX_PARTS, normalRanges } from "../../lib/worklist/ranges.ts";

Deno.test("FlightSet agrees with a set of rows, whatever is added and retired in which order", () => {
  const row = fc.record({
    part: fc.nat(2),
    row: fc.oneof(fc.nat(80), fc.integer({ min: 1000, max: 1100 })),
  });
  const step = fc.record({ add: fc.boolean(), rows: fc.array(row, { maxLength: 20 }) });
  fc.assert(fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
    const flight = new FlightSet();
    const naive = new Map<string, { part: number; row: number }>();
    for (const { add, rows } of steps) {
      if (add) {
        for (const r of rows) {
          const key = `${r.part}:${r.row}`;
          if (naive.has(key)) assert.throws(() => flight.add(r.part, r.row), /already/);
          else {
            flight.add(r.part, r.row);
            naive.set(key, r);
          }
        }
      } else {
        const before = naive.size;
        for (const r of rows) naive.delete(`${r.part}:${r.row}`);
        assert.equal(flight.retire(rows), before - naive.size);
      }
      assert.equal(flight.size, naive.size);
      assert.deepEqual(
        flight.pending(),
        normalRanges([...naive.values()].map((r) => ({ part: r.part, first: r.row, last: r.row }))),
      );
      for (const r of rows) {
        assert.equal(flight.has(r.part, r.row), naive.has(`${r.part}:${r.row}`));
      }
    }
  }));
});

Deno.test("FlightSet keeps the rows of a host that lags, not those read after them", () => {
  const flight = new FlightSet();
  for (let row = 0; row < 500_000; row++) {
    flight.add(0, row);
    // A host's every hundredth row of the first ten thousand is never done.
    if (row >= 10_000 || row % 100 !== 0) flight.retire([{ part: 0, row }]);
  }
  assert.equal(flight.size, 100);
  const pending = flight.pending();
  assert.equal(pending.length, 100);
  assert.deepEqual(pending[1], { part: 0, first: 100, last: 100 });
});

Deno.test("FlightSet holds no memory of rows that have gone", () => {
  const flight = new FlightSet();
  for (let i = 0; i < 200_000; i++) {
    const row = i * 40_009 % 4_000_037;
    flight.add(i % 5, row);
    flight.retire([{ part: i % 5, row }]);
  }
  assert.equal(flight.size, 0);
  assert.deepEqual(flight.pending(), []);
});

Deno.test("FlightSet takes every row that a list can have, and nothing else", () => {
  const flight = new FlightSet();
  flight.add(MAX_PARTS - 1, LAST_ROW);
  flight.add(0, 0);
  assert.deepEqual(flight.pending(), [
    { part: 0, first: 0, last: 0 },
    { part: MAX_PARTS - 1, first: LAST_ROW, last: LAST_ROW },
  ]);
  for (
    const [part, row] of [[-1, 0], [0, -1], [0, LAST_ROW + 1], [MAX_PARTS, 0], [0, 0.5], [
      NaN,
      0,
    ]] as const
  ) {
    assert.throws(() => flight.add(part, row), RangeError);
  }
});
