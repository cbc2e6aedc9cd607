import assert from "node:assert/strict";
import { ccrawl } from "../engine/_process.ts";
import { withFolder } from "../engine/_crawl.ts";

/** What a refused crawl leaves: nothing. */
async function refused(dir: string, code: number, message: RegExp, args: string[]): Promise<void> {
  const before = [...Deno.readDirSync(dir)].map(({ name }) => name);
  const words = ["crawl", "run", "--out", `${dir}/warc`, "--state", `${dir}/crawl.db`, ...args];
  const ended = await ccrawl(words);
  assert.equal(ended.code, code, ended.stderr);
  assert.match(ended.stderr, message);
  assert.deepEqual([...Deno.readDirSync(dir)].map(({ name }) => name), before);
}

Deno.test("crawl run refuses a pattern that is none before it writes anything", () =>
  withFolder(async (dir) => {
    await Deno.writeTextFile(`${dir}/seeds.txt`, "");
    const message = /^ccrawl: Cannot use the pattern "\(\(\(": /m;
    await refused(dir, 2, message, ["--seeds", `${dir}/seeds.txt`, "--include", "((("]);
    await refused(dir, 2, message, ["--seeds", `${dir}/seeds.txt`, "--exclude", "((("]);
  }));

Deno.test("crawl run refuses a prefix that leads out of its folder before it writes anything", () =>
  withFolder(async (dir) => {
    await Deno.writeTextFile(`${dir}/seeds.txt`, "");
    const args = ["--seeds", `${dir}/seeds.txt`, "--prefix", "../x"];
    await refused(dir, 2, /--prefix=\.\.\/x: must be letters/, args);
  }));

Deno.test("crawl run refuses --recrawl-interval without --recrawl", () =>
  withFolder(async (dir) => {
    await Deno.writeTextFile(`${dir}/seeds.txt`, "");
    const args = ["--seeds", `${dir}/seeds.txt`, "--recrawl-interval", "1h"];
    await refused(dir, 2, /--recrawl-interval says how often[^]*add --recrawl/, args);
  }));

Deno.test("crawl run says that --seeds is a folder, or is not there", () =>
  withFolder(async (dir) => {
    await refused(dir, 1, /Cannot read --seeds \S+: it is a folder/, ["--seeds", dir]);
    await refused(dir, 1, /Cannot read --seeds \S+: there is no such file or folder$/m, [
      "--seeds",
      `${dir}/none`,
    ]);
  }));

Deno.test("crawl run says that --ca-cert is not there", () =>
  withFolder(async (dir) => {
    await Deno.writeTextFile(`${dir}/seeds.txt`, "");
    const gone = /Cannot read --ca-cert \S+none: there is no such file or folder$/m;
    const args = ["--seeds", `${dir}/seeds.txt`, "--ca-cert", `${dir}/none`];
    await refused(dir, 1, gone, args);
  }));

Deno.test("crawl run says why it found nothing, exit 3", () =>
  withFolder(async (dir) => {
    const seeds = `${dir}/seeds.txt`;
    const nothing = (...more: string[]) =>
      ccrawl([
        ...["crawl", "run", "--seeds", seeds, "--out", `${dir}/warc`, "--min-free", "0"],
        ...more,
      ]);
    await Deno.writeTextFile(seeds, "# nothing\n\n");
    const empty = await nothing();
    assert.equal(empty.code, 3, empty.stderr);
    assert.match(empty.stderr, /nothing to do: --seeds names no URL$/m);
    await Deno.writeTextFile(seeds, "a.test\nb.test\n");
    const excluded = await nothing("--exclude", "test");
    assert.equal(excluded.code, 3, excluded.stderr);
    assert.match(excluded.stderr, /nothing to do: --exclude and --shard leave out .*, 2 in all$/m);
  }));
