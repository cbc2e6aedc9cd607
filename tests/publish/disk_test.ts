import assert from "node:assert/strict";
import { Mount } from "../engine/_mount.ts";
import { startHub } from "../web/hub.ts";
import { attempt, checkCounts, TOKEN, toward } from "./_publish.ts";
import { LocalRun } from "./_run.ts";

Deno.test("a disk without a byte left is one that publishing makes room on", async () => {
  const folder = await Deno.makeTempDir({ prefix: "ccrawl-publish-" });
  try {
    const mount = await Mount.memory(`${folder}/full`, 1 << 20);
    if (mount === undefined) return;
    await using _mount = mount;
    await using hub = startHub({ token: TOKEN });
    Deno.mkdirSync(`${mount.path}/run`);
    await using run = new LocalRun(`${mount.path}/run`, {});
    run.seal(30);
    run.seal(40);
    {
      using fill = Deno.createSync(`${mount.path}/fill`);
      const bytes = new Uint8Array(4096);
      assert.throws(() => {
        for (;;) fill.writeSync(bytes);
      }, /space/);
    }
    const { parts, error } = await attempt(toward(run, hub));
    assert.equal(error, undefined);
    assert.equal(parts.length, 2);
    assert.deepEqual(run.parts(), []);
    checkCounts(hub, 70);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
