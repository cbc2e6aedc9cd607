import assert from "node:assert/strict";
import FakeTimers from "@sinonjs/fake-timers";
import { Alarm } from "../../lib/engine/_alarm.ts";

Deno.test("Alarm calls once for all that ask in a turn, behind them", async () => {
  const log: string[] = [];
  const alarm = new Alarm(() => log.push("called"));
  alarm.soon();
  alarm.soon();
  log.push("asked");
  await Promise.resolve();
  assert.deepEqual(log, ["asked", "called"]);
  alarm.soon();
  await Promise.resolve();
  assert.equal(log.length, 3);
});

Deno.test("Alarm calls at the soonest of the moments asked for, never before it, until it is cleared", () => {
  const clock = FakeTimers.install({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const calls: number[] = [];
    const alarm = new Alarm(() => calls.push(performance.now()));
    alarm.at(50);
    alarm.at(20.5);
    alarm.at(90);
    alarm.at(Infinity);
    clock.tick(200);
    assert.deepEqual(calls, [21]);
    alarm.at(250);
    alarm.clear();
    clock.tick(200);
    assert.deepEqual(calls, [21]);
    alarm.at(10);
    clock.tick(1);
    assert.deepEqual(calls, [21, 400]);
  } finally {
    clock.uninstall();
  }
});
