import assert from "node:assert/strict";
import FakeTimers from "@sinonjs/fake-timers";
import type { WriterPool } from "../../lib/capture/writer_pool.ts";
import type { RecrawlLedger } from "../../lib/engine/_recrawl_ledger.ts";
import { RecrawlRows } from "../../lib/engine/_recrawl_rows.ts";
import { RecrawlStatistics } from "../../lib/engine/recrawl_statistics.ts";

/** Sees `ended` rows to a writer that has taken none yet; what it had when it was closed. */
async function finish(
  clock: FakeTimers.Clock,
  ended: number,
  seal: (writer: { rows: number }) => Promise<void>,
): Promise<number | undefined> {
  const writer = { rows: 0 };
  let closedWith: number | undefined;
  const writers = {
    error: undefined,
    figures: { writers: [writer] },
    seal: () => seal(writer),
    close() {
      closedWith = writer.rows;
      return Promise.resolve([]);
    },
  } as unknown as WriterPool;
  const rows = new RecrawlRows(
    {
      ...{ headers: [], statistics: new RecrawlStatistics(), writers },
      ...{ pool: undefined, sender: undefined, archiver: undefined },
    },
    { ended } as RecrawlLedger,
    { onRow() {}, onRoom() {}, onBroken: assert.fail },
  );
  const finished = rows.finish(() => false);
  await clock.tickAsync(120_000);
  assert.deepEqual(await finished, []);
  return closedWith;
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test("rows behind a disk that takes its time are waited for, and lost ones not for ever", async () => {
  const clock = FakeTimers.install({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const slow = await finish(clock, 5, async (writer) => {
      await wait(45_000);
      // They come with the next turn of the writer's thread.
      setTimeout(() => writer.rows = 5, 500);
    });
    assert.equal(slow, 5);
    assert.equal(await finish(clock, 5, () => Promise.resolve()), 0);
    assert.equal(await finish(clock, 5, () => Promise.reject(new Error("no disk"))), 0);
  } finally {
    clock.uninstall();
  }
});
