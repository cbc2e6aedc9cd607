import assert from "node:assert/strict";
import FakeTimers from "@sinonjs/fake-timers";
import { HostClocks } from "../../lib/engine/clocks.ts";

/** Runs `body` with timers and clock in hand. */
async function withClock(body: (clock: FakeTimers.Clock, clocks: HostClocks) => Promise<void>) {
  const clock = FakeTimers.install({ toFake: ["setTimeout", "clearTimeout"], now: 1000 });
  try {
    await body(clock, new HostClocks({ now: () => clock.now }));
  } finally {
    clock.uninstall();
  }
}

Deno.test("HostClocks keeps start plus delay between two pages of a host", () =>
  withClock(async (clock, clocks) => {
    assert.equal(await clocks.enter("a", { spaced: true }), true);
    clocks.sent("a", clock.now);
    await clock.tickAsync(30);
    assert.equal(clocks.leave("a", 100), 1100);
    let at = 0;
    clocks.enter("a", { spaced: true }).then(() => at = clock.now);
    await clock.tickAsync(69);
    assert.equal(at, 0);
    await clock.tickAsync(5);
    assert.equal(at, 1100);
  }));

Deno.test("HostClocks never lets a second request in before the first has ended", () =>
  withClock(async (clock, clocks) => {
    await clocks.enter("a", { spaced: true });
    clocks.sent("a", clock.now);
    let entered = false;
    clocks.enter("a", { spaced: true }).then(() => entered = true);
    await clock.tickAsync(10_000);
    assert.equal(entered, false, "a host that takes ten seconds is not asked twice at once");
    assert.equal(clocks.leave("a", 1000), 11_000);
    await clock.tickAsync(1);
    assert.equal(entered, true);
  }));

Deno.test("HostClocks lets robots.txt in at once when the host is free, never beside a page", () =>
  withClock(async (clock, clocks) => {
    await clocks.enter("a", { spaced: true });
    clocks.sent("a", clock.now);
    const order: string[] = [];
    clocks.enter("a", { spaced: true }).then(() => order.push("page"));
    clocks.enter("a", { spaced: false }).then(() => order.push("robots"));
    await clock.tickAsync(5);
    assert.deepEqual(order, []);
    clocks.leave("a", 1000);
    await clock.tickAsync(0);
    assert.deepEqual(order, ["robots"]);
    clocks.leave("a");
    await clock.tickAsync(2000);
    assert.deepEqual(order, ["robots", "page"]);
  }));

Deno.test("HostClocks refuses a hop that could not start before its deadline", () =>
  withClock(async (clock, clocks) => {
    await clocks.enter("a", { spaced: true });
    clocks.sent("a", clock.now);
    clocks.leave("a", 5000);
    assert.equal(await clocks.enter("a", { spaced: true, notAfter: 2000 }), false);
    await clocks.enter("b", { spaced: true });
    const late = clocks.enter("b", { spaced: true, notAfter: 1500 });
    await clock.tickAsync(600);
    assert.equal(await late, false, "the host stayed busy past the deadline");
  }));

Deno.test("HostClocks.space() holds a page back when a longer Crawl-delay is learned", () =>
  withClock(async (clock, clocks) => {
    await clocks.enter("a", { spaced: true });
    clocks.sent("a", clock.now);
    clocks.leave("a", 100);
    assert.equal(clocks.space("a", 3000), 4000);
    assert.equal(clocks.space("never-asked", 3000), 0);
  }));

Deno.test("HostClocks takes every host to have been asked when a run is resumed", () =>
  withClock(async (clock, clocks) => {
    clocks.resume();
    assert.equal(clocks.space("a", 500), 1500);
    let at = 0;
    clocks.enter("a", { spaced: true }).then(() => at = clock.now);
    await clock.tickAsync(499);
    assert.equal(at, 0);
    await clock.tickAsync(5);
    assert.ok(at >= 1500);
    assert.ok(clocks.space("b", 500) <= clock.now, "the delay is over for everybody");
  }));

Deno.test("HostClocks gives an abandoned place up", () =>
  withClock(async (_clock, clocks) => {
    await clocks.enter("a", { spaced: true });
    const controller = new AbortController();
    const waiting = clocks.enter("a", { spaced: true, signal: controller.signal });
    controller.abort(new Error("enough"));
    await assert.rejects(waiting, /enough/);
    clocks.leave("a", 0);
    assert.equal(await clocks.enter("a", { spaced: true }), true);
  }));

Deno.test("HostClocks forgets hosts whose delay is over", () =>
  withClock(async (clock, clocks) => {
    for (let i = 0; i < 10_000; i++) {
      const host = `h${i}`;
      await clocks.enter(host, { spaced: true });
      clocks.sent(host, clock.now);
      clocks.leave(host, 10);
      if (i % 10 === 9) await clock.tickAsync(11);
    }
    assert.ok(clocks.size <= 1100, `${clocks.size} clocks are held`);
  }));
