import assert from "node:assert/strict";
import { Intact } from "../../lib/engine/_intact.ts";
import { RunError } from "../../lib/engine/errors.ts";
import { startWeb } from "../web/mod.ts";
import { withFolder } from "./_crawl.ts";
import { crawlArgs, verifyClean } from "./_kill.ts";
import { Mount } from "./_mount.ts";
import { Ccrawl, ccrawl } from "./_process.ts";

const LINUX = Deno.build.os === "linux";

Deno.test({
  name: "Intact.check() sees a file removed, and another in its place, not a changed one",
  ignore: !LINUX,
  fn: () =>
    withFolder(async (dir) => {
      const [a, b] = [`${dir}/a`, `${dir}/b`];
      await Deno.writeTextFile(a, "");
      await Deno.writeTextFile(b, "");
      const intact = new Intact([a, b]);
      await Deno.writeTextFile(a, "more", { append: true });
      intact.check();
      await Deno.writeTextFile(`${dir}/new`, "");
      await Deno.rename(`${dir}/new`, b);
      assert.throws(() => intact.check(), /Cannot go on: \S+\/b was removed or replaced/);
      await Deno.remove(a);
      assert.throws(() => intact.check(), RunError);
    }),
});

/** Runs a crawl and does something to its files in the middle of it. */
async function disturbed(dir: string, disturb: () => Promise<void>): Promise<Ccrawl> {
  await using web = await startWeb({ hosts: 4, pages: 4000, pageBytes: 500 });
  await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
  const run = new Ccrawl(crawlArgs(web, dir, "--max-depth", "99", "--delay", "50ms"));
  await run.until(() => run.count > 10);
  await disturb();
  const { code } = await run.ended;
  assert.equal(code, 1, run.stderr);
  assert.match(run.stderr, /^ccrawl: Cannot go on: .* was removed or replaced/m);
  assert.match(run.stderr, /crawl run: \d+ fetched/);
  return run;
}

Deno.test({
  name: "a crawl whose state is removed under it stops, its archive sealed",
  ignore: !LINUX,
  fn: () =>
    withFolder(async (dir) => {
      await disturbed(dir, () => Deno.remove(`${dir}/crawl.db`));
      const names = [...Deno.readDirSync(`${dir}/warc`)].map(({ name }) => name);
      assert.deepEqual(names.filter((name) => name.endsWith(".open")), []);
      assert.equal((await ccrawl(["verify", `${dir}/warc`])).code, 0);
    }),
});

Deno.test({
  name: "a crawl whose output folder is emptied under it stops",
  ignore: !LINUX,
  fn: () =>
    withFolder(async (dir) => {
      await disturbed(dir, () => Deno.remove(`${dir}/warc`, { recursive: true }));
    }),
});

Deno.test({
  name: "a disk too full for a new state is a matter of room: exit 75, and with room it goes",
  ignore: !LINUX,
  fn: () =>
    withFolder(async (dir) => {
      await using web = await startWeb({ hosts: 2, pages: 10 });
      await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
      await Deno.mkdir(`${dir}/state`);
      const args = crawlArgs(web, dir, "--state", `${dir}/state/crawl.db`);
      {
        await using disk = await Mount.memory(`${dir}/state`, 65_536);
        if (disk === undefined) return console.log("needs the right to mount");
        const { code, stderr } = await ccrawl(args);
        assert.equal(code, 75, stderr);
        assert.match(stderr, /^ccrawl: Cannot open the state .* free some space and run again$/m);
      }
      assert.equal((await ccrawl(args)).code, 0);
      await verifyClean(dir, { warc: `${dir}/warc`, state: `${dir}/state/crawl.db` });
    }),
});
