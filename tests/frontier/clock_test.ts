// A wall clock that jumps never shortens a wait: within a run, and between two.
import assert from "node:assert/strict";
import { open, seed, tempFolder, TestClock } from "./_helpers.ts";

const DAY = 86_400_000;

function waitLeft(between: (clock: TestClock) => void, wait = 60_000): number {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`, clock = new TestClock();
  {
    using engine = open({ path, clock });
    engine.put([seed("https://a.example/")]);
    engine.blockHost("a.example", engine.now() + wait);
  }
  between(clock);
  using engine = open({ path, clock });
  let left = 0;
  while (engine.claim(1, 1).length === 0) {
    clock.pass(100);
    left += 100;
    assert.ok(left <= wait, "waits longer than it was told to");
  }
  return left;
}

Deno.test("FrontierEngine's clock follows the monotonic one within an opening", () => {
  const clock = new TestClock();
  using engine = open({ clock });
  const start = engine.now();
  assert.equal(start, clock.wallMs);
  clock.wallMs += DAY;
  assert.equal(engine.now(), start);
  clock.monotonicMs += 5;
  assert.equal(engine.now(), start + 5);
});

Deno.test("a wait goes on over a reopening by the time that passed", () => {
  assert.equal(waitLeft((clock) => clock.pass(20_000)), 40_000);
  assert.equal(waitLeft((clock) => clock.pass(DAY)), 0);
});

Deno.test("a wait is not shortened by a wall clock set forward between two openings of one boot", () => {
  const left = waitLeft((clock) => {
    clock.pass(20_000);
    clock.wallMs += DAY;
  });
  assert.ok(left >= 40_000 && left <= 40_200, `${left}`);
});

Deno.test("a wait is neither shortened nor stretched by a wall clock set back", () => {
  const setBack = (clock: TestClock) => {
    clock.pass(20_000);
    clock.wallMs -= DAY;
  };
  const left = waitLeft(setBack);
  assert.ok(left >= 40_000 && left <= 40_200, `${left}`);
  // Without knowledge of the boot nothing is known to have passed: the wait is what it was.
  assert.equal(waitLeft((clock) => (clock.bootId = undefined, setBack(clock))), 60_000);
});

Deno.test("after a reboot the wall clock decides", () => {
  const left = waitLeft((clock) => {
    clock.pass(20_000);
    clock.bootId = "boot-b";
    clock.uptime = 3;
  });
  assert.equal(left, 40_000);
});
