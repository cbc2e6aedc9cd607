import assert from "node:assert/strict";
import { addFigures } from "../../lib/report/add_figures.ts";
import { recrawlFigures } from "./_figures.ts";

Deno.test("addFigures() sums what was counted, keeps the most, and shows what is there now", () => {
  const before = recrawlFigures();
  const last = recrawlFigures({
    fetched: 1,
    elapsedMs: 5,
    dns: { lookedUp: 1, cached: 1, unresolved: 1, nonexistent: 1, peak: 1, bound: 16 },
    queued: 3,
    position: { part: 9, row: 8 },
    unclassified: { top: [{ shape: "eof", count: 2 }, { shape: "new", count: 200 }], total: 202 },
  });
  const sum = addFigures(before, last);
  assert.equal(sum.fetched, before.fetched + 1);
  assert.equal(sum.elapsedMs, before.elapsedMs + 5);
  assert.deepEqual(sum.dns, {
    lookedUp: before.dns.lookedUp + 1,
    cached: before.dns.cached + 1,
    unresolved: before.dns.unresolved + 1,
    nonexistent: before.dns.nonexistent + 1,
    peak: before.dns.peak,
    bound: 16,
  });
  assert.equal(sum.queued, 3);
  assert.deepEqual(sum.position, { part: 9, row: 8 });
  assert.equal(sum.failures.dns, 2 * before.failures.dns);
  assert.equal(sum.robots!.failures.timeout, 2 * before.robots!.failures.timeout);
  assert.equal(sum.feeder.rows, 2 * before.feeder.rows);
  assert.equal(sum.unclassified!.total, before.unclassified!.total + 202);
  assert.deepEqual(sum.unclassified!.top.slice(0, 2), [
    { shape: "new", count: 200 },
    { shape: "eof", count: before.unclassified!.top[0]!.count + 2 },
  ]);
  const { robots: _, ...silent } = recrawlFigures();
  assert.deepEqual(addFigures(before, silent).robots, before.robots);
});
