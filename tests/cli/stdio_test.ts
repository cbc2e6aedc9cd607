import assert from "node:assert/strict";
import { startWeb } from "../web/mod.ts";
import { crawlArgs, verifyClean } from "../engine/_kill.ts";
import { withFolder } from "../engine/_crawl.ts";
import { CCRAWL } from "../engine/_process.ts";
import { processHost } from "../../lib/cli/host.ts";

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

Deno.test("stdout that does not block and is full is written to again", async () => {
  const stdout = Deno.stdout as { write: typeof Deno.stdout.write };
  const write = stdout.write, taken: number[] = [];
  let full = true;
  stdout.write = (bytes) => {
    full = !full;
    if (full) return Promise.reject(new Deno.errors.WouldBlock("Resource temporarily unavailable"));
    taken.push(bytes[0]!);
    return Promise.resolve(1);
  };
  try {
    await processHost().stdout.write(new Uint8Array([1, 2, 3]));
  } finally {
    stdout.write = write;
  }
  assert.deepEqual(taken, [1, 2, 3]);
});
