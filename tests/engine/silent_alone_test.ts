import assert from "node:assert/strict";
import { besideSilent } from "./_silent.ts";

/** Abandoned handshakes that may hold a descriptor until their peers close, see `Dialer`. */
const MAX_STUCK = 128;

Deno.test("crawl() finishes the good hosts while silent ones hang, and lets go of all", async () => {
  const { alone, among, before } = await besideSilent({
    silent: 100,
    good: 20,
    pagesEach: 5,
    workers: 4,
    delayMs: 20,
  });
  assert.equal(alone.hanging, 0);
  // With four workers, nothing would have come after the fourth silent host.
  assert.ok(among.hanging >= 90, `${among.hanging} requests still hang`);
  assert.ok(alone.descriptors <= before, `${alone.descriptors} descriptors, ${before} before`);
  const handshakes = 100 / 4; // those that never end
  assert.ok(handshakes < MAX_STUCK);
  assert.ok(
    among.descriptors <= before + 2 * handshakes,
    `${among.descriptors} descriptors, ${before} before`,
  );
});
