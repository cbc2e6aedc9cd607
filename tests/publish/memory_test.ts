import assert from "node:assert/strict";
import { publishPart } from "./_size.ts";

Deno.test("memory does not follow the size of a part", async () => {
  const small = await publishPart(1 << 20), large = await publishPart(128 << 20);
  const more = large.peak - small.peak;
  assert.ok(more < 48 << 20, `${more} bytes more for a part of 128 MB than for one of 1 MB`);
});
