import assert from "node:assert/strict";
import { collect, page } from "./_pool.ts";

Deno.test("RenderPool holds no memory that grows with the pages", async () => {
  let rows = 0;
  const { pool } = collect({ width: 1, queueBytes: 2 ** 20, onRow: () => void rows++ });
  const body = new Uint8Array(200_000).fill(120);
  const resident: number[] = [];
  for (let i = 0; i < 3_000; i++) {
    await pool.push(page(`${i}`, body));
    if (i % 1_000 === 999) resident.push(Deno.memoryUsage().rss);
  }
  await pool.close();
  assert.equal(rows, 3_000);
  // 600 MB went through; a page kept, in or out, would show as hundreds.
  assert.ok(resident[2]! - resident[0]! < 150 * 2 ** 20, `${resident.map((n) => n / 2 ** 20)}`);
});
