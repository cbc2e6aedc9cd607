import assert from "node:assert/strict";
import { sendControl } from "../../lib/frontier/control.ts";
import { FrontierStateError } from "../../lib/frontier/errors.ts";
import { openFrontier } from "../../lib/frontier/open.ts";
import { readStats } from "../../lib/frontier/read.ts";
import { tempFolder } from "./_helpers.ts";

Deno.test({
  name: "sendControl() through a link reaches the frontier that runs on what it leads to",
  ignore: Deno.build.os === "windows", // there, links take a right that few have
  async fn() {
    using folder = tempFolder();
    const path = `${folder.path}/state.db`;
    Deno.symlinkSync("state.db", `${folder.path}/link.db`);
    await using frontier = await openFrontier({ path });
    await sendControl(`${folder.path}/link.db`, { verb: "block", host: "a.example" });
    const { value } = await frontier.controls()[Symbol.asyncIterator]().next();
    assert.deepEqual(value, { verb: "block", host: "a.example" });
  },
});

Deno.test("sendControl() and readStats() say of what is no state that it is none", async () => {
  using folder = tempFolder();
  const text = `${folder.path}/text.db`;
  Deno.writeTextFileSync(text, "no state\n".repeat(1000));
  await assert.rejects(sendControl(text, { verb: "pause" }), FrontierStateError);
  assert.deepEqual([...Deno.readDirSync(folder.path)].map(({ name }) => name), ["text.db"]);
  await assert.rejects(readStats(folder.path), /it is a folder/);
  await assert.rejects(openFrontier({ path: folder.path }), /it is a folder/);
});
