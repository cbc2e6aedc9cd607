import assert from "node:assert/strict";
import { HostTroubles } from "../../lib/engine/_troubles.ts";

const MINUTE = 60_000;

Deno.test("HostTroubles leaves a host alone for as long as its Retry-After says, or longer each time", () => {
  const troubles = new HostTroubles();
  assert.equal(troubles.answered("a.test", 503, "7"), 7000);
  assert.equal(troubles.answered("a.test", 429, ""), 2 * MINUTE, "the second in a row");
  assert.equal(troubles.answered("a.test", 429, ""), 4 * MINUTE);
  assert.equal(troubles.answered("b.test", 429, ""), MINUTE, "another host");
  assert.equal(troubles.answered("a.test", 200, ""), 0);
  assert.equal(troubles.size, 1, "a host that answers is forgotten");
  assert.equal(troubles.answered("a.test", 429, ""), MINUTE);
});

Deno.test("HostTroubles gives a host up after seven rounds of three failures", () => {
  const troubles = new HostTroubles();
  const waits: number[] = [];
  for (let i = 0; i < 21; i++) {
    assert.equal(troubles.givenUp("a.test"), false);
    waits.push(troubles.failed("a.test") / MINUTE);
  }
  const none = [0, 0];
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 0].flatMap((wait) => [...none, wait]));
  assert.equal(troubles.givenUp("a.test"), true);
  assert.equal(troubles.givenUp("b.test"), false);
  troubles.answered("a.test", 404, "");
  assert.equal(troubles.givenUp("a.test"), false, "any answer is one");
});

Deno.test("HostTroubles remembers so many hosts and no more", () => {
  const troubles = new HostTroubles();
  for (let i = 0; i < 20_000; i++) troubles.failed(`${i}.test`);
  assert.equal(troubles.size, 16_384);
  assert.equal(
    troubles.failed("19999.test") + troubles.failed("19999.test"),
    MINUTE,
    "it is known",
  );
  assert.equal(troubles.failed("0.test") + troubles.failed("0.test"), 0, "the oldest is not");
});
