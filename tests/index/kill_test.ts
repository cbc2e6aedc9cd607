import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { inFolder } from "./_index.ts";
import { checkAfterKill, killBuild } from "./_kill.ts";
import { IndexWriter } from "../../lib/index/writer.ts";

Deno.test("a kill during a build loses no committed document, and the index stays whole", async () => {
  await inFolder(async (dir) => {
    let committed = -1;
    for (const after of [3, 20]) {
      committed = await killBuild(dir, committed + 1, after);
      checkAfterKill(dir, committed);
    }
  });
});

Deno.test("one process at a time writes an index", async () => {
  await inFolder(async (dir) => {
    using _writer = new IndexWriter(dir);
    const script = fileURLToPath(new URL("./_endless_build.ts", import.meta.url));
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", script, dir],
    }).output();
    assert.equal(code, 1);
    assert.match(new TextDecoder().decode(stderr), new RegExp(`process ${Deno.pid} is using it`));
  });
});
