import assert from "node:assert/strict";
import { deferralMs, failureWaitMs, MAX_ROUNDS, retryAfterMs } from "../../lib/engine/backoff.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

Deno.test("retryAfterMs() takes seconds and dates, between a second and an hour", () => {
  assert.equal(retryAfterMs("120", 1, NOW), 120_000);
  assert.equal(retryAfterMs(" 0 ", 1, NOW), 1000);
  assert.equal(retryAfterMs("99999999", 1, NOW), 3_600_000);
  assert.equal(retryAfterMs("Thu, 01 Jan 2026 00:02:00 GMT", 1, NOW), 120_000);
  assert.equal(retryAfterMs("Thu, 01 Jan 2015 00:00:00 GMT", 1, NOW), 1000);
});

Deno.test("retryAfterMs() waits a minute, doubling, where the server names none or nonsense", () => {
  assert.deepEqual([1, 2, 3, 20].map((n) => retryAfterMs("", n, NOW)), [
    60_000,
    120_000,
    240_000,
    3_600_000,
  ]);
  assert.equal(retryAfterMs("soon", 1, NOW), 60_000);
  assert.equal(retryAfterMs("-5", 1, NOW), 60_000);
});

Deno.test("failureWaitMs() pauses a host after three failures in a row, longer each round, then gives up", () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6].map((n) => failureWaitMs(n)), [0, 0, 60_000, 0, 0, 120_000]);
  assert.equal(failureWaitMs(3 * MAX_ROUNDS), undefined);
});

Deno.test("deferralMs() puts a host off for longer each time, and more often when it is up", () => {
  assert.deepEqual([0, 1, 2, 3].map((n) => deferralMs(n, 300_000, false)), [
    300_000,
    600_000,
    1_200_000,
    undefined,
  ]);
  assert.equal(deferralMs(7, 300_000, true), 3_600_000);
  assert.equal(deferralMs(8, 300_000, true), undefined);
});
