/** deploy/install.sh builds what it installs. */

import assert from "node:assert/strict";
import { startFleet } from "./_fleet.ts";

Deno.test("install.sh builds the binary that it installs", async () => {
  await using fleet = await startFleet("server1");
  await Deno.remove(fleet.binary);
  const { code, stdout, stderr } = await fleet.build();
  assert.equal(code, 0, stdout + stderr);
  const { default: config } = await import("../../deno.json", { with: { type: "json" } });
  const row = stdout.split("\n").find((line) => line.startsWith("server1 "))!;
  const [, shard, version, commit, deno] = row.split(/ +/);
  assert.deepEqual([shard, version, deno], ["0/1", config.version, Deno.version.deno]);
  assert.match(commit!, /^[0-9a-f]{12}$/);
});
