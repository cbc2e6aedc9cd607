import assert from "node:assert/strict";
import fc from "fast-check";
import { formatRanges, parseRanges, RowSet } from "../../lib/capture/ranges.ts";

Deno.test("formatRanges() writes gaps and counts", () => {
  const set = new RowSet();
  for (let row = 149; row >= 100; row--) set.add(0, row);
  set.add(0, 153);
  set.add(7, 0);
  assert.equal(formatRanges(set.ranges()), "0:100+50,3;7:0");
});

Deno.test("parseRanges() gives back every position, once, in order", () => {
  const position = fc.tuple(fc.nat({ max: 3 }), fc.oneof(fc.nat({ max: 60 }), fc.nat()));
  fc.assert(
    fc.property(fc.array(position, { maxLength: 400 }), (positions) => {
      const set = new RowSet();
      for (const [part, row] of positions) set.add(part, row);
      const ranges = [...parseRanges(formatRanges(set.ranges()))];
      assert.deepEqual(ranges, set.ranges());
      const all = ranges.flatMap(({ part, first, last }) =>
        Array.from({ length: last - first + 1 }, (_, i) => `${part}:${first + i}`)
      );
      const wanted = [...new Set(positions.map(([part, row]) => `${part}:${row}`))];
      const byPlace = (a: string, b: string) => {
        const [p, r] = a.split(":").map(Number), [q, s] = b.split(":").map(Number);
        return p! - q! || r! - s!;
      };
      assert.deepEqual(all, wanted.sort(byPlace));
    }),
    { numRuns: 100 },
  );
});

Deno.test("parseRanges() reads rows beyond 32 bits", () => {
  assert.deepEqual([...parseRanges("1:5000000000+2")], [
    { part: 1, first: 5_000_000_000, last: 5_000_000_001 },
  ]);
});

Deno.test("parseRanges() refuses what formatRanges() does not write", () => {
  for (
    const text of [
      "0",
      "0:",
      ":1",
      "0:1,",
      "0:1+0",
      "0:1,0",
      "1:1;0:1",
      "0:1;0:9",
      "0:x",
      "0:1+",
      "0:-1",
      "0:1 ",
      "99999999999999999999:1",
      "0:9007199254740991+9007199254740991",
    ]
  ) assert.throws(() => [...parseRanges(text)], SyntaxError, text);
});
