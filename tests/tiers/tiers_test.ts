import assert from "node:assert/strict";
import { dailyBudget } from "../../lib/tiers/budget.ts";
import { INTERVAL_HOURS, LAST_POSITION, scoreOf, tierOf } from "../../lib/tiers/tiers.ts";

Deno.test("tierOf() goes by position and rate", () => {
  const cases: [position: number, rate: number, tier: number][] = [
    [1, 0.81, 1],
    [100_000, 0.81, 1],
    [100_001, 1, 2],
    [1, 0.8, 2],
    [1_000_000, 0.5, 2],
    [1_000_000, 0.49, 3],
    [1_000_001, 1, 3],
    [5_000_000, 0.2, 3],
    [5_000_000, 0.19, 4],
    [5_000_001, 1, 4],
    [10_000_000, 0, 4],
    [1, 0, 4],
    [10_000_001, 1, 5],
    [0, 0.5, 3],
    [0, 0.49, 4],
    [0, 0.2, 4],
    [0, 0.19, 5],
  ];
  for (const [position, rate, tier] of cases) {
    assert.equal(tierOf(position, rate), tier, `position ${position}, rate ${rate}`);
  }
});

Deno.test("no rate lifts a position above the tier that LAST_POSITION gives it", () => {
  for (const tier of [1, 2, 3, 4] as const) {
    const last = LAST_POSITION[tier];
    const best = (position: number) =>
      Math.min(...[0, 0.2, 0.5, 0.81, 1].map((rate) => tierOf(position, rate)));
    assert.equal(best(last), tier);
    assert(best(last + 1) > tier);
  }
});

Deno.test("scoreOf() is the rate times the logarithm of one plus the centrality", () => {
  assert.equal(scoreOf(0.5, 0), 0);
  assert.equal(scoreOf(0.5, Math.E - 1), 0.5);
  assert.equal(scoreOf(0.5, -5), 0);
});

Deno.test("the budget of other pages a day keeps the shares", () => {
  assert.deepEqual(dailyBudget(10_000).map(({ pagesPerDay }) => pagesPerDay), [
    ...[230, 520, 930, 290, 0],
  ]);
  for (const { tier, intervalHours } of dailyBudget()) {
    assert.equal(intervalHours, INTERVAL_HOURS[tier]);
  }
});
