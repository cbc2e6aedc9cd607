import assert from "node:assert/strict";
import { besideRun } from "../publish/_beside.ts";
import { publishPart } from "../publish/_size.ts";

Deno.test("a run and a publisher that are killed again and again publish every row once", async () => {
  const result = await besideRun({ hosts: 40, pages: 4000, shardKb: 150, writers: 2, kills: 15 });
  assert.ok(result.files > 20, `${result.files} files`);
  console.log(result);
});

Deno.test("memory does not follow the size of a part of 512 MB, nor of one of 3 GB", async () => {
  const small = await publishPart(1 << 20);
  for (const size of [512 * 2 ** 20, 3 * 2 ** 30]) {
    const { peak, ms } = await publishPart(size);
    const more = peak - small.peak;
    console.log(`${size / 2 ** 20} MB: ${(more / 2 ** 20).toFixed(1)} MB more, ${ms / 1000} s`);
    assert.ok(more < 60 * 2 ** 20, `${more} bytes more than for a small part`);
  }
});
