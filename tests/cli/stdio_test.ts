import assert from "node:assert/strict";
import { startWeb } from "../web/mod.ts";
import { crawlArgs, verifyClean } from "../engine/_kill.ts";
import { withFolder } from "../engine/_crawl.ts";
import { CCRAWL } from "../engine/_process.ts";

const LINUX = Deno.build.os === "linux";

async function shell(script: string, ...args: string[]): Promise<{ code: number; err: string }> {
  const { code, stderr } = await new Deno.Command("sh", {
    args: ["-c", script, "sh", ...args],
    stdout: "null",
    stderr: "piped",
  }).output();
  return { code, err: new TextDecoder().decode(stderr) };
}

Deno.test({
  name: "a full disk under stdout is told, and the crawl is sealed and summed up",
  ignore: !LINUX,
  fn: () =>
    withFolder(async (dir) => {
      await using web = await startWeb({ hosts: 2, pages: 10 });
      await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
      const { code, err } = await shell(`"$@" > /dev/full`, ...CCRAWL, ...crawlArgs(web, dir));
      assert.equal(code, 1);
      assert.match(err, /ccrawl: Cannot write to stdout: No space left/);
      assert.match(err, /crawl run: \d+ fetched/);
      await verifyClean(dir);
    }),
});

Deno.test({
  name: "a full disk under stderr ends nothing",
  ignore: !LINUX,
  fn: () =>
    withFolder(async (dir) => {
      await using web = await startWeb({ hosts: 2, pages: 10 });
      await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
      const { code } = await shell(`"$@" 2> /dev/full`, ...CCRAWL, ...crawlArgs(web, dir));
      assert.equal(code, 0);
      await verifyClean(dir);
    }),
});
