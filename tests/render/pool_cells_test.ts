import assert from "node:assert/strict";
import { LaneCells } from "../../lib/render/_pool_cells.ts";

Deno.test("LaneCells: a worker that is given up sends no row, and one that sends is not given up", () => {
  const worker = new LaneCells(), pool = new LaneCells(worker.buffer);
  assert.ok(worker.enter());
  assert.ok(!pool.shut());
  worker.leave();
  assert.ok(worker.enter());
  worker.leave();
  assert.ok(pool.shut());
  assert.ok(!worker.enter());
  assert.ok(pool.shut());
});
