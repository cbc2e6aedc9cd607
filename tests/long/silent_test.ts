import assert from "node:assert/strict";
import { besideSilent } from "../engine/_silent.ts";

Deno.test("2 000 silent hosts beside 200 good ones slow nothing down and hold nothing", async () => {
  const { alone, among, before } = await besideSilent({
    silent: 2000,
    good: 200,
    pagesEach: 60,
    workers: 64,
    delayMs: 1500,
  });
  console.log(
    `silent hosts: ${(alone.ms / 1000).toFixed(1)} s alone, ${(among.ms / 1000).toFixed(1)} s ` +
      `among 2000 of which ${among.hanging} hung at the end; descriptors ${before} before, ` +
      `${among.peakDescriptors} at most, ${among.descriptors} after; ` +
      `${among.peakMb.toFixed(0)} MB at most (${alone.peakMb.toFixed(0)} alone)`,
  );
  assert.ok(among.ms <= 1.2 * alone.ms, "within a fifth");
  assert.ok(alone.descriptors <= before);
  assert.ok(among.descriptors <= before + 300, "all but abandoned handshakes, which are bounded");
  assert.ok(among.peakMb < alone.peakMb + 500);
});
