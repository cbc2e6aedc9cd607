import assert from "node:assert/strict";
import { besideRun } from "./_beside.ts";

Deno.test("a run and a publisher side by side, each killed once, publish every row once", async () => {
  const { rows, files } = await besideRun({
    hosts: 8,
    pages: 160,
    shardKb: 40,
    writers: 1,
    kills: 1,
  });
  assert.equal(rows, 160);
  assert.ok(files > 3, `${files} files`);
});
