import assert from "node:assert/strict";
import { release } from "../../lib/render/_release.ts";

Deno.test("release() gives whole buffers back, and leaves parts and nothing alone", () => {
  const whole = new Uint8Array(1000);
  release(whole);
  assert.equal(whole.length, 0);
  assert.ok(whole.buffer.detached);
  const buffer = new ArrayBuffer(1000);
  for (const part of [new Uint8Array(buffer, 1), new Uint8Array(buffer, 0, 999)]) {
    release(part);
    assert.ok(!buffer.detached);
  }
  const empty = new Uint8Array(0), shared = new Uint8Array(new SharedArrayBuffer(8));
  release(empty);
  release(shared);
  assert.ok(!empty.buffer.detached);
  assert.equal(shared.length, 8);
});
