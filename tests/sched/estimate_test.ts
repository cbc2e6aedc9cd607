import assert from "node:assert/strict";
import { changedShare, VisitHistory } from "../../lib/sched/estimate.ts";
import { generator } from "./_snapshots.ts";

/** Visits to pages that change at a rate, the lengths of intervals as `gap` has them. */
function simulate(
  random: () => number,
  rate: number,
  visits: number,
  gap: () => number,
): VisitHistory {
  const history = new VisitHistory();
  for (let i = 0; i < visits; i++) {
    const days = gap();
    // The first event of a Poisson process comes after an exponentially distributed time.
    history.add(days, -Math.log(1 - random()) / rate < days);
  }
  return history;
}

function close(found: number, wanted: number, tolerance: number, what: string): void {
  assert(Math.abs(found / wanted - 1) < tolerance, `${what}: ${found}, not ${wanted}`);
}

Deno.test("for visits at regular intervals the estimate is the closed form", () => {
  for (const days of [0.5, 1, 7, 30]) {
    for (const [n, x] of [[1, 1], [10, 3], [10, 10], [100, 1], [1000, 999], [5, 0]] as const) {
      const history = new VisitHistory();
      history.add(days, true, x);
      history.add(days, false, n - x);
      const closed = -Math.log((n - x + 0.5) / (n + 0.5)) / days;
      if (closed === 0) assert.equal(history.changesPerDay(), 0);
      else close(history.changesPerDay(), closed, 1e-9, `${x} of ${n} each ${days} days`);
    }
  }
});

Deno.test("for two intervals, one with a change, the estimate solves their likelihood", () => {
  // With the half visit: ln(1 + t/(u + m/2)) / t, for t with a change, u without, m their mean.
  for (const [t, u] of [[1, 1], [1, 10], [10, 1], [0.01, 30]] as const) {
    const history = new VisitHistory();
    history.add(t, true);
    history.add(u, false);
    close(history.changesPerDay(), Math.log1p(t / (u + (t + u) / 4)) / t, 1e-9, `${t} and ${u}`);
  }
});

Deno.test("regular visits to a Poisson process give its rate, where counting changes does not", () => {
  const random = generator(11);
  for (const rate of [0.01, 0.1, 0.5, 1, 2]) {
    const history = simulate(random, rate, 20_000, () => 1);
    close(history.changesPerDay(), rate, 0.06, `rate ${rate}`);
    if (rate >= 0.5) {
      assert(history.changed / history.days < 0.8 * rate, "counting says too little");
    }
  }
});

Deno.test("irregular visits to a Poisson process give its rate", () => {
  const random = generator(12);
  const gaps: Record<string, () => number> = {
    "exponential": () => -7 * Math.log(1 - random()),
    "an hour or a month": () => random() < 0.5 ? 1 / 24 : 30,
    "over four decades": () => 10 ** (4 * random() - 2),
  };
  for (const [name, gap] of Object.entries(gaps)) {
    for (const rate of [0.02, 0.2, 1.5]) {
      const history = simulate(random, rate, 20_000, gap);
      close(history.changesPerDay(), rate, 0.06, `${name}, rate ${rate}`);
    }
  }
});

Deno.test("the mean of many estimates from few visits is near the rate", () => {
  const random = generator(13);
  let sum = 0;
  const pages = 4000;
  for (let i = 0; i < pages; i++) sum += simulate(random, 0.4, 15, () => 1).changesPerDay();
  close(sum / pages, 0.4, 0.03, "15 visits a page");
});

Deno.test("a history is bounded, and odd intervals cannot spoil it", () => {
  const history = new VisitHistory();
  for (const days of [0, -1, NaN]) history.add(days, true);
  assert.deepEqual([history.visits, history.changesPerDay()], [0, 0]);
  for (const days of [1e-300, 1e300, Infinity, 1]) history.add(days, true);
  for (const days of [1e-300, 1]) history.add(days, false);
  const rate = history.changesPerDay();
  assert(rate > 0 && Number.isFinite(rate), String(rate));
  const random = generator(14);
  for (let i = 0; i < 50_000; i++) history.add(10 ** (20 * random() - 10), true);
  assert(Number.isFinite(history.changesPerDay()));
});

Deno.test("changedShare() is the share of a Poisson process's pages that changed", () => {
  assert.equal(changedShare(0, 30), 0);
  close(changedShare(1, 1), 1 - 1 / Math.E, 1e-12, "one a day, a day");
  assert.equal(changedShare(1e6, 30), 1);
  close(changedShare(1e-15, 1), 1e-15, 1e-9, "hardly ever");
});
