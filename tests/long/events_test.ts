import assert from "node:assert/strict";
import { startWeb } from "../web/mod.ts";
import { withFolder } from "../engine/_crawl.ts";
import { crawlArgs } from "../engine/_kill.ts";
import { Ccrawl } from "../engine/_process.ts";

interface Event {
  readonly event: string;
  readonly time: string;
  readonly figures?: { readonly fetched: number; readonly elapsedMs: number };
}

Deno.test("a run of over a minute ticks every thirty seconds, on stderr and in its journal", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 2, pages: 140, pageBytes: 2000 });
    await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
    const args = crawlArgs(web, dir, "--max-depth", "99", "--delay", "1s")
      .map((word) => word === "none" ? "json" : word);
    const crawl = new Ccrawl([...args, "--journal", `${dir}/journal.jsonl`]);
    await crawl.succeeds();
    const events = crawl.stderr.trim().split("\n").map((line) => JSON.parse(line) as Event);
    assert.deepEqual(events.map(({ event }) => event), ["start", "tick", "tick", "seal", "end"]);
    const journal = await Deno.readTextFile(`${dir}/journal.jsonl`);
    assert.equal(journal, crawl.stderr);
    const ticks = events.filter(({ event }) => event === "tick").map(({ figures }) => figures!);
    for (const [i, { fetched, elapsedMs }] of ticks.entries()) {
      assert.ok(elapsedMs >= 30_000 * (i + 1) - 1000);
      assert.ok(fetched > 30 * (i + 1) && fetched < 140);
    }
    const at = ticks.map(({ elapsedMs, fetched }) =>
      `${Math.round(elapsedMs)} ms: ${fetched} pages`
    );
    console.log(`ticks of a paced run: ${at.join(", ")}`);
  }));
