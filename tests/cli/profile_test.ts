import assert from "node:assert/strict";
import { profiled } from "../../lib/cli/commands/bodies/_profile.ts";
import { CommandError } from "../../lib/cli/errors.ts";

async function withFolder(body: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-profile-" });
  try {
    await body(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("profiled() writes what a profile viewer opens, and gives what the work gave", () =>
  withFolder(async (dir) => {
    const warned: string[] = [];
    const result = await profiled(`${dir}/p`, "a", () => Promise.resolve(7), (t) => warned.push(t));
    assert.deepEqual([result, warned], [7, []]);
    const profile = JSON.parse(await Deno.readTextFile(`${dir}/p/a.cpuprofile`));
    assert.ok(profile.nodes.length > 0 && profile.endTime >= profile.startTime);
    for (const line of (await Deno.readTextFile(`${dir}/p/a.heap.jsonl`)).trim().split("\n")) {
      assert.ok(JSON.parse(line).rss > 0);
    }
  }));

Deno.test("a profile that cannot be written costs the work nothing", () =>
  withFolder(async (dir) => {
    const warned: string[] = [];
    const work = async () => {
      await Deno.remove(`${dir}/p`, { recursive: true });
      return 7;
    };
    assert.equal(await profiled(`${dir}/p`, "a", work, (text) => warned.push(text)), 7);
    assert.equal(warned.length, 1);
    assert.match(warned[0]!, /^Cannot write profiles into \S+: /);
    await Deno.writeTextFile(`${dir}/file`, "");
    await assert.rejects(profiled(`${dir}/file`, "a", work, () => {}), (error: Error) => {
      assert.ok(error instanceof CommandError);
      assert.match(error.message, /^Cannot write profiles into \S+file: /);
      return true;
    });
  }));
