import assert from "node:assert/strict";
import { Crowds, type Waiter } from "../../lib/engine/_crowds.ts";

function host(crowd?: string): Waiter {
  return { crowd };
}

Deno.test("Crowds.turnAway() keeps a few near and sends the others away, at the address's pace", () => {
  const crowds = new Crowds(4);
  const near = Array.from({ length: 8 }, () => crowds.turnAway(host(), "192.0.2.1", 1000, 0));
  assert.ok(near.every((turned) => turned.near && turned.waitMs === 25));
  const away = Array.from({ length: 40 }, () => crowds.turnAway(host(), "192.0.2.1", 1000, 0));
  assert.ok(away.every((turned) => !turned.near));
  // Four a second.
  assert.deepEqual(away.slice(0, 3).map((turned) => turned.waitMs), [500, 750, 1000]);
  assert.equal(away.at(-1)!.waitMs, 250 + 40 * 250);
  assert.deepEqual(crowds.turnAway(host("192.0.2.1"), "192.0.2.1", 1000, 0), {
    near: true,
    waitMs: 25,
  });
  assert.equal(crowds.turnAway(host(), "192.0.2.2", 1000, 0).near, true, "other addresses apart");
});

Deno.test("Crowds.turnAway() lets the next come near once one has left", () => {
  const crowds = new Crowds(1);
  const first = host();
  crowds.turnAway(first, "192.0.2.1", 100, 0);
  crowds.turnAway(host(), "192.0.2.1", 100, 0);
  assert.equal(crowds.turnAway(host(), "192.0.2.1", 100, 0).near, false);
  crowds.leave(first);
  assert.equal(crowds.turnAway(host(), "192.0.2.1", 100, 0).near, true);
});

Deno.test("Crowds.turnAway() never sends away for more than ten minutes", () => {
  const crowds = new Crowds(1);
  let longest = 0;
  for (let i = 0; i < 2000; i++) {
    longest = Math.max(longest, crowds.turnAway(host(), "192.0.2.1", 1000, 0).waitMs);
  }
  assert.equal(longest, 600_000);
});

Deno.test("Crowds forgets addresses that nobody waits for", () => {
  const crowds = new Crowds(1);
  for (let i = 0; i < 10_000; i++) {
    const waiter = host();
    crowds.turnAway(waiter, `192.0.2.${i}`, 100, i * 1000);
    crowds.leave(waiter);
  }
  assert.ok(crowds.size <= 1025, `${crowds.size}`);
});
