import assert from "node:assert/strict";
import { follow } from "../../lib/files/follow.ts";
import { tempFolder } from "../frontier/_helpers.ts";

Deno.test({
  name: "follow() goes along chains, relative links and links to nothing, and ends on a circle",
  ignore: Deno.build.os === "windows", // there, links take a right that few have
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
