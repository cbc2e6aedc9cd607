import assert from "node:assert/strict";
import { main } from "../../lib/cli/app.ts";
import { fileBytes } from "../../lib/files/fs.ts";
import { inFolder } from "../capture/_rows.ts";
import { testHost } from "./_host.ts";

/** Runs a command whose stdin never says anything, and stops it once it waits for that. */
async function stopped(
  args: readonly string[],
): Promise<{ code: number; err: string; ended: boolean }> {
  const asked = Promise.withResolvers<void>();
  let ended = false;
  const stdin = new ReadableStream<Uint8Array>({
    pull: () => {
      asked.resolve();
      return new Promise(() => {});
    },
    cancel: () => void (ended = true),
  }, { highWaterMark: 0 });
  const host = { ...testHost(), stdin: () => stdin };
  const code = main(args, host);
  await Promise.race([asked.promise, code]);
  host.send("SIGTERM");
  return { code: await code, err: host.err(), ended };
}

Deno.test("a command that waits for its input ends when it is told to", async () => {
  await inFolder(async (dir) => {
    for (
      const args of [
        ["parse", "-"],
        ["parse", "-", "--text"],
        ["index", "build", "--dir", `${dir}/idx`, "--input", "-"],
        ["sched", "assign", "--seeds", "-"],
        ["crawl", "seed", "--ranks", "-"],
        ["crawl", "seed", "--rates", "-", "--ranks", `${dir}/none`],
      ]
    ) {
      const { code, err, ended } = await stopped(args);
      assert.equal(code, 0, `${args.join(" ")}: ${err}`);
      assert.ok(ended, `stdin was not let go: ${err}`);
    }
  });
});

Deno.test("a run that is stopped before it had a seed or a row was stopped, and has not found nothing", async () => {
  await inFolder(async (dir) => {
    const crawl = ["crawl", "run", "--seeds", "-", "--out", `${dir}/warc`, "--min-free", "0"];
    const state = `${dir}/recrawl.json`;
    const recrawl = ["recrawl", "run", "--from", "-", "--state", state, "--min-free", "0"];
    for (const args of [crawl, [...recrawl, "--out", `${dir}/captures`]]) {
      const { code, err } = await stopped(args);
      assert.equal(code, 0, err);
    }
    assert.equal(JSON.parse(await Deno.readTextFile(state)).done, false);
  });
});

Deno.test("reading a file without a pause lets timers and signals have their turn", async () => {
  await inFolder(async (dir) => {
    const path = `${dir}/big`;
    await Deno.writeFile(path, new Uint8Array(1 << 16));
    let turn = false;
    const timer = setTimeout(() => turn = true, 0);
    try {
      for await (const _ of fileBytes(path, undefined, 0, 1)) {
        if (turn) return;
        const until = performance.now() + 5; // as long as a piece's work takes
        while (performance.now() < until);
      }
      assert.fail("it read to the end first");
    } finally {
      clearTimeout(timer);
    }
  });
});
