import assert from "node:assert/strict";
import { follow } from "../../lib/frontier/_follow.ts";
import { sendControl } from "../../lib/frontier/control.ts";
import { FrontierStateError, StateLockedError } from "../../lib/frontier/errors.ts";
import { lockFile } from "../../lib/frontier/lock.ts";
import { openFrontier } from "../../lib/frontier/open.ts";
import { readStats } from "../../lib/frontier/read.ts";
import { tempFolder } from "./_helpers.ts";

const POSIX = Deno.build.os !== "windows"; // there, links take a right that few have

Deno.test({
  name: "follow() goes along chains, relative links and links to nothing, and ends on a circle",
  ignore: !POSIX,
  fn() {
    using folder = tempFolder();
    const dir = Deno.realPathSync(folder.path);
    Deno.mkdirSync(`${dir}/deep/er`, { recursive: true });
    Deno.symlinkSync(`${dir}/deep/er`, `${dir}/short`);
    Deno.symlinkSync("../state.db", `${dir}/deep/er/one`); // seen through `short`: deep/state.db
    Deno.symlinkSync("short/one", `${dir}/two`);
    Deno.symlinkSync("round", `${dir}/round`);
    assert.equal(follow(`${dir}/two`), `${dir}/deep/state.db`);
    assert.equal(follow(`${dir}/plain`), `${dir}/plain`);
    assert.equal(follow("none/at/all"), "none/at/all");
    follow(`${dir}/round`);
  },
});

Deno.test({
  name: "lockFile() holds a file under every name that links give it",
  ignore: !POSIX,
  fn() {
    using folder = tempFolder();
    Deno.symlinkSync("state.db", `${folder.path}/link.db`);
    for (const [first, second] of [["state.db", "link.db"], ["link.db", "state.db"]]) {
      using _held = lockFile(`${folder.path}/${first}`);
      assert.throws(() => lockFile(`${folder.path}/${second}`), StateLockedError);
    }
  },
});

Deno.test({
  name: "sendControl() through a link reaches the frontier that runs on what it leads to",
  ignore: !POSIX,
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
