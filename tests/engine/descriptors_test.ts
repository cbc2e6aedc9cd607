import assert from "node:assert/strict";
import { checkDescriptors, descriptorShares } from "../../lib/engine/descriptors.ts";
import { RunError } from "../../lib/engine/errors.ts";
import { robotsFetcher } from "../../lib/engine/robots_fetch.ts";
import { HostClocks } from "../../lib/engine/clocks.ts";
import type { HttpClient } from "../../lib/net/mod.ts";
import { toFetchError } from "../../lib/net/errors.ts";
import { startWeb } from "../web/mod.ts";
import { withFolder } from "./_crawl.ts";
import { crawlArgs, verifyClean } from "./_kill.ts";
import { Ccrawl } from "./_process.ts";

const POSIX = Deno.build.os !== "windows";

/** What stands before a command so that it may open only so many files. */
const allowed = (files: number) => ["sh", "-c", `ulimit -n ${files} && exec "$@"`, "sh"];

Deno.test("descriptorShares() never deals out more than there is", () => {
  for (const limit of [64, 200, 256, 1024, 4096, 65_536, Infinity]) {
    for (const workers of [1, 64, 512, 4096]) {
      const { stalled, idle, stuck } = descriptorShares(workers, limit);
      assert.ok(stalled >= 0 && idle >= 0 && stuck >= 0);
      if (workers + 128 <= limit) assert.ok(workers + stalled + idle + stuck + 128 <= limit);
      else assert.equal(stalled + idle + stuck, 0);
    }
  }
});

Deno.test("checkDescriptors() says how many workers there may be", () => {
  checkDescriptors(64, 1024);
  assert.throws(() => checkDescriptors(64, 150), (error: unknown) => {
    assert.ok(error instanceof RunError);
    assert.match(error.message, /may open only 150 files .*ulimit -n 1024\).*-j 22\)/);
    return true;
  });
});

Deno.test("no descriptor left for robots.txt is not the host's doing", async () => {
  const full = Object.assign(new Error("Too many open files (os error 24)"), { code: "EMFILE" });
  assert.equal(toFetchError(full).reason, "descriptors");
  const fetch = robotsFetcher({
    client: { exchange: () => Promise.reject(toFetchError(full)) } as unknown as HttpClient,
    clocks: new HostClocks(),
    headers: [],
    budgetMs: 1000,
  });
  await assert.rejects(fetch(new URL("http://a.test/robots.txt")), /Too many open files/);
});

Deno.test({
  name: "a crawl that may open few files fetches every page of hosts that answer slowly",
  ignore: !POSIX,
  fn: () =>
    withFolder(async (dir) => {
      await using web = await startWeb({ hosts: 1, pages: 1 });
      const urls = Array.from({ length: 150 }, (_, i) => web.url(`x${i}.slow-600.test`, "/p/0"));
      await Deno.writeTextFile(`${dir}/seeds.txt`, urls.join("\n"));
      const args = [...crawlArgs(web, dir), "--delay", "0", "-j", "60"];
      const run = new Ccrawl(args, { wrapper: allowed(200) });
      await run.succeeds();
      assert.deepEqual(run.records.map(({ error }) => error).filter((error) => error !== ""), []);
      assert.equal(run.records.length, urls.length);
      assert.doesNotMatch(run.stderr, /left alone|open files/);
      await verifyClean(dir);
    }),
});

Deno.test({
  name: "a crawl with more workers than it may open files is refused before it writes anything",
  ignore: !POSIX,
  fn: () =>
    withFolder(async (dir) => {
      await using web = await startWeb({ hosts: 1, pages: 1 });
      await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
      const run = new Ccrawl([...crawlArgs(web, dir), "-j", "64"], { wrapper: allowed(100) });
      assert.equal((await run.ended).code, 1);
      assert.match(run.stderr, /Cannot run 64 workers: this process may open only 100 files/);
      assert.deepEqual([...Deno.readDirSync(dir)].map(({ name }) => name), ["seeds.txt"]);
    }),
});
