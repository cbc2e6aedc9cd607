import assert from "node:assert/strict";
import { join } from "node:path";
import { inFolder } from "../capture/_rows.ts";
import { Ccrawl } from "../engine/_process.ts";
import { byUrl, readRows, verifyClean } from "../engine/_recrawl.ts";
import { readLedger, refetchArgs, writeShard } from "../refetch/_refetch.ts";
import { startWeb } from "../web/mod.ts";

const web = await startWeb({ hosts: 12, pages: 240, pageBytes: 2000, domains: 12 });
globalThis.addEventListener("unload", () => web[Symbol.asyncDispose]());
const URLS = [...web.expectedUrls()];

Deno.test("markdown refetch goes on after kills: no page is lost, none is in two rows", async () => {
  await inFolder(async (dir) => {
    await writeShard(dir, "a.warc.gz", URLS.slice(0, 90));
    await writeShard(dir, "b.warc.gz", URLS.slice(90, 180));
    const args = refetchArgs(web, dir, "--seal-after", "300ms", "-j", "4", "--no-robots");
    for (const count of [20, 60, 20]) {
      const run = new Ccrawl(args);
      await run.until(() => run.count >= count);
      run.kill("SIGKILL");
      await run.ended;
    }
    await new Ccrawl(args).succeeds();
    const rows = byUrl(await readRows(join(dir, "out"), ["url", "status"]));
    assert.deepEqual([...rows.keys()].sort(), URLS.slice(0, 180).sort());
    const { a, b } = await readLedger(dir);
    assert.deepEqual([a!.rows, b!.rows, a!.done, b!.done], ["90", "90", "true", "true"]);
    await verifyClean(join(dir, "out"));
  });
});
