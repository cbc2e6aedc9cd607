// What callers see of an engine's thread that dies.
import assert from "node:assert/strict";
import { FrontierError } from "../../lib/frontier/errors.ts";
import { openFrontier } from "../../lib/frontier/open.ts";
import { seed, tempFolder } from "./_helpers.ts";

/** Opens a frontier whose thread runs the script that dies. */
async function openDying(path: string): ReturnType<typeof openFrontier> {
  const real = globalThis.Worker;
  globalThis.Worker = class extends real {
    constructor(_: string | URL, options?: WorkerOptions) {
      super(new URL("./_dying_worker.ts", import.meta.url), options);
    }
  };
  try {
    return await openFrontier({ path });
  } finally {
    globalThis.Worker = real;
  }
}

Deno.test("a thread that dies rejects every caller with a FrontierError that keeps the cause", async () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`;
  const frontier = await openDying(path);
  const died = (error: unknown) => {
    assert.ok(error instanceof FrontierError);
    assert.ok(
      error.message.includes(path) && error.message.includes("its thread died"),
    );
    assert.match((error.cause as Error).message, /out of memory, say/);
    return true;
  };
  const controls = frontier.controls()[Symbol.asyncIterator]().next();
  // One that waits already, the one that kills it, and what comes after.
  const waiting = frontier.stats();
  await Promise.all([
    assert.rejects(waiting, died),
    assert.rejects(frontier.put([seed("https://a.example/")]), died),
  ]);
  assert.equal((await controls).done, true);
  await assert.rejects(frontier.claim(1, 1), died);
  assert.throws(() => frontier.releaseHosts([]), died);
  await frontier.close();
  // The lock is given back: the state opens again.
  await using again = await openFrontier({ path });
  assert.equal((await again.stats()).queued, 0);
});
