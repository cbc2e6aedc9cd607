import assert from "node:assert/strict";
import { Workers } from "../../lib/engine/_workers.ts";

const nothing = () => {};

Deno.test("Workers.sweep() frees the worker of a silent attempt, and takes one when bytes come", () => {
  const workers = new Workers(10);
  const attempt = workers.begin(0, nothing);
  assert.equal(workers.sweep(299), false);
  assert.equal(workers.busy, 1);
  assert.equal(workers.sweep(300), true);
  assert.deepEqual([workers.busy, workers.stalled, workers.size], [0, 1, 1]);
  attempt.progress.bytes += 20_000;
  assert.equal(workers.sweep(600), true);
  assert.deepEqual([workers.busy, workers.stalled], [1, 0]);
  workers.end(attempt);
  assert.deepEqual([workers.busy, workers.stalled, workers.size], [0, 0, 0]);
});

Deno.test("Workers.sweep() takes a host that drips for a silent one", () => {
  const workers = new Workers(10);
  const attempt = workers.begin(0, nothing);
  for (let at = 100; at <= 5000; at += 100) {
    attempt.progress.at = at;
    attempt.progress.bytes += 1;
    workers.sweep(at);
  }
  assert.deepEqual([workers.busy, workers.stalled], [0, 1]);
});

Deno.test("Workers.sweep() goes by how long answers take", () => {
  const workers = new Workers(1000);
  for (let i = 0; i < 40; i++) workers.answered(10);
  const attempt = workers.begin(0, nothing);
  assert.equal(workers.sweep(20), false);
  assert.equal(workers.sweep(50), true);
  workers.end(attempt);
  // A few that take forever say nothing of the others.
  for (let i = 0; i < 5; i++) workers.answered(100_000);
  workers.begin(0, nothing);
  assert.equal(workers.sweep(80), true);
  // Where all are slow, a second is what an answer may take before it is.
  for (let i = 0; i < 300; i++) workers.answered(3000);
  workers.begin(0, nothing);
  assert.equal(workers.sweep(999), false);
  assert.equal(workers.sweep(1001), true);
});

Deno.test("Workers.sweep() lets no more stall than it may", () => {
  const workers = new Workers(2);
  const attempts = [1, 2, 3].map(() => workers.begin(0, nothing));
  workers.sweep(500);
  assert.deepEqual([workers.busy, workers.stalled], [1, 2]);
  workers.end(attempts[0]!);
  workers.sweep(1000);
  assert.deepEqual([workers.busy, workers.stalled], [0, 2]);
});

Deno.test("Workers.fetching() gives an attempt that waited for robots.txt a worker", () => {
  const workers = new Workers(10);
  const attempt = workers.begin(0, nothing);
  workers.sweep(400);
  workers.fetching(attempt, 500);
  assert.deepEqual([workers.active, workers.stalled], [{ robots: 0, fetching: 1 }, 0]);
  workers.sweep(799);
  assert.equal(workers.busy, 1);
  workers.sweep(800);
  assert.deepEqual([workers.busy, workers.stalled], [0, 1]);
});

const MB = 2 ** 20;

Deno.test("Workers.sweep() lets what is silent go on beside the workers, within a bound of its bytes", () => {
  const workers = new Workers(1000);
  const silent = Array.from({ length: 100 }, () => workers.begin(0, () => {}));
  const large = Array.from({ length: 20 }, () => workers.begin(0, () => {}));
  for (const { progress } of large) progress.bytes = 9 * MB;
  workers.sweep(10_000); // bytes have come since they began
  assert.equal(workers.stalled, 100);
  assert.equal(workers.busy, 20);
  workers.sweep(20_000);
  assert.equal(workers.stalled, 107, "7 times 9 MB, and those without a byte");
  assert.equal(workers.busy, 13);
  // One that goes on, or ends, makes room for another.
  large.find(({ stalled }) => stalled)!.progress.bytes += MB / 2;
  workers.sweep(30_000);
  assert.equal(workers.stalled, 107);
  workers.end(large.find(({ stalled }) => stalled)!);
  assert.equal(workers.stalled, 106);
  workers.sweep(40_000);
  assert.equal(workers.stalled, 107);
  for (const attempt of [...silent, ...large]) if (workers.has(attempt)) workers.end(attempt);
  assert.deepEqual([workers.busy, workers.stalled, workers.size], [0, 0, 0]);
});
