import assert from "node:assert/strict";
import fc from "fast-check";
import { matchesGlob } from "../../lib/parse/filter.ts";
import { parseStatusRange } from "../../lib/parse/status_range.ts";

Deno.test("matchesGlob() is what the pattern's regular expression says", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "/", "."), maxLength: 12 });
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", "/", ".", "*"), maxLength: 8 });
  fc.assert(
    fc.property(text, pattern, (text, pattern) => {
      const regexp = new RegExp(
        `^${pattern.split("*").map((p) => p.replaceAll(".", "\\.")).join("[^]*")}$`,
      );
      assert.equal(matchesGlob(text, pattern), regexp.test(text));
    }),
    { numRuns: 2000 },
  );
});

Deno.test("matchesGlob() takes linear time where a regular expression would not", () => {
  assert.equal(matchesGlob("a".repeat(100_000) + "b", "*a".repeat(50) + "*c"), false);
});

Deno.test("parseStatusRange() takes a status, a hundred and a range", () => {
  assert.deepEqual(parseStatusRange("200"), { first: 200, last: 200 });
  assert.deepEqual(parseStatusRange(" 3XX "), { first: 300, last: 399 });
  assert.deepEqual(parseStatusRange("0-99"), { first: 0, last: 99 });
  for (const bad of ["", "x", "2x", "0xx", "500-400", "1000", "-1", "200-"]) {
    assert.throws(() => parseStatusRange(bad), RangeError, bad);
  }
});
