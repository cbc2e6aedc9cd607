import assert from "node:assert/strict";
import {
  formatBytes,
  formatElapsed,
  formatRate,
  percent,
  shares,
} from "../../lib/report/format.ts";

Deno.test("formatBytes() is decimal, one digit", () => {
  const cases: [number, string][] = [
    [0, "0 B"],
    [812, "812 B"],
    [1000, "1.0 KB"],
    [999_949, "999.9 KB"],
    [999_950, "1.0 MB"],
    [64 * 1024 ** 2, "67.1 MB"],
    [1_500_000_000, "1.5 GB"],
    [2e15, "2.0 PB"],
    [5e18, "5000.0 PB"],
  ];
  for (const [bytes, text] of cases) assert.equal(formatBytes(bytes), text);
});

Deno.test("formatRate() is finer below one a second", () => {
  assert.equal(formatRate(3330, 100_000), "33.3 pages a second");
  assert.equal(formatRate(1, 100_000), "0.010 pages a second");
  assert.equal(formatRate(0, 100_000), "0.0 pages a second");
  assert.equal(formatRate(5, 0), "0.0 pages a second");
  assert.equal(formatRate(10, 1000, "rows"), "10.0 rows a second");
});

Deno.test("formatElapsed() never shows sixty of anything", () => {
  const cases: [number, string][] = [
    [0, "0ms"],
    [999, "999ms"],
    [999.7, "1.0s"],
    [12_400, "12.4s"],
    [59_949, "59.9s"],
    [59_951, "1m 0s"],
    [192_000, "3m 12s"],
    [3_599_600, "1h 0m"],
    [7_500_000, "2h 5m"],
    [273_600_000, "3d 4h"],
  ];
  for (const [ms, text] of cases) assert.equal(formatElapsed(ms), text);
});

Deno.test("shares() adds up to 100, remainders to those that lost the most", () => {
  assert.deepEqual(shares([1, 1, 1]), [34, 33, 33]);
  assert.deepEqual(shares([0, 0]), [0, 0]);
  assert.deepEqual(shares([5, -3, 5]), [50, 0, 50]);
  assert.deepEqual(shares([996, 4]), [100, 0]);
});

Deno.test("percent() stays between 0 and 100", () => {
  assert.equal(percent(1, 3), 33);
  assert.equal(percent(5, 0), 0);
  assert.equal(percent(5, 3), 100);
});
