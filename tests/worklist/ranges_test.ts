import assert from "node:assert/strict";
import fc from "fast-check";
import {
  checkRanges,
  countRows,
  LAST_ROW,
  normalRanges,
  subtractRanges,
} from "../../lib/worklist/ranges.ts";

const ranges = fc.array(
  fc.record({ part: fc.nat(3), first: fc.nat(60), length: fc.integer({ min: 1, max: 12 }) })
    .map(({ part, first, length }) => ({ part, first, last: first + length - 1 })),
  { maxLength: 12 },
);

function rowsOf(list: Iterable<{ part: number; first: number; last: number }>): Set<string> {
  const rows = new Set<string>();
  for (const { part, first, last } of list) {
    for (let r = first; r <= last; r++) rows.add(`${part}:${r}`);
  }
  return rows;
}

Deno.test("normalRanges() keeps the rows, in order, none touching another", () => {
  fc.assert(fc.property(ranges, (list) => {
    const out = normalRanges(list);
    assert.deepEqual(rowsOf(out), rowsOf(list));
    assert.equal(countRows(list), rowsOf(list).size);
    for (const [i, range] of out.entries()) {
      const before = out[i - 1];
      assert.ok(before === undefined || before.part < range.part || before.last + 1 < range.first);
    }
  }));
});

Deno.test("subtractRanges() is the difference of the rows", () => {
  fc.assert(fc.property(ranges, ranges, (from, minus) => {
    const out = subtractRanges(from, minus);
    assert.deepEqual(rowsOf(out), rowsOf(from).difference(rowsOf(minus)));
    assert.deepEqual(out, normalRanges(out));
  }));
});

Deno.test("subtractRanges() cuts the rest of a part, however long it is", () => {
  assert.deepEqual(
    subtractRanges([{ part: 1, first: 10, last: LAST_ROW }], [{ part: 1, first: 20, last: 29 }]),
    [{ part: 1, first: 10, last: 19 }, { part: 1, first: 30, last: LAST_ROW }],
  );
});

Deno.test("checkRanges() refuses what can be no rows", () => {
  checkRanges([{ part: 0, first: 0, last: LAST_ROW }]);
  for (
    const bad of [
      { part: -1, first: 0, last: 0 },
      { part: 0, first: 1, last: 0 },
      { part: 0, first: 0, last: LAST_ROW + 1 },
      { part: 2 ** 19, first: 0, last: 0 },
      { part: 0.5, first: 0, last: 0 },
      { part: 0, first: NaN, last: 0 },
    ]
  ) assert.throws(() => checkRanges([bad]), RangeError);
});
